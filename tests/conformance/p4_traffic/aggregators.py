# SPDX-License-Identifier: BSD-3-Clause
"""Packets of workers and servers of ATP and DSA."""

import golden_traces
from p4_traffic.traffic import MANY, WITH_VALUES, Traffic

from hw.p4.control.aggregators import (
    FRAGMENT_REQUEST, GRADIENT, NOTIFICATION, RELEASE, REMINDER, RESULT,
)  # fmt: skip

AGGREGATORS = 16  # number in the C++ programs that play golden traces
BEYOND = (16384, 1 << 20, 1 << 31, 2**32 - 1)  # indices that do not exist, in the P4 programs either
GUARD = ("generation", "second_half")  # arrays that have a meaning in a free aggregator, too
ARRAYS = {
    "atp": ("task", "bitmap", "counter", "ecn", "values", *GUARD),
    "dsa": ("task", "priority", "bitmap", "marks", "values", "swapped", *GUARD),
}


class AggregatorTraffic(Traffic):
    """Traffic of ATP and DSA, whose tasks collide in a few aggregators."""

    jobs = {
        "0": {"workers": [1, 2, 3], "server": 50},
        "1": {"workers": [8], "server": 51},
        "2": {"workers": [4, 5], "server": 52},
        "255": {"workers": list(range(10, 10 + MANY)), "server": 53},
    }
    forgeries = {
        "kind": range(1, 7),
        "job": (0, 1, 2, 3, 255),
        "worker": (0, 1, 2, 31, 32, 255),
        "aggregator_index": BEYOND,
        "flags": range(256),
        "bitmap0": (0, 1, 2, 3, 4, 7, 2**31, 2**32 - 1),
        "fan_in_degree0": range(5),
        "fan_in_degree1": range(4),
        "branch": (0, 1, 2, 3, 32),
    }
    indices = (0, 1, 5, 15)

    def __init__(self, program, seed):
        super().__init__(program, seed)
        self.psns = {job: 2**32 - 9 for job in self.jobs}

    def begin_task(self):
        job = self.draw.choice(list(self.jobs))
        psn = self.psns[job] = (self.psns[job] + self.draw.randint(0, 1)) % 2**32
        index = self.draw.choice(self.indices)
        packets = []
        for rank in self.workers_in_any_order(job):
            flags = golden_traces.RESEND if self.draw.random() < self.resends else 0
            packets.append(self.gradient(job, rank, psn, index, flags))
        packets += [self.of_server(job, RESULT, psn, index)] if self.draw.random() < self.results else []
        for _ in range(self.draw.choice([0, 0, 1, 2])):
            packets.insert(self.draw.randrange(len(packets) + 1), self.other(job, psn, index))
        return (job, psn, index), packets

    def packet(self, job, kind, psn, index, source, destination, **fields):
        values = {"values": self.values()} if kind in WITH_VALUES else {}
        return {"kind": kind, "flags": 0, "job": int(job), "psn": psn, "aggregator_index": index, "bitmap0": 0,
                "fan_in_degree0": len(self.jobs[job]["workers"]), "fan_in_degree1": 0, "worker": 0, "source": source,
                "destination": destination} | fields | values  # fmt: skip

    def gradient(self, job, rank, psn, index, flags):
        return self.of_worker(job, GRADIENT, rank, psn, index, flags=self.marks(flags))

    def of_worker(self, job, kind, rank, psn, index, **fields):
        members = self.jobs[job]
        return self.packet(job, kind, psn, index, members["workers"][rank], members["server"], worker=rank,
                           bitmap0=1 << rank, **fields)  # fmt: skip

    def of_server(self, job, kind, psn, index):
        server, workers = self.jobs[job]["server"], self.jobs[job]["workers"]
        to = server if kind == REMINDER else self.draw.choice([golden_traces.ALL_WORKERS, golden_traces.ALL_WORKERS, workers[-1]])
        return self.packet(job, kind, psn, index, server, to, flags=self.marks())

    def other(self, job, psn, index):
        kind = self.draw.choice([RESULT, REMINDER, FRAGMENT_REQUEST, NOTIFICATION, RELEASE, GRADIENT])
        rank = self.draw.randrange(len(self.jobs[job]["workers"]))
        if kind == GRADIENT:
            return self.gradient(job, rank, psn, index, self.past_aggregators)
        if kind in (NOTIFICATION, RELEASE):
            return self.of_worker(job, kind, rank, psn, index)
        return self.of_server(job, kind, psn, index)

    def values(self):
        """Even values reach and exceed only the highest limit, odd values only the lowest. If a sum
        and a contribution are at opposite limits, P4 yields another result."""
        far = [self.draw.choice([2**31 - 1, 2**31 - 2, 2**30, 7, 1, 0, -3]) for _ in range(62)]
        return lambda count: [-number - (number == 2**31 - 1) if i % 2 else number for i, number in enumerate(far[:count])]

    def every_worker_twice(self):
        """All workers send twice in one task. Then each sends a contribution and its resend in a
        task of its own. The sums stay far from all limits."""
        index, values = self.indices[0], {"values": golden_traces.line(1)}
        for flags in (0, golden_traces.RESEND):
            for rank in range(MANY):
                psn = rank if flags else MANY
                yield self.gradient("255", rank, psn, index, 0) | values
                yield self.gradient("255", rank, psn, index, flags) | values
            yield self.of_server("255", RESULT, MANY, index)

    def golden_trace_of_rare_passes(self, name):
        """Passes that random packets seldom take. Those that test a bit of a bitmap run for every bit."""
        steps, index, values = [], self.indices[0], {"values": golden_traces.line(1)}

        def come(packet):
            steps.append(self.step_of(len(steps), 0, packet["source"], packet | values))
            return len(steps) - 1

        def go_on(packet):
            steps.append(self.further_pass(len(steps), steps, packet))

        self.rare_passes(index, come, go_on)
        return self.of_steps(name, steps, separate=True)

    def rare_passes(self, index, come, go_on):
        """`come(packet)` runs a packet's first pass. `go_on` runs the next pass of what `come` returned."""
        # A resend whose worker is in the first half only.
        for rank in range(MANY):
            go_on(come(self.gradient("255", (rank + 1) % MANY, rank, index, 0)))
            come(self.gradient("255", rank, rank, index, 0))
            go_on(come(self.gradient("255", rank, rank, index, golden_traces.RESEND)))
            come(self.of_server("255", RESULT, rank, index))
        # The packet whose second pass comes last fetches the first half, unless another task has
        # reserved the aggregator by then.
        for psn, is_late in enumerate((False, True)):
            first = come(self.gradient("2", 0, psn, index, 0) | {"flags": 0})
            go_on(come(self.gradient("2", 1, psn, index, 0) | {"flags": golden_traces.ECN}))
            go_on(first)
            come(self.of_server("2", RESULT, psn, index)) if is_late else None
            come(self.gradient("0", 0, psn, index, 0)) if is_late else None
            go_on(first)
            come(self.of_server("0" if is_late else "2", RESULT, psn, index))
        # The packet with the first half is lost.
        go_on(come(self.gradient("2", 0, 2, index, 0)))
        come(self.gradient("2", 1, 2, index, 0))
        again = come(self.gradient("2", 1, 2, index, 0))
        go_on(again)
        go_on(again)
        come(self.of_server("2", RESULT, 2, index))

    def cells_of(self, packet):
        index = packet["aggregator_index"]
        return {array: [index] for array in ARRAYS[self.system]} if index < AGGREGATORS else {}

    def all_cells(self):
        return {array: self.indices for array in ARRAYS[self.system]}

    def without_free(self, golden_trace):
        for step in golden_trace["steps"]:
            free = [index for index, task in step["registers"].get("task", {}).items() if task == "free"]
            for array, cells in step["registers"].items():
                for index in free if array not in ("task", *GUARD) else []:
                    del cells[index]
        return golden_trace


class AtpTraffic(AggregatorTraffic):
    resends, results = 0.15, 0.8
    past_aggregators = golden_traces.RESEND | golden_traces.FLOATS | golden_traces.ANSWER


class DsaTraffic(AggregatorTraffic):
    resends, results = 0.2, 0.3
    past_aggregators = golden_traces.RESEND | golden_traces.ANSWER

    def of_worker(self, job, kind, rank, psn, index, **fields):
        return super().of_worker(job, kind, rank, psn, index, priority=self.priority(), **fields)

    def rare_passes(self, index, come, go_on):
        super().rare_passes(index, come, go_on)
        # A preemptor finds the aggregator free, or reserved for its own task without a swap.
        for psn in (3, 4):
            come(self.gradient("2", 0, psn, index, 0) | {"priority": 1})
            preemptor = come(self.gradient("0", 0, psn, index, 0) | {"priority": 8})
            come(self.of_server("2", RESULT, psn, index))
            come(self.gradient("0", 1, psn, index, 0)) if psn == 4 else None
            go_on(preemptor)
            go_on(preemptor)
            come(self.of_server("0", RESULT, psn, index))
        # The reminder finds a contribution in the first half that is missing from the second half.
        come(self.gradient("2", 0, 5, index, 0))
        go_on(come(self.of_server("2", REMINDER, 5, index)))
        # A reminder's mark does not mark the sum that it fetches.
        go_on(come(self.gradient("2", 0, 6, index, 0) | {"flags": 0}))
        go_on(come(self.of_server("2", REMINDER, 6, index) | {"flags": golden_traces.ECN}))

    def priority(self):
        """A priority with at most four significant bits, because the P4 program halves no more than
        these."""
        return self.draw.randrange(16) << self.draw.choice([0, 0, 0, 4, 12])

# SPDX-License-Identifier: BSD-3-Clause
"""Updates of SwitchML's workers."""

import random

import golden_traces
from p4_traffic.traffic import MANY, Traffic

from hw.p4.control.aggregators import GRADIENT, RESULT


class SwitchmlTraffic(Traffic):
    UNDER_WAY = 4
    jobs = {
        "0": {"workers": [1, 2, 3], "first_slot": 3, "slots": 2},
        "2": {"workers": [4, 5], "first_slot": 0, "slots": 3},
        "255": {"workers": list(range(10, 10 + MANY)), "first_slot": 15, "slots": 1},
    }
    forgeries = {
        "kind": (GRADIENT, RESULT),
        "job": (0, 1, 2, 3, 255),
        "worker": (0, 1, 2, 31, 32, 255),
        "aggregator_index": (0, 1, 2, 3, 4, 15, 16, 32767),
    }

    def __init__(self, program, seed):
        super().__init__(program, seed)
        self.draw_exponent = random.Random(f"{program} {seed} exponents")
        # Next fragment of each slot. The first ones are at the point where a signed comparison
        # would fail.
        self.next_psn = {(job, slot): 2**31 - 4 for job in self.jobs for slot in range(self.jobs[job]["slots"])}

    def begin_task(self):
        """The next fragment of a slot that has none in flight."""
        job, slot = self.draw.choice([key for key in self.next_psn if key not in self.tasks])
        psn = self.next_psn[job, slot]
        self.next_psn[job, slot] += self.draw.choice([1, 1, 1, 2, 3])
        return (job, slot), [self.update(job, rank, slot, psn) for rank in self.workers_in_any_order(job)]

    def update(self, job, rank, slot, psn):
        host = self.jobs[job]["workers"][rank]
        flags = self.marks(golden_traces.VERSION if psn % 2 else 0)
        return {"kind": GRADIENT, "job": int(job), "worker": rank, "psn": psn, "aggregator_index": slot, "source": host,
                "destination": host, "flags": flags, "exponents": self.draw_exponent.choice([0, 1, 0x7FFF, 0x8000, 0xFFFF]),
                "values": self.values()}  # fmt: skip

    def every_worker_twice(self):
        return [self.update("255", rank, 0, 2**31) for rank in range(MANY) for _ in range(2)]

    def values(self):
        """Arbitrary values, because sums wrap around."""
        ends = [0, 1, -1, golden_traces.LOWEST, golden_traces.HIGHEST]
        numbers = [self.draw.choice([*ends, self.draw.randint(golden_traces.LOWEST, golden_traces.HIGHEST)]) for _ in range(64)]
        return lambda count: numbers[:count]

    def cells_of(self, packet):
        pool = self.jobs.get(str(packet["job"]), {"slots": 0})
        if packet["aggregator_index"] >= pool["slots"]:
            return {}
        return self.cells(pool["first_slot"] + packet["aggregator_index"])

    @staticmethod
    def cells(slot):
        rows = (2 * slot, 2 * slot + 1)
        return {"latest": [slot], "seen": [slot], "exponents": rows, "count": rows, "values": rows}

    def all_cells(self):
        """The cells of slots that belong to a job."""
        found = {}
        for job in self.jobs.values():
            for slot in range(job["first_slot"], job["first_slot"] + job["slots"]):
                for array, indices in self.cells(slot).items():
                    found.setdefault(array, []).extend(indices)
        return found

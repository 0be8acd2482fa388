# SPDX-License-Identifier: BSD-3-Clause
"""Random stories: workers and servers of a few jobs send what they may, in any order, again and late, and strangers send
what is almost that. The C++ data planes tell what happens.

What README.md of hw/p4 lists as different is left out here, and nothing else:
- a value of ATP and DSA goes to one limit of int32 only: see `values`;
- priorities of DSA have four significant bits, which is what its halving keeps: see `priority`;
- no aggregator of ATP was touched 100.0 to 100.2 ms before a result meets it: see `WAITS_US`;
- what a free aggregator still holds, which nobody reads: see `without_free`;
- ATP's time stamps, which are in other units: they are not in `ARRAYS`;
- IPv4's ECN field: hw/p4/ptf/story.py."""

import json
import os
import random
import subprocess

import stories

from hw.p4.control.cluster import SWITCHML_PROGRAMS
from hw.p4.ptf.story import story_of

AGGREGATORS = 16  # of the C++ programs that stories are told to
BEYOND = (16384, 1 << 20, 2**32 - 1)
VALUES_PER_PACKET = {name: values for values, name in SWITCHML_PROGRAMS.items()}
ARRAYS = {"atp": ("task", "bitmap", "counter", "ecn", "values"), "dsa": ("task", "priority", "bitmap", "marks", "values")}
GRADIENT, RESULT, REMINDER, REQUEST, NOTIFICATION, RELEASE = range(1, 7)
WITH_VALUES = (GRADIENT, RESULT, REMINDER)
STEP_US = 12  # at most: 1000 steps take less than what lacks to 100 ms beside a wait
WAITS_US = (60_000, 100_200)
MANY = 32
FORGED = {
    "job": (0, 1, 2, 3, 255),
    "worker": (0, 1, 2, 31, 32, 255),
    "flags": range(256),
    "bitmap0": (0, 1, 2, 3, 4, 7, 2**31, 2**32 - 1),
    "fan_in_degree0": range(5),
}


class Traffic:
    """Of one program. Tasks that are under way are lists of packets; each step sends one of them, or something else."""

    UNDER_WAY = 6

    def __init__(self, program, seed):
        self.system = "switchml" if program.startswith("switchml") else program
        self.values_per_packet = VALUES_PER_PACKET.get(program) or stories.VALUES_PER_PACKET[self.system]
        self.draw = random.Random(f"{program} {seed}")
        self.sent = []
        self.tasks = {}
        self.at_us = 0

    def step(self):
        """[instant, ingress, packet]"""
        is_long = self.draw.random() < 0.01
        self.at_us += self.draw.choice(WAITS_US) if is_long else self.draw.randint(1, STEP_US)
        chance = self.draw.random()
        if chance < 0.15 and self.sent:
            return self.at_us, *self.draw.choice(self.sent[-60:])
        packet = self.next_packet()
        ingress = packet["source"]
        if chance < 0.22:
            ingress, packet = self.forged(packet)
        else:
            self.sent.append((ingress, packet))
        return self.at_us, ingress, packet

    def next_packet(self):
        while len(self.tasks) < self.UNDER_WAY:
            key, packets = self.begin_task()
            if packets:
                self.tasks.setdefault(key, packets)
        key = self.draw.choice(list(self.tasks))
        packet = self.tasks[key].pop(0)
        if not self.tasks[key]:
            del self.tasks[key]
        return packet

    def workers_in_any_order(self, job):
        ranks = list(range(len(self.jobs[job]["workers"])))
        self.draw.shuffle(ranks)
        if self.draw.random() < 0.25:  # one is lost, or comes once more
            ranks.pop()
        if self.draw.random() < 0.25:
            ranks += self.draw.choices(range(len(self.jobs[job]["workers"])), k=1)
        return ranks

    def marks(self, flags=0):
        return flags | (stories.ECN if self.draw.random() < 0.1 else 0)

    def forged(self, packet):
        """Almost a member's: one field is another's, or the port is."""
        names = [name for name in self.forgeries if name in packet]
        if packet["kind"] != GRADIENT and self.system == "atp":
            names = [name for name in names if name != "bitmap0"]  # its program looks at that of gradients only
        name = self.draw.choice([*names, "port"])
        if name == "port":
            hosts = [host for job in self.jobs.values() for host in (*job["workers"], job.get("server", 54))]
            return self.addressed(packet, self.draw.choice(hosts))
        packet = packet | {name: self.draw.choice(self.forgeries[name])}
        packet.pop("values", None)  # the P4 programs take what is behind a header for padding
        values = {"values": self.values()} if packet["kind"] in WITH_VALUES else {}
        return self.addressed(packet | values, packet["source"])

    def addressed(self, packet, ingress):
        """With the addresses that such a frame has: the P4 programs do not look at them."""
        if self.system == "switchml":
            to = ingress
        elif packet["kind"] in (RESULT, REQUEST):
            to = stories.EVERY_WORKER
        else:
            to = self.jobs.get(str(packet["job"]), {}).get("server", 0)
        return ingress, packet | {"source": ingress, "destination": to}

    def story(self, name, steps):
        return self.answered(name, [self.step() for _ in range(steps)])

    def story_of_every_bit(self, name):
        """Each of 32 workers comes twice, so that each is found in a bitmap."""
        return self.answered(name, [(0, packet["source"], packet) for packet in self.every_worker_twice()])

    def answered(self, name, came):
        told = [self.told(number, *one) for number, one in enumerate(came)]
        content = {"system": self.system, "values_per_packet": self.values_per_packet, "jobs": self.jobs, "steps": told}
        return story_of(name, self.without_free(answered(content)))

    def told(self, number, at_us, ingress, packet):
        frame = stories.frame_of(self.system, packet, self.values_per_packet).hex()
        whole = number % 100 == 99
        cells = self.all_cells() if whole else self.cells_of(packet)
        registers = {array: {str(index): None for index in indices} for array, indices in cells.items()}
        return {"says": self.says(packet), "at_us": at_us, "ingress": ingress, "frame": frame, "registers": registers}

    @staticmethod
    def says(packet):
        return " ".join(f"{name} {value}" for name, value in packet.items() if not callable(value))

    def without_free(self, story):
        return story


class SwitchmlTraffic(Traffic):
    UNDER_WAY = 4
    jobs = {
        "0": {"workers": [1, 2, 3], "first_slot": 3, "slots": 2},
        "2": {"workers": [4, 5], "first_slot": 0, "slots": 3},
        "255": {"workers": list(range(10, 10 + MANY)), "first_slot": 15, "slots": 1},
    }
    forgeries = {"kind": (GRADIENT, RESULT), "aggregator_index": (0, 1, 2, 3, 4, 15, 16, 32767)} | {
        name: FORGED[name] for name in ("job", "worker")
    }

    def __init__(self, program, seed):
        super().__init__(program, seed)
        # A slot's next fragment; the first ones are where a comparison with a sign would go wrong.
        self.next_psn = {(job, slot): 2**31 - 4 for job in self.jobs for slot in range(self.jobs[job]["slots"])}

    def begin_task(self):
        """The next fragment of a slot, of the slots that none is under way in."""
        job, slot = self.draw.choice([key for key in self.next_psn if key not in self.tasks])
        psn = self.next_psn[job, slot]
        self.next_psn[job, slot] += self.draw.choice([1, 1, 1, 2, 3])
        return (job, slot), [self.update(job, rank, slot, psn) for rank in self.workers_in_any_order(job)]

    def update(self, job, rank, slot, psn):
        host = self.jobs[job]["workers"][rank]
        flags = self.marks(stories.VERSION if psn % 2 else 0)
        return {"kind": GRADIENT, "job": int(job), "worker": rank, "psn": psn, "aggregator_index": slot, "source": host,
                "destination": host, "flags": flags, "values": self.values()}  # fmt: skip

    def every_worker_twice(self):
        return [self.update("255", rank, 0, 2**31) for rank in range(MANY) for _ in range(2)]

    def values(self):
        """Any: sums wrap."""
        numbers = [self.draw.choice([0, 1, -1, 2**31 - 1, -(2**31), self.draw.randint(-(2**31), 2**31 - 1)]) for _ in range(64)]
        return lambda count: numbers[:count]

    def cells_of(self, packet):
        pool = self.jobs.get(str(packet["job"]), {"slots": 0})
        if packet["aggregator_index"] >= pool["slots"]:
            return {}
        return self.cells(pool["first_slot"] + packet["aggregator_index"])

    @staticmethod
    def cells(slot):
        rows = (2 * slot, 2 * slot + 1)
        return {"latest": [slot], "seen": [slot], "count": rows, "values": rows}

    def all_cells(self):
        """Of slots that are some job's."""
        found = {}
        for job in self.jobs.values():
            for slot in range(job["first_slot"], job["first_slot"] + job["slots"]):
                for array, indices in self.cells(slot).items():
                    found.setdefault(array, []).extend(indices)
        return found


class AggregatorTraffic(Traffic):
    """Of ATP and DSA: tasks meet in a few aggregators."""

    jobs = {
        "0": {"workers": [1, 2, 3], "server": 50},
        "1": {"workers": [8], "server": 51},
        "2": {"workers": [4, 5], "server": 52},
        "255": {"workers": list(range(10, 10 + MANY)), "server": 53},
    }
    forgeries = FORGED | {"aggregator_index": BEYOND, "kind": range(1, 7)}
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
            flags = stories.RESEND if self.draw.random() < self.resends else 0
            packets.append(self.gradient(job, rank, psn, index, flags))
        packets += [self.of_server(job, RESULT, psn, index)] if self.draw.random() < self.results else []
        for _ in range(self.draw.choice([0, 0, 1, 2])):
            packets.insert(self.draw.randrange(len(packets) + 1), self.other(job, psn, index))
        return (job, psn, index), packets

    def packet(self, job, kind, psn, index, source, destination, **fields):
        values = {"values": self.values()} if kind in WITH_VALUES else {}
        return {"kind": kind, "flags": 0, "job": int(job), "psn": psn, "aggregator_index": index, "bitmap0": 0,
                "fan_in_degree0": len(self.jobs[job]["workers"]), "worker": 0, "source": source,
                "destination": destination} | fields | values  # fmt: skip

    def gradient(self, job, rank, psn, index, flags):
        return self.of_worker(job, GRADIENT, rank, psn, index, flags=self.marks(flags))

    def of_worker(self, job, kind, rank, psn, index, **fields):
        members = self.jobs[job]
        return self.packet(job, kind, psn, index, members["workers"][rank], members["server"], worker=rank,
                           bitmap0=1 << rank, **fields)  # fmt: skip

    def of_server(self, job, kind, psn, index):
        server, workers = self.jobs[job]["server"], self.jobs[job]["workers"]
        to = server if kind == REMINDER else self.draw.choice([stories.EVERY_WORKER, stories.EVERY_WORKER, workers[-1]])
        return self.packet(job, kind, psn, index, server, to, flags=self.marks())

    def other(self, job, psn, index):
        kind = self.draw.choice([RESULT, REMINDER, REQUEST, NOTIFICATION, RELEASE, GRADIENT])
        rank = self.draw.randrange(len(self.jobs[job]["workers"]))
        if kind == GRADIENT:
            return self.gradient(job, rank, psn, index, self.past_aggregators)
        if kind in (NOTIFICATION, RELEASE):
            return self.of_worker(job, kind, rank, psn, index)
        return self.of_server(job, kind, psn, index)

    def values(self):
        """Even values go to the highest limit and above it, odd ones to the lowest and below: at both limits at once,
        a sum is another one in P4."""
        far = [self.draw.choice([2**31 - 1, 2**31 - 2, 2**30, 7, 1, 0, -3]) for _ in range(62)]
        return lambda count: [-number - (number == 2**31 - 1) if i % 2 else number for i, number in enumerate(far[:count])]

    def every_worker_twice(self):
        """In one task; and, in one each, a contribution and its resend. The sums stay far from all limits."""
        index, values = self.indices[0], {"values": stories.line(1)}
        for flags in (0, stories.RESEND):
            for rank in range(MANY):
                psn = rank if flags else MANY
                yield self.gradient("255", rank, psn, index, 0) | values
                yield self.gradient("255", rank, psn, index, flags) | values
            yield self.of_server("255", RESULT, MANY, index)

    def cells_of(self, packet):
        index = packet["aggregator_index"]
        return {array: [index] for array in ARRAYS[self.system]} if index < AGGREGATORS else {}

    def all_cells(self):
        return {array: self.indices for array in ARRAYS[self.system]}

    def without_free(self, story):
        for step in story["steps"]:
            free = [index for index, task in step["registers"].get("task", {}).items() if task == "free"]
            for array, cells in step["registers"].items():
                for index in free if array != "task" else []:
                    del cells[index]
        return story


class AtpTraffic(AggregatorTraffic):
    resends, results = 0.15, 0.8
    past_aggregators = stories.RESEND | stories.FLOATS | stories.ANSWER


class DsaTraffic(AggregatorTraffic):
    resends, results = 0.2, 0.3
    past_aggregators = stories.RESEND | stories.ANSWER

    def of_worker(self, job, kind, rank, psn, index, **fields):
        return super().of_worker(job, kind, rank, psn, index, priority=self.priority(), **fields)

    def priority(self):
        """Four significant bits: of others, the P4 program halves no more than these."""
        return self.draw.randrange(16) << self.draw.choice([0, 0, 0, 4, 12])


CLASSES = {"switchml": SwitchmlTraffic, "switchml64": SwitchmlTraffic, "atp": AtpTraffic, "dsa": DsaTraffic}


def random_story(program, seed, steps):
    return CLASSES[program](program, seed).story(f"{program}, seed {seed}", steps)


def story_of_every_bit(program):
    return CLASSES[program](program, 0).story_of_every_bit(f"{program}, each worker twice")


def answered(story):
    """A story that leaves open what happens, as the C++ data plane tells it."""
    done = subprocess.run([os.environ["PRINT_STORY"]], input=json.dumps(story), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)

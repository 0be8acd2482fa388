# SPDX-License-Identifier: BSD-3-Clause
"""The random packets that all systems share."""

import json
import os
import random
import subprocess

import golden_traces

from hw.p4.control.aggregators import FRAGMENT_REQUEST, GRADIENT, REMINDER, RESULT
from hw.p4.control.switchml import PROGRAMS
from hw.p4.ptf.golden_trace import golden_trace_of

VALUES_PER_PACKET = {name: values for values, name in PROGRAMS.items()}
WITH_VALUES = (GRADIENT, RESULT, REMINDER)
EXPIRY_US = 100_000  # expiry of ATP's aggregators
STEP_US = 12  # maximum time between two packets
WAITS_US = (60_000, 100_200)
MANY = 32


class Traffic:
    """Random traffic for one program.

    Each task in progress is a list of packets. A step sends one of these or another packet.
    """

    UNDER_WAY = 6
    BETWEEN_PASSES = 6  # a next pass is that of one of the last six packets
    switch = None  # the tested one of several switches, in the form of golden traces

    def __init__(self, program, seed):
        self.system = "switchml" if program.startswith("switchml") else program
        self.values_per_packet = VALUES_PER_PACKET.get(program) or golden_traces.VALUES_PER_PACKET[self.system]
        self.draw = random.Random(f"{program} {seed}")
        self.sent = []
        self.tasks = {}
        self.at_us = 0
        self.hosts_here = [host for job in self.jobs.values() for host in (*job["workers"], job.get("server", 54))]

    def step(self):
        """The next [instant, ingress, packet]."""
        is_long = self.draw.random() < 0.01
        self.at_us += self.draw.choice(WAITS_US) if is_long else self.draw.randint(1, STEP_US)
        chance = self.draw.random()
        if chance < 0.15 and self.sent:
            return self.at_us, *self.draw.choice(self.sent[-60:])
        packet = self.next_packet()
        ingress = self.port(packet)
        if chance < 0.22 and self.can_forge(packet):
            ingress, packet = self.forged(packet)
        else:
            self.sent.append((ingress, packet))
        return self.at_us, ingress, packet

    def port(self, packet):
        """The ingress port of a packet."""
        return packet["source"]

    def can_forge(self, _packet):
        return True

    def contributors(self, job):
        """The ranks of the contributors that the switch aggregates."""
        return list(range(len(self.jobs[job]["workers"])))

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
        ranks = self.contributors(job)
        every = list(ranks)
        self.draw.shuffle(ranks)
        if self.draw.random() < 0.25:  # one packet is lost, or duplicated
            ranks.pop()
        if self.draw.random() < 0.25:
            ranks += self.draw.choices(every, k=1)
        return ranks

    def marks(self, flags=0):
        return flags | (golden_traces.ECN if self.draw.random() < 0.1 else 0)

    def forged(self, packet):
        """A packet that differs from a member's in one field or in its port."""
        names = [name for name in self.forgeries if name in packet]
        if packet["kind"] != GRADIENT and self.system == "atp":
            names = [name for name in names if name != "bitmap0"]  # only read in gradients
        if packet.get("flags", 0) & golden_traces.SECOND_LEVEL:
            names = [name for name in names if name != "branch"]  # the C++ does not read it here
        name = self.draw.choice([*names, "port"])
        if name == "port":
            return self.addressed(packet, self.draw.choice(self.hosts_here))
        packet = packet | {name: self.draw.choice(self.forgeries[name])}
        packet.pop("values", None)  # the P4 programs take bytes after a header for padding
        values = {"values": self.values()} if packet["kind"] in WITH_VALUES else {}
        return self.addressed(packet | values, packet["source"])

    def addressed(self, packet, ingress):
        """The packet with addresses that match its content. The P4 programs do not read them."""
        if self.system == "switchml":
            to = ingress
        elif packet["kind"] in (RESULT, FRAGMENT_REQUEST):
            to = golden_traces.ALL_WORKERS
        else:
            to = self.jobs.get(str(packet["job"]), {}).get("server", 0)
        return ingress, packet | {"source": ingress, "destination": to}

    def golden_trace(self, name, steps):
        assert min(WAITS_US) + steps * STEP_US < EXPIRY_US < max(WAITS_US)
        return self.answered(name, [self.step() for _ in range(steps)])

    def golden_trace_of_every_bit(self, name):
        """A golden trace in which each of 32 workers sends twice, so that each bit of a bitmap is
        tested."""
        return self.answered(name, [(0, packet["source"], packet) for packet in self.every_worker_twice()])

    def golden_trace_pass_by_pass(self, name, steps):
        """A golden trace in which other packets come between the passes of a packet. Some packets
        never take their next pass, as if they were lost."""
        filled, recent = [], []
        for number in range(steps):
            if recent and self.draw.random() < 0.55:
                filled.append(self.further_pass(number, filled, self.draw.choice(recent[-self.BETWEEN_PASSES :])))
            else:
                filled.append(self.step_of(number, *self.step()))
                recent.append(number)
        return self.of_steps(name, filled, separate=True)

    @staticmethod
    def further_pass(number, steps, pass_of):
        packet = steps[pass_of]
        kept = {key: packet[key] for key in ("ingress", "registers")}
        return {"says": f"next pass of step {pass_of}", "at_us": steps[number - 1]["at_us"], "pass_of": pass_of} | kept

    def answered(self, name, came):
        return self.of_steps(name, [self.step_of(number, *one) for number, one in enumerate(came)])

    def of_steps(self, name, steps, **more):
        content = {"system": self.system, "values_per_packet": self.values_per_packet, "jobs": self.jobs, "steps": steps} | more
        content |= {"switch": self.switch} if self.switch else {}
        return golden_trace_of(name, self.without_free(answered(content)))

    def step_of(self, number, at_us, ingress, packet):
        frame = golden_traces.frame_of(self.system, packet, self.values_per_packet).hex()
        whole = number % 100 == 99
        cells = self.all_cells() if whole else self.cells_of(packet)
        registers = {array: {str(index): None for index in indices} for array, indices in cells.items()}
        return {"says": self.says(packet), "at_us": at_us, "ingress": ingress, "frame": frame, "registers": registers}

    @staticmethod
    def says(packet):
        return " ".join(f"{name} {value}" for name, value in packet.items() if not callable(value))

    def without_free(self, golden_trace):
        return golden_trace


def answered(golden_trace):
    """Fills in the outcomes of a golden trace with those of the C++ data plane."""
    done = subprocess.run([os.environ["PRINT_GOLDEN_TRACE"]], input=json.dumps(golden_trace), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)

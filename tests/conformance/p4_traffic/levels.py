# SPDX-License-Identifier: BSD-3-Clause
"""Traffic that arrives at a leaf and at the root of jobs' trees, from hosts and by ports to other
switches. Frames from other switches are never forged, because the switch trusts what another switch
admitted."""

import golden_traces
from p4_traffic.aggregators import AtpTraffic, DsaTraffic
from p4_traffic.switchml import SwitchmlTraffic
from p4_traffic.traffic import MANY

from hw.p4.control.aggregators import (
    ANSWER, COLLISION, FLOATS, FRAGMENT_REQUEST, GRADIENT, NOTIFICATION, PARTIAL, RELEASE, REMINDER, RESEND, RESULT,
    SECOND_LEVEL,
)  # fmt: skip
from hw.p4.ptf.golden_trace import AtOneOfSeveral

LEAF, ROOT = 0, 1  # racks; other racks are also connected to the root
SWITCHES = {
    "leaf": {"rack": LEAF, "root": ROOT, "ports": {"200": [ROOT, 2]}},
    "root": {"rack": ROOT, "root": ROOT, "ports": {"200": [LEAF], "201": [2]}},
}
JOBS = {
    "0": {"workers": [1, 2, 3, 4, 5], "racks": [LEAF, LEAF, ROOT, 2, 2], "server": 50},
    "1": {"workers": [6, 7], "racks": [LEAF, ROOT], "server": 51},
    "255": {"workers": list(range(10, 11 + MANY)), "racks": [LEAF] * MANY + [ROOT], "server": 53},
}
POOLS = {"0": (3, 2), "1": (0, 3), "255": (15, 1)}


class AtLevel:
    """Mixin for the traffic of a system."""

    def at(self, level):
        """Selects the level. Call it before the first packet."""
        self.is_leaf, self.switch = level == "leaf", SWITCHES[level]
        self.rack = self.switch["rack"]
        tree = AtOneOfSeveral(self.switch)
        self.paths = {job: tree.paths(members["racks"]) for job, members in self.jobs.items()}
        self.rack_of = {host: rack for job in self.jobs.values() for host, rack in zip(job["workers"], job["racks"])}
        self.rack_of |= {job["server"]: ROOT for job in self.jobs.values() if "server" in job}
        self.hosts_here = [host for host, rack in self.rack_of.items() if rack == self.rack]
        self.trunks = {rack: int(port) for port, racks in self.switch["ports"].items() for rack in racks}
        return self

    def port(self, packet):
        return self.trunks.get(self.rack_of[packet["source"]], packet["source"])

    def ranks_here(self, job):
        return [rank for rank, at in enumerate(self.jobs[job]["racks"]) if at == self.rack]

    def contributors(self, job):
        """One rank for each contributor that the switch aggregates."""
        if self.is_leaf:
            return self.ranks_here(job)
        of_branch = {}
        for rank, path in enumerate(self.paths[job]):
            of_branch.setdefault(path.bitmap1, []).append(rank)
        return [self.draw.choice(ranks) for ranks in of_branch.values()]

    def can_forge(self, packet):
        return self.rack_of.get(packet["source"]) == self.rack


class AggregatorsAtLevel(AtLevel):
    jobs = JOBS

    def own_bits(self, job, kind, rank):
        """Fields that a worker writes or, at the root, that its leaf changed for a gradient."""
        path = self.paths[job][rank]
        of_branch = kind == GRADIENT and (path.is_branch or not self.is_leaf)
        flags = SECOND_LEVEL if of_branch else 0
        degrees = {"fan_in_degree0": path.fan_in_degree0, "fan_in_degree1": path.fan_in_degree1}
        if self.system == "atp":
            return flags, degrees | {"bitmap0": path.bitmap0, "bitmap1": path.bitmap1}
        if of_branch:
            return flags, degrees | {"bitmap0": path.bitmap1}
        return flags, degrees | {"bitmap0": path.bitmap0, "branch": path.bitmap1.bit_length()}

    def of_worker(self, job, kind, rank, psn, index, **fields):
        level, bits = self.own_bits(job, kind, rank)
        flags = fields.pop("flags", 0) | level
        priority = {"priority": self.priority()} if self.system == "dsa" else {}
        members = self.jobs[job]
        return self.packet(job, kind, psn, index, members["workers"][rank], members["server"], worker=rank, flags=flags,
                           **bits, **priority, **fields)  # fmt: skip

    def of_server(self, job, kind, psn, index):
        workers, racks = self.jobs[job]["workers"], self.jobs[job]["racks"]
        below = [host for host, rack in zip(workers, racks) if not self.is_leaf or rack == LEAF]
        server = self.jobs[job]["server"]
        if kind == REMINDER:
            to = below[0] if self.is_leaf else self.draw.choice([server, server, *self.first_of_leaves(job)])
        else:
            to = self.draw.choice([golden_traces.ALL_WORKERS, golden_traces.ALL_WORKERS, below[-1]])
        return self.packet(job, kind, psn, index, server, to, flags=self.marks())

    def first_of_leaves(self, job):
        members = zip(self.jobs[job]["workers"], self.paths[job])
        return [host for host, path in members if path.bitmap0 == 1]

    def other(self, job, psn, index):
        kind = self.draw.choice([RESULT, REMINDER, FRAGMENT_REQUEST, NOTIFICATION, RELEASE, GRADIENT, "of switches"])
        rank = self.draw.choice(self.contributors(job))
        if kind == "of switches":
            return self.of_root(job, psn, index) if self.is_leaf else self.of_part(job, psn, index)
        if kind == GRADIENT:
            return self.gradient(job, rank, psn, index, self.past_aggregators)
        if kind in (NOTIFICATION, RELEASE):
            return self.of_worker(job, kind, rank, psn, index)
        return self.of_server(job, kind, psn, index)

    def of_part(self, job, psn, index):
        """A gradient of a branch that its leaf forwarded unchanged."""
        ranks = [rank for rank, rack in enumerate(self.jobs[job]["racks"]) if rack != ROOT]
        rank = self.draw.choice(ranks)
        level, bits = self.own_bits(job, NOTIFICATION, rank)
        if self.system == "atp":
            flags = self.draw.choice([RESEND | FLOATS, RESEND | SECOND_LEVEL, RESEND | SECOND_LEVEL | PARTIAL])
        elif self.draw.random() < 0.2:
            return self.packet(job, REMINDER, psn, index, self.first_of_leaves(job)[0], self.jobs[job]["server"])
        else:
            flags = self.draw.choice([RESEND, COLLISION, PARTIAL, ANSWER, ANSWER | RESEND, PARTIAL | RESEND])
        members = self.jobs[job]
        return self.packet(job, GRADIENT, psn, index, members["workers"][rank], members["server"], worker=rank,
                           flags=self.marks(level | flags), **bits)  # fmt: skip

    def of_root(self, job, psn, index):
        """The root's answer, in the packet of any worker. With ATP only the server answers."""
        if self.system == "atp":
            return self.of_server(job, RESULT, psn, index)
        rank = self.draw.randrange(len(self.jobs[job]["workers"]))
        if self.jobs[job]["racks"][rank] == LEAF:
            return self.of_server(job, RESULT, psn, index)
        return self.packet(job, RESULT, psn, index, self.jobs[job]["workers"][rank], golden_traces.ALL_WORKERS, worker=rank)


class AtpAtLevel(AggregatorsAtLevel, AtpTraffic):
    def at(self, level):
        """The root's program does not read bitmap0."""
        if level == "root":
            self.forgeries = {name: values for name, values in self.forgeries.items() if name != "bitmap0"}
        return super().at(level)


class DsaAtLevel(AggregatorsAtLevel, DsaTraffic):
    pass


class SwitchmlAtLevel(AtLevel, SwitchmlTraffic):
    """A leaf's task ends with the root's result, without which no worker continues. Therefore only
    frames that the switch rejects are forged, and no packet is lost for good."""

    forgeries = {"job": (2, 3), "worker": (32, 255), "aggregator_index": (4, 15, 16, 32767)}

    jobs = {
        number: {"workers": job["workers"], "racks": job["racks"], "first_slot": POOLS[number][0], "slots": POOLS[number][1]}
        for number, job in JOBS.items()
    }

    def begin_task(self):
        (job, slot), updates = super().begin_task()
        if self.is_leaf:
            psn = updates[0]["psn"]
            self.next_psn[job, slot] = psn + 1
            updates.append(self.result(job, slot, psn))
        return (job, slot), updates

    def forged(self, packet):
        if self.is_leaf:  # the task still needs the original packet
            self.tasks[str(packet["job"]), packet["aggregator_index"]].insert(0, packet)
        return super().forged(packet)

    def workers_in_any_order(self, job):
        """At a leaf no worker's packet is lost for good, because the task would never end."""
        ranks = super().workers_in_any_order(job)
        missing = set(self.contributors(job)) - set(ranks) if self.is_leaf else ()
        return [*ranks, *missing]

    def update(self, job, rank, slot, psn):
        path = self.paths[job][rank]
        bit = path.bitmap0 if self.is_leaf else path.bitmap1
        return super().update(job, rank, slot, psn) | {"worker": bit.bit_length() - 1}

    def result(self, job, slot, psn):
        ranks = [rank for rank, rack in enumerate(self.jobs[job]["racks"]) if rack != LEAF]
        rank = self.draw.choice(ranks)
        branch = self.paths[job][rank].bitmap1.bit_length() - 1
        update = super().update(job, rank, slot, psn)
        return update | {"kind": RESULT, "worker": branch, "destination": golden_traces.ALL_WORKERS}


CLASSES = {"switchml": SwitchmlAtLevel, "switchml64": SwitchmlAtLevel, "atp": AtpAtLevel, "dsa": DsaAtLevel}

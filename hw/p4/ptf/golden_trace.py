# SPDX-License-Identifier: BSD-3-Clause
"""The golden traces of tests/vectors, as frames for a switch with the P4 programs."""

import json
from dataclasses import dataclass
from pathlib import Path

from hw.p4.control.cabling import Plug
from hw.p4.control.job import Cluster, Host, Job, Leaf, Path as AggregationPath, Worker, one_level
from hw.p4.control.systems import system_of

FOLDER = Path(__file__).resolve().parents[3] / "tests" / "vectors" / "golden_traces"
OF_PASSES = FOLDER / "of_passes"
NOT_PLAYED = {
    "atp-expiry": "a check that no other packet leaves takes longer than the 50 ms between packets",
}


@dataclass(frozen=True)
class GoldenTrace:
    name: str
    system: str
    values_per_packet: int
    jobs: dict
    steps: list
    switch: dict | None  # the switch, if there are several; None: there is one
    separate: bool = False  # whether each step is one pass of a packet

    @property
    def program(self):
        """The program's folder in hw/p4."""
        settings = {"values_per_packet": self.values_per_packet}
        return system_of(self.system).program_of(settings)

    def cluster(self, plug_of):
        return cluster_of(self.program, self.jobs, plug_of, self.switch)

    def job(self, number):
        """The job at the switch, with dummy plugs."""
        jobs = {number: self.jobs[number]}
        plug = Plug(0, "100Gbps", "none")
        return cluster_of(self.program, jobs, lambda _: plug, self.switch).jobs[0]


def cluster_of(program, jobs, plug_of, switch=None):
    """`jobs` and `switch`: in the form of golden traces; `plug_of(port)`: the plug of a port, by
    its name there."""
    make = at_only_switch if switch is None else AtOneOfSeveral(switch)
    made = (make(int(number), job, plug_of) for number, job in jobs.items())
    return Cluster(program, tuple(made))


def pool_of(job):
    return {"first_slot": job.get("first_slot", 0), "slots": job.get("slots", 0)}


def servers_of(job):
    """The servers of a job, given as one, a list, or none."""
    servers = job.get("server", [])
    return servers if isinstance(servers, list) else [servers]


def at_only_switch(number, job, plug_of):
    hosts = [Host(host, plug_of(host)) for host in job["workers"]]
    workers = map(Worker, range(len(hosts)), hosts, one_level(len(hosts)))
    servers = tuple(Host(server, plug_of(server)) for server in servers_of(job))
    return Job(number, tuple(workers), servers, **pool_of(job))


class AtOneOfSeveral:
    """`ports`: those to other switches, with the racks behind each. Servers are at the root."""

    def __init__(self, switch):
        self.rack, self.root = switch["rack"], switch["root"]
        self.ports = {rack: int(port) for port, racks in switch["ports"].items() for rack in racks}

    def __call__(self, number, job, plug_of):
        def host(which, rack):
            return Host(which, plug_of(self.ports.get(rack, which)))

        paths = self.paths(job["racks"])
        places = list(zip(range(len(paths)), map(host, job["workers"], job["racks"]), paths))
        here = [rank for rank, rack in enumerate(job["racks"]) if rack == self.rack]
        is_root = self.rack == self.root
        return Job(
            number,
            tuple(Worker(*places[rank]) for rank in here),
            tuple(host(server, self.root) for server in servers_of(job)),
            **pool_of(job),
            branches=paths[0].fan_in_degree1,
            leaves=self.leaves(job["racks"], places) if is_root else (),
            up=None if is_root else plug_of(self.ports[self.root]),
            beyond=tuple(one for rank, one, _ in places if rank not in here),
        )

    def paths(self, racks):
        """Paths of the workers, by rank. At the root each of its workers is a branch, and so is
        every other rack."""
        branch_of, paths, count = {}, [], 0
        places = dict.fromkeys(racks, 0)
        for rack in racks:
            is_new = rack == self.root or rack not in branch_of
            branch = branch_of[rack] = count if is_new else branch_of[rack]
            count += is_new
            is_branch = rack == self.root
            place = 0 if is_branch else 1 << places[rack]
            paths.append((1 if is_branch else racks.count(rack), place, 1 << branch))
            places[rack] += 1
        return [AggregationPath(below, count, place, branch) for below, place, branch in paths]

    def leaves(self, racks, places):
        leaves = {}
        for rank, host, path in places:
            if racks[rank] != self.root:
                branch = path.bitmap1.bit_length() - 1
                leaves.setdefault(branch, Leaf(branch, host.plug, path.fan_in_degree0, host.number))
        return tuple(leaves.values())


def golden_traces(folder=FOLDER):
    files = sorted(folder.glob("*.json"))
    return [golden_trace_of(file.stem, json.loads(file.read_text(encoding="utf-8"))) for file in files]


def golden_trace_of(name, content):
    system, values = content["system"], content["values_per_packet"]
    switch, separate = content.get("switch"), content.get("separate", False)
    return GoldenTrace(name, system, values, content["jobs"], content["steps"], switch, separate)


def receivers(step):
    return step["out"]["hosts"] if step["out"] else []


def frame_in(step):
    return bytes.fromhex(step["frame"])


def frame_out(step):
    return bytes.fromhex(step["out"]["frame"])

# SPDX-License-Identifier: BSD-3-Clause
"""Jobs, and the ports of their hosts: what a planned run asks of the switch."""

import re
from dataclasses import dataclass
from decimal import Decimal

from hw.p4.control import program_text
from hw.p4.control.cabling import Plug
from hw.testbed.plan import TestbedError, members

# What the programs have as constants of their own.
SWITCHML_PROGRAMS = {32: "switchml", 64: "switchml64"}  # by values of a packet
ECN_THRESHOLD_CELLS = 750
BYTES_OF_CELL = 80
POLICY = "priority"
JOIN_PRIORITY = "keep"
PS_OF_MS = 10**9
PS_OF_UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
PS_OF_TIME_UNIT = 2**16 * 1000  # of ATP's program
ATP_EXPIRY_UNITS = program_text.number("atp/ownership.p4", "AGGREGATOR_EXPIRY")


@dataclass(frozen=True, order=True)
class Host:
    number: int
    plug: Plug

    @property
    def port(self):
        return self.plug.dev_port


@dataclass(frozen=True)
class Job:
    number: int
    workers: tuple  # of hosts, by rank
    server: Host | None  # None: of a system without servers
    first_slot: int
    slots: int

    @property
    def hosts(self):
        return (*self.workers, self.server) if self.server else self.workers


@dataclass(frozen=True)
class Cluster:
    program: str  # the folder of hw/p4, the name under which a switch runs it
    jobs: tuple


def read_cluster(planned, plugs):
    """The cluster of a run as `ina-sim plan` prints it, whose hosts have these plugs. Raises
    TestbedError if the programs or the cabling cannot serve it."""
    program = program_of(planned)
    if (racks := planned["racks"]["count"]) > 1:
        refuse("/topology/racks", racks, "1: one switch is loaded")
    hosts = {}
    for name, number, _ in members(planned):
        if name not in plugs:
            raise TestbedError(f"{name}: not in the cabling; allowed: a port for every host")
        hosts[number] = Host(number, plugs[name])
    check_constants(planned, program)
    slots = slots_of(planned)
    jobs = []
    for number, job in enumerate(planned["jobs"]):
        workers = tuple(hosts[worker] for worker in job["workers"])
        server = hosts[job["server"]] if "server" in job else None
        jobs.append(Job(number, workers, server, number * slots, slots))
        check_job(planned["system"], jobs[-1])
    return Cluster(program, tuple(jobs))


def program_of(planned):
    system = planned["system"]
    if system in ("atp", "dsa"):
        return system
    if system != "switchml":
        refuse("/system", system, "switchml, atp, dsa, for which there are programs")
    values = planned["settings"]["values_per_packet"]
    if values not in SWITCHML_PROGRAMS:
        allowed = " and ".join(map(str, SWITCHML_PROGRAMS))
        refuse("/switchml/values_per_packet", values, f"{allowed}, for which there are programs")
    return SWITCHML_PROGRAMS[values]


def slots_of(planned):
    """Of each job; 0: all jobs share the aggregators."""
    return planned["settings"]["slots"] if planned["system"] == "switchml" else 0


def picoseconds(time):
    digits, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", time).groups()
    return int(Decimal(digits) * PS_OF_UNITS[unit])


def check_constants(planned, program):
    """That the scenario wants what the P4 program does."""
    system, settings = planned["system"], planned["settings"]
    environment = planned["environment"]
    check_memory(planned, program)
    marked = f"{ECN_THRESHOLD_CELLS * BYTES_OF_CELL // 1000}kB"
    only("/switch/ecn_threshold_bytes", environment["ecn_threshold_bytes"], marked)
    if system == "switchml":
        only("/switchml/congestion_control", settings["congestion_control"], False)
    if system == "atp":
        expiry = picoseconds(settings["aggregator_expiry"])
        own = ATP_EXPIRY_UNITS * PS_OF_TIME_UNIT
        if abs(expiry - own) > PS_OF_TIME_UNIT:
            refuse("/atp/aggregator_expiry", f"{expiry / PS_OF_MS:g} ms", f"{own / PS_OF_MS:.0f} ms")
    if system == "dsa":
        only("/dsa/policy", settings["policy"], POLICY)
        only("/dsa/join_priority", settings["join_priority"], JOIN_PRIORITY)
    if planned["node_faults"]:
        refuse("/faults/nodes", f"{len(planned['node_faults'])} faults", "none")
    if planned["faults"]:
        refuse("/faults/links", f"{len(planned['faults'])} faults", "none: a chip makes none")


def check_memory(planned, program):
    if slots := slots_of(planned):
        found, cells, what = slots * len(planned["jobs"]), program_text.slots(program), "slots"
    else:
        found = planned["environment"]["aggregators"]
        cells, what = program_text.AGGREGATORS, "aggregators"
    if found > cells:
        refuse("/switch/memory_bytes", f"{found} {what}", f"up to {cells}")


def check_job(system, job):
    place = f"/jobs/{job.number}"
    if system == "switchml" and len(job.workers) < 2:
        refuse(f"{place}/workers", len(job.workers), "2 or more with SwitchML's program")
    pipes = sorted({host.plug.pipe for host in job.hosts})
    if len(pipes) > 1:
        found = f"hosts at pipes {' and '.join(map(str, pipes))}"
        refuse(place, found, "one pipe: registers are a pipe's own")


def only(place, found, allowed):
    if found != allowed:
        refuse(place, found, f"{allowed}: the P4 program has nothing else")


def refuse(place, found, allowed):
    raise TestbedError(f"{place}: {found}; allowed: {allowed}")

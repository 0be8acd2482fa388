# SPDX-License-Identifier: BSD-3-Clause
"""Jobs, and the ports of their hosts: what a planned run asks of the switch."""

from dataclasses import dataclass

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
    server: Host | None  # None: SwitchML
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
    protocol = planned["protocol"]
    jobs = []
    for number, job in enumerate(planned["jobs"]):
        workers = tuple(hosts[worker] for worker in job["workers"])
        server = None if protocol == "switchml" else hosts[job["server"]]
        jobs.append(Job(number, workers, server, job["first_slot"], job["slots"]))
        check_job(protocol, jobs[-1])
    return Cluster(program, tuple(jobs))


def program_of(planned):
    if planned["protocol"] != "switchml":
        return planned["protocol"]
    values = planned["values_per_packet"]
    if values not in SWITCHML_PROGRAMS:
        allowed = " and ".join(map(str, SWITCHML_PROGRAMS))
        refuse("/switchml/values_per_packet", values, f"{allowed}, for which there are programs")
    return SWITCHML_PROGRAMS[values]


def check_constants(planned, program):
    """That the scenario wants what the P4 program does."""
    protocol, switch = planned["protocol"], planned["switch"]
    is_switchml = protocol == "switchml"
    cells = program_text.slots(program) if is_switchml else program_text.AGGREGATORS
    if switch["aggregators"] > cells:
        found = f"{switch['aggregators']} {'slots' if is_switchml else 'aggregators'}"
        refuse("/switch/memory_bytes", found, f"up to {cells}")
    marked = ECN_THRESHOLD_CELLS * BYTES_OF_CELL
    only("/switch/ecn_threshold_bytes", switch["ecn_threshold_bytes"], marked)
    if is_switchml:
        only("/switchml/congestion_control", planned["workers"]["congestion_control"], False)
    if protocol == "atp":
        expiry, own = switch["aggregator_expiry_ps"], ATP_EXPIRY_UNITS * PS_OF_TIME_UNIT
        if abs(expiry - own) > PS_OF_TIME_UNIT:
            refuse("/atp/aggregator_expiry", f"{expiry / PS_OF_MS:g} ms", f"{own / PS_OF_MS:.0f} ms")
    if protocol == "dsa":
        only("/dsa/policy", switch["policy"]["name"], POLICY)
        only("/dsa/join_priority", switch["join_priority"], JOIN_PRIORITY)
    if planned["node_faults"]:
        refuse("/faults/nodes", f"{len(planned['node_faults'])} faults", "none")
    if planned["faults"]:
        refuse("/faults/links", f"{len(planned['faults'])} faults", "none: a chip makes none")


def check_job(protocol, job):
    place = f"/jobs/{job.number}"
    if protocol == "switchml" and len(job.workers) < 2:
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

# SPDX-License-Identifier: BSD-3-Clause
"""Jobs, and the ports of their hosts: what a planned run asks of the switch."""

from dataclasses import dataclass

from hw.p4.control.cabling import Plug
from hw.p4.control.system import only, refuse
from hw.p4.control.systems import system_of
from hw.plans.errors import CommandError
from hw.plans.inputs import members

# What the programs have as constants of their own.
ECN_THRESHOLD_CELLS = 750
BYTES_OF_CELL = 80


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
    CommandError if the programs or the cabling cannot serve it."""
    system, settings = system_of(planned["system"]), planned["settings"]
    program = system.program_of(settings)
    if (switches := len(planned["topology"]["switches"])) > 1:
        refuse("/topology", f"{switches} switches", "1: one switch is loaded")
    hosts = {}
    for name, number, _ in members(planned):
        if name not in plugs:
            raise CommandError(f"{name}: not in the cabling; allowed: a port for every host")
        hosts[number] = Host(number, plugs[name])
    system.check(planned, program)
    check_environment(planned)
    slots = system.slots_of_job(settings)
    jobs = []
    for number, job in enumerate(planned["jobs"]):
        workers = tuple(hosts[worker] for worker in job["workers"])
        server = hosts[job["server"]] if "server" in job else None
        jobs.append(Job(number, workers, server, number * slots, slots))
        system.check_job(jobs[-1])
        check_pipes(jobs[-1])
    return Cluster(program, tuple(jobs))


def check_environment(planned):
    """That the scenario wants what all programs do."""
    marked = f"{ECN_THRESHOLD_CELLS * BYTES_OF_CELL // 1000}kB"
    only("/switch/ecn_threshold_bytes", planned["environment"]["ecn_threshold_bytes"], marked)
    if planned["node_faults"]:
        refuse("/faults/nodes", f"{len(planned['node_faults'])} faults", "none")
    if planned["faults"]:
        refuse("/faults/links", f"{len(planned['faults'])} faults", "none: a chip makes none")


def check_pipes(job):
    pipes = sorted({host.plug.pipe for host in job.hosts})
    if len(pipes) > 1:
        found = f"hosts at pipes {' and '.join(map(str, pipes))}"
        refuse(f"/jobs/{job.number}", found, "one pipe: registers are a pipe's own")

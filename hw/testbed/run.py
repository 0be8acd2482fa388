# SPDX-License-Identifier: BSD-3-Clause
"""One run: a switch, servers and workers, with a folder of their own."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from hw.testbed.links import Memif, Tap, Veth
from hw.testbed.plan import TROUBLE, VIOLATION, Programs, TestbedError, members
from hw.testbed.processes import Processes
from hw.testbed.scratch import scratch_folder

START_LIMIT_S = 60
PS_PER_S = 10**12


class Interrupted(BaseException):
    """A signal asks for the end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


@dataclass(frozen=True)
class Outcome:
    """The reports of a run's processes, by the names of their links; the switch's under its own."""

    reports: dict
    wall_time_s: float
    replayed: dict | None


def run(programs, links, planned, limits, replay=None, switch_cores=1, progress=None):
    """Runs a planned run, and proves it. `replay(journal)`: what the simulator says of its switch's
    journal, of which there is none without that. `progress`: has ticks meanwhile."""
    began = time.monotonic()
    cluster = limits.of(planned["cluster"])
    with scratch_folder("ina-testbed-") as folder:
        one = Run(folder, programs, links, replay is not None, switch_cores)
        reports = run_in(one, cluster, planned["time_limit_ps"] / PS_PER_S, progress)
        wall_time_s = time.monotonic() - began
        replayed = replay(one.journal()) if replay else None
    outcome = Outcome(reports, wall_time_s, replayed)
    prove(cluster, outcome)
    return outcome


@dataclass(frozen=True)
class Run:
    folder: Path
    programs: Programs
    links: Memif | Veth | Tap
    keeps_journal: bool
    switch_cores: int = 1

    def journal(self):
        return self.folder / "journal"

    def switch_command(self, parts):
        command = [self.programs.path("ina-switch"), *common_options("switch")]
        command += ["--cores", str(self.switch_cores)]
        for link, host, _ in parts:
            device = self.links.at_switch(self.folder, link, host, self.switch_cores)
            command += ["--port", f"{host}={device}"]
        if self.keeps_journal:
            command += ["--journal", str(self.journal())]
        return self.links.command("switch", command)

    def host_command(self, program, link, host):
        command = [self.programs.path(program), *common_options(link), "--host", str(host)]
        command += ["--port", self.links.at_host(self.folder, host)]
        return self.links.command(link, command)


def run_in(one, cluster, limit_s, progress):
    parts = members(cluster)
    with Processes(one.folder, progress) as processes:
        fabric, hosts = begin(one, processes, cluster, parts)
        workers = [
            process for process, part in zip(hosts, parts, strict=True) if part[2] == "ina-worker"
        ]
        late = processes.wait_until(workers, "done", time.monotonic() + limit_s)
        if late:
            names = ", ".join(process.name for process in late)
            raise TestbedError(f"not ended after {limit_s:g} s: {names}", VIOLATION)
        for process in (*hosts, fabric):  # the switch last: what is under way arrives
            process.end()
    return {path.stem: json.loads(path.read_text()) for path in (one.folder / "reports").iterdir()}


def begin(one, processes, cluster, parts):
    """Starts the switch with a port for each member, and the programs of `parts` of these; returns
    both when all run."""
    (one.folder / "reports").mkdir()
    (one.folder / "cluster.json").write_text(json.dumps(cluster), encoding="utf-8")
    fabric = processes.start("switch", one.switch_command(members(cluster)))
    require(processes.wait_until([fabric], "ready", time.monotonic() + START_LIMIT_S), "ready")
    hosts = [
        processes.start(link, one.host_command(program, link, host)) for link, host, program in parts
    ]
    require(processes.wait_until(hosts, "ready", time.monotonic() + START_LIMIT_S), "ready")
    one.links.join([host for _, host, _ in parts])
    beginning = time.monotonic_ns()
    for process in (fabric, *hosts):
        process.tell(f"start {beginning}")
    return fabric, hosts


def require(missing, word):
    if missing:
        names = ", ".join(process.name for process in missing)
        raise TestbedError(f"not {word} within {START_LIMIT_S} s: {names}", TROUBLE)


def common_options(name):
    return ["--cluster", "cluster.json", "--report", f"reports/{name}.json", "--together"]


def prove(cluster, outcome):
    """What the workers cannot prove of their results."""
    fabric = outcome.reports["switch"]
    if fabric["frames_without_route"] != 0:
        raise TestbedError(f"switch: {fabric['frames_without_route']} frames to nowhere", VIOLATION)
    # A copy of a packet that comes when its task is complete may reserve an aggregator, of which
    # nobody knows (hw/protocol/CORRECTNESS.md).
    copies = any(fault["duplication"] or fault["reordering"] for fault in cluster["faults"])
    if (fabric["cells_in_use"] or fabric["occupied"]) and not copies:
        raise TestbedError(
            f"still occupied when all jobs have ended: {fabric['cells_in_use']} aggregators",
            VIOLATION,
        )

# SPDX-License-Identifier: BSD-3-Clause
"""One run: switches, servers and workers, with a folder of their own."""

import json
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from hw.commands.errors import CommandError
from hw.commands.inputs import Programs, members
from hw.commands.statuses import ENVIRONMENT_ERROR, FAILED_RUN
from hw.testbed.control_plane import control_plane_of
from hw.testbed.faults import Faults
from hw.testbed.links import Links
from hw.testbed.processes import Processes
from hw.testbed.reports import reports_in
from hw.testbed.scratch import PREFIX, scratch_folder
from hw.testbed.topology import from_above, links_of, switches_of

START_LIMIT_S = 60
PS_PER_S = 10**12


@dataclass(frozen=True)
class Outcome:
    """The reports of a run's processes, by name of their links; those of switches by the switch's
    name."""

    reports: dict
    wall_time_s: float
    replayed: dict | None
    failures: dict = field(default_factory=dict)  # status and end_ps of failed jobs, by number
    registrations: dict = field(default_factory=dict)  # number of registrations of jobs that had several, by job number
    clocks: dict = field(default_factory=dict)  # precision of the clocks of other machines, by name


def run(programs, links, planned, replay=None, switch_cores=1, progress=None):
    """Runs a planned run and verifies it. `replay(rack, journal)`: compares the journal of a rack's
    switch with the simulator; None: keeps no journals. `progress`: receives ticks meanwhile."""
    began = time.monotonic()
    cluster = planned["cluster"]
    with scratch_folder(PREFIX) as folder:
        one = Run(folder, programs, links, replay is not None, switch_cores)
        limit_s = planned["time_limit_ps"] / PS_PER_S
        with one.links.hardware(planned):
            reports, faults, clocks = run_in(one, cluster, limit_s, progress)
        wall_time_s = time.monotonic() - began
        replayed = replay_all(one, cluster, replay) if replay else None
    outcome = Outcome(
        reports, wall_time_s, replayed, faults.failures, faults.registrations, clocks
    )
    verify(cluster, outcome)
    return outcome


def replay_all(one, cluster, replay):
    """Sums of the simulator's results for the switches' journals."""
    counts = [replay(switch.number, one.journal(switch)) for switch in switches_of(cluster)]
    return {what: sum(count[what] for count in counts) for what in counts[0]}


@dataclass(frozen=True)
class Run:
    folder: Path
    programs: Programs
    links: Links
    keeps_journal: bool
    switch_cores: int = 1

    def journal(self, switch):
        return self.folder / f"{switch.name}.journal"

    def start_switch(self, processes, switch, cluster):
        return self.start(processes, switch.name, self.switch_command(switch, cluster))

    def start_host(self, processes, program, link, report=None, options=()):
        command = [*self.host_command(program, link, report), *options]
        return self.start(processes, link.name, command)

    def start(self, processes, name, command):
        """Starts a process on its machine."""
        return processes.start(name, command, self.links.machine_of(name), self.links.cores_of(name))

    def program(self, name, program):
        """The first words of the command of a process."""
        path = self.links.machine_of(name).program(self.programs, program)
        return [path, *self.links.options_of(name)]

    def cores_of(self, switch):
        return len(self.links.cores_of(switch.name)) or self.switch_cores

    def switch_command(self, switch, cluster):
        command = [*self.program(switch.name, "ina-switch"), *common_options(switch.name)]
        command += ["--switch", switch.name, "--cores", str(self.cores_of(switch))]
        for peer, device in self.devices_of(switch, cluster):
            command += ["--port", f"{peer}={device}"]
        if self.keeps_journal:
            command += ["--journal", str(self.journal(switch))]
        return self.links.command(switch.space, command)

    def devices_of(self, switch, cluster):
        """(peer, device) for each link of the switch."""
        for link in links_of(cluster):
            if link.above == switch:
                yield link.peer, self.links.above(self.folder, link, self.cores_of(switch))
            if link.name == switch.name:
                yield link.above.name, self.links.below(self.folder, link, self.cores_of(switch))

    def host_command(self, program, link, report=None):
        command = [*self.program(link.name, program), *common_options(report or link.name)]
        command += ["--host", str(link.number)]
        command += ["--port", self.links.below(self.folder, link)]
        return self.links.command(link.name, command)


def run_in(one, cluster, limit_s, progress):
    parts = members(cluster)
    prepare(one, cluster)
    with (
        Processes(one.links.folder_of_run(one.folder), progress) as processes,
        control_plane_of(cluster, one.programs, one.folder) as control,
    ):
        switches, hosts, beginning_ns = begin(one, processes, cluster, parts)
        again = partial(start_again, one, processes, cluster, beginning_ns)
        numbers = {switch.name: switch.number for switch in switches_of(cluster)}
        by_number = {numbers[switch.name]: switch for switch in switches}
        faults = Faults(cluster, control, processes, by_number, hosts, beginning_ns, again)
        if late := faults.wait(time.monotonic() + limit_s):
            names = ", ".join(process.label for process in late)
            raise CommandError(f"not ended after {limit_s:g} s: {names}", FAILED_RUN)
        hosts = [process for process in processes.all if process not in switches]
        for process in (*hosts, *reversed(switches)):  # in the direction of frames that are still
                                                       # under way
            process.end()
        clocks = one.links.collect(one.folder)
    return reports_in(one.folder / "reports"), faults, clocks


def start_again(one, processes, cluster, beginning_ns, name, number, options):
    """Starts a process without the state of its predecessor."""
    (link,) = (link for link in links_of(cluster) if link.name == name)
    (program,) = (program for of, _, program in members(cluster) if of == name)
    process = one.start_host(processes, program, link, f"{name}.{number}", options)
    process.machine.begin(process, beginning_ns)  # read when the process is ready
    return process


def prepare(one, cluster):
    """Makes the files and folders that the programs read and write."""
    (one.folder / "reports").mkdir()
    (one.folder / "cluster.json").write_text(json.dumps(cluster), encoding="utf-8")
    one.links.prepare(one.folder)


def begin(one, processes, cluster, parts):
    """Starts the switches with a port for each member, and the programs of `parts` of the members.
    Returns both when all run, upper switches first, and the beginning of the run on the
    monotonic clock."""
    all_links = links_of(cluster)
    links = {link.name: link for link in all_links}
    switches = begin_switches(one, processes, cluster)
    hosts = [one.start_host(processes, program, links[name]) for name, _, program in parts]
    require(processes, hosts)
    there = {process.name for process in (*switches, *hosts)}
    one.links.join([link for link in all_links if link.name in there])
    beginning_ns = one.links.beginning_ns()
    for process in (*switches, *hosts):
        process.machine.begin(process, beginning_ns)
    return switches, hosts, beginning_ns


def begin_switches(one, processes, cluster):
    """Starts upper switches first, because the lower ones connect to them."""
    begun = []
    for group in from_above(cluster):
        begun += [
            one.start_switch(processes, switch, cluster)
            for switch in group
            if not one.links.is_hardware(switch)
        ]
        require(processes, begun)
    return begun


def require(processes, begun):
    """Fails unless all processes are ready within START_LIMIT_S."""
    if missing := processes.wait_until(begun, "ready", time.monotonic() + START_LIMIT_S):
        names = ", ".join(process.label for process in missing)
        raise CommandError(f"not ready within {START_LIMIT_S} s: {names}", ENVIRONMENT_ERROR)


def common_options(name):
    return ["--cluster", "cluster.json", "--report", f"reports/{name}.json", "--together"]


def verify(cluster, outcome):
    """Checks the parts of the outcome that workers cannot verify."""
    # A copy of a packet that arrives after its task is complete may reserve an aggregator that no
    # server or worker tracks (hw/protocol/CORRECTNESS.md).
    copies = any(fault["duplication"] or fault["reordering"] for fault in cluster["faults"])
    for switch in switches_of(cluster):
        if switch.name not in outcome.reports:
            continue  # hardware
        report = outcome.reports[switch.name]
        if report["frames_without_route"] != 0:
            lost = report["frames_without_route"]
            raise CommandError(f"{switch.name}: {lost} frames to nowhere", FAILED_RUN)
        if (report["cells_in_use"] or report["occupied"]) and not copies:
            raise CommandError(
                f"{switch.name}: still occupied when all jobs have ended: {report['cells_in_use']} "
                "aggregators",
                FAILED_RUN,
            )

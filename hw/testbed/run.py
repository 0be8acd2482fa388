# SPDX-License-Identifier: BSD-3-Clause
"""One run: a switch, servers and workers on memif sockets in a folder of their own."""

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from hw.testbed.plan import TROUBLE, VIOLATION, TestbedError, members, with_least_timeout
from hw.testbed.processes import Processes

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


def run(programs, planned, least_timeout_ps):
    """Runs a planned run, and proves it."""
    began = time.monotonic()
    cluster = with_least_timeout(planned["cluster"], least_timeout_ps)
    with tempfile.TemporaryDirectory(prefix="ina-testbed-") as folder:
        reports = run_in(Path(folder), programs, cluster, planned["time_limit_ps"] / PS_PER_S)
    outcome = Outcome(reports, time.monotonic() - began)
    prove(cluster, outcome)
    return outcome


def run_in(folder, programs, cluster, limit_s):
    (folder / "reports").mkdir()
    (folder / "cluster.json").write_text(json.dumps(cluster), encoding="utf-8")
    parts = members(cluster)
    with Processes(folder) as processes:
        fabric = processes.start("switch", switch_command(folder, programs, parts))
        require(processes.wait_until([fabric], "ready", time.monotonic() + START_LIMIT_S), "ready")
        hosts = [
            processes.start(name, host_command(folder, programs.path(program), name, host))
            for name, host, program in parts
        ]
        require(processes.wait_until(hosts, "ready", time.monotonic() + START_LIMIT_S), "ready")
        beginning = time.monotonic_ns()
        for process in (fabric, *hosts):
            process.tell(f"start {beginning}")
        workers = [
            process for process, part in zip(hosts, parts, strict=True) if part[2] == "ina-worker"
        ]
        late = processes.wait_until(workers, "done", time.monotonic() + limit_s)
        if late:
            names = ", ".join(process.name for process in late)
            raise TestbedError(f"not ended after {limit_s:g} s: {names}", VIOLATION)
        for process in (*hosts, fabric):  # the switch last: what is under way arrives
            process.end()
    return {path.stem: json.loads(path.read_text()) for path in (folder / "reports").iterdir()}


def require(missing, word):
    if missing:
        names = ", ".join(process.name for process in missing)
        raise TestbedError(f"not {word} within {START_LIMIT_S} s: {names}", TROUBLE)


def memif(folder, host, role):
    """One socket for all; its path must be absolute."""
    return f"net_memif{host},role={role},id={host},socket={folder}/memif.sock,socket-abstract=no"


def switch_command(folder, programs, parts):
    command = [programs.path("ina-switch"), *common_options("switch")]
    for _, host, _ in parts:
        command += ["--port", f"{host}={memif(folder, host, 'server')}"]
    return command


def host_command(folder, program, name, host):
    port = memif(folder, host, "client")
    return [program, *common_options(name), "--host", str(host), "--port", port]


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

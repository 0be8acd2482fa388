# SPDX-License-Identifier: BSD-3-Clause
"""All-reduces over four processes of this machine: ours on memif sockets, and others over TCP on
the loopback interface."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from hw.commands.errors import CommandError
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.testbed.scratch import scratch_folder
from hw.commands.interrupts import begin_child
from tests.hw_bench.cluster import MAX_WINDOW, SCENARIO, WORKERS, overrides

REPETITIONS = 5  # per round
WORKER = ["/usr/bin/python3", str(Path(__file__).resolve().parent / "worker.py")]


@dataclass(frozen=True)
class Contender:
    """An all-reduce. `run(arguments of worker.py)` returns the output of its workers. `lacks`: the
    required package that is not installed."""

    name: str
    run: Callable
    lacks: str | None = None

    def goodputs(self, megabytes):
        """MB/s of every repetition: the size of a worker's array divided by the time of the slowest
        worker."""
        seconds = self.seconds(REPETITIONS, megabytes * 250_000)
        return [megabytes / max(times) for times in zip(*seconds, strict=True)]

    def seconds(self, repetitions, floats):
        """Seconds of every repetition, one list per worker."""
        lines = self.run([str(repetitions), str(floats)]).splitlines()
        if len(lines) != WORKERS:
            text = f"{self.name}: {len(lines)} workers of {WORKERS} ended"
            raise CommandError(text, ENVIRONMENT_ERROR)
        return [json.loads(line) for line in lines]

    def hindrance(self):
        """Reason why this contender cannot be measured here, or None. Other launchers may also fail
        because of the machine (no loopback, no home), which must not stop the benchmark."""
        if self.lacks:
            return f"no {self.lacks}"
        try:
            self.seconds(repetitions=1, floats=1)
        except CommandError as error:
            return f"it does not run here: {error}"
        return None


def own_contenders(programs, kinds):
    return [Contender(f"ina, {kind.name}", lambda a, k=kind: ina(programs, k, a)) for kind in kinds]


def other_contenders():
    return [
        Contender("Gloo", gloo, missing("torch", "python3-torch")),
        Contender("Gloo, SCHED_BATCH", gloo_as_batch, missing("torch", "python3-torch")),
        Contender("Open MPI", mpi, missing("mpi4py", "python3-mpi4py") or missing_mpirun()),
    ]


def missing(module, package):
    return None if importlib.util.find_spec(module) else package


def missing_mpirun():
    return None if shutil.which("mpirun") else "openmpi-bin"


def ina(programs, kind, arguments):
    command = [sys.executable, "-P", "-m", "hw.testbed", "exec", "--programs", str(programs)]
    for override in overrides(kind):
        command += ["--set", override]
    command += ["--max-window", str(MAX_WINDOW), str(SCENARIO), "--", *WORKER, "ina", *arguments]
    return re.sub(r"^\[\d+\] ", "", output_of(command), flags=re.MULTILINE)  # removes the ranks


def mpi(arguments):
    command = ["mpirun", "-n", str(WORKERS), "--oversubscribe", "--bind-to", "none"]
    command += ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]
    command += ["--mca", "btl_tcp_if_include", "lo", *WORKER, "mpi", *arguments]
    # mpirun requires both variables to run as root.
    return output_of(command, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def gloo_as_batch(arguments):
    """Uses the scheduling policy that our processes use for many workers on few processors."""
    return gloo(arguments, policy=["chrt", "--batch", "0"])


def gloo(arguments, policy=()):
    with scratch_folder("ina-bench-") as folder:
        shared = {"WORKERS": str(WORKERS), "MEETING": f"file://{folder}/meeting"}
        shared["GLOO_SOCKET_IFNAME"] = "lo"
        command = [*policy, *WORKER, "gloo", *arguments]
        workers = [start(command, **shared, RANK=str(rank)) for rank in range(WORKERS)]
        try:
            return "".join([end(worker) for worker in workers])
        finally:
            for worker in workers:
                worker.kill()


def output_of(command, **environment):
    return end(start(command, **environment))


def start(command, **environment):
    return subprocess.Popen(
        command,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=begin_child,
    )


def end(process):
    output, _ = process.communicate()
    if process.returncode != 0:
        command = " ".join(process.args)
        raise CommandError(f"ended with status {process.returncode}: {command}", ENVIRONMENT_ERROR)
    return output

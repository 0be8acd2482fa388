# SPDX-License-Identifier: BSD-3-Clause
"""All-reduces of 100 MB over four processes of this machine: ours on memif sockets, and others over
TCP on the loopback interface."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORKERS = 4
BYTES = 100e6
REPETITIONS = 3  # of a round, after one to warm up
WORKER = ["/usr/bin/python3", str(HERE / "worker.py")]
# Packets in flight: what keeps the processors busy while the processes take turns on them.
WINDOW = 256


class Contender:
    """An all-reduce to measure; `lacks`: what it would need that is not here."""

    def __init__(self, name, run, lacks=None):
        self.name, self.run, self.lacks = name, run, lacks

    def goodputs(self):
        """Bytes per second of every repetition: all workers' gradient over the slowest's time."""
        lines = [json.loads(line) for line in self.run().splitlines()]
        if len(lines) != WORKERS:
            raise RuntimeError(f"{self.name}: {len(lines)} of {WORKERS} workers came to an end")
        return [BYTES / max(times) for times in zip(*lines, strict=True)]


def all_contenders(programs):
    return [
        Contender("ina, SwitchML, 308 B", lambda: ina(programs, "switchml", 64)),
        Contender("ina, DSA, 306 B", lambda: ina(programs, "dsa", 64)),
        Contender("ina, ATP, 306 B", lambda: ina(programs, "atp", 64)),
        Contender("ina, SwitchML, 1076 B", lambda: ina(programs, "switchml", 256)),
        Contender("Gloo", gloo, missing_module("torch", "python3-torch")),
        Contender("Open MPI", mpi, missing_mpi()),
    ]


def missing_module(module, package):
    return None if importlib.util.find_spec(module) else package


def missing_mpi():
    return missing_module("mpi4py", "python3-mpi4py") or (
        None if shutil.which("mpirun") else "openmpi-bin"
    )


def output_of(command, **environment):
    done = subprocess.run(
        command, env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with status {done.returncode}")
    return done.stdout


def ina(programs, system, values):
    command = [sys.executable, "-P", "-m", "hw.testbed", "exec", "--programs", str(programs)]
    command += ["--set", f"/system={system}", "--set", f"/switchml/values_per_packet={values}"]
    command += ["--max-window", str(WINDOW), str(HERE / "all_reduce.json"), "--"]
    return output_of([*command, *WORKER, "ina", str(REPETITIONS)])


def mpi():
    command = ["mpirun", "-n", str(WORKERS), "--oversubscribe", "--bind-to", "none"]
    command += ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]
    command += ["--mca", "btl_tcp_if_include", "lo", *WORKER, "mpi", str(REPETITIONS)]
    # Root has to say twice that it is meant.
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return output_of(command, **root)


def gloo():
    with tempfile.TemporaryDirectory(prefix="ina-bench-") as folder:
        shared = {
            "WORLD_SIZE": str(WORKERS),
            "GLOO_SOCKET_IFNAME": "lo",
            "INA_MEETING": f"file://{folder}/meeting",
        }
        workers = [
            subprocess.Popen(
                [*WORKER, "gloo", str(REPETITIONS)],
                env=os.environ | shared | {"RANK": str(rank)},
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in range(WORKERS)
        ]
        outputs = [worker.communicate()[0] for worker in workers]
    if any(worker.returncode != 0 for worker in workers):
        raise RuntimeError("a worker of Gloo failed")
    return "".join(outputs)

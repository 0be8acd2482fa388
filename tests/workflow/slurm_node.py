# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm cluster of one node, this machine. It uses only its folder and leaves nothing behind."""

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 60  # seconds until a step counts as failed
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"  # the daemons' search path

# There is no slurmdbd. The tests query slurmctld, which must remember finished jobs.
CONFIGURATION = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=100
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
ReturnToService=2
MinJobAge=3600
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=16000 State=UNKNOWN
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
"""


class CannotStart(Exception):
    """Raised if no cluster can run here. The message says why."""


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[dict[str, str]]:
    """The environment in which Slurm's commands reach the cluster."""
    for program in ("munged", "slurmctld", "slurmd"):
        if shutil.which(program, path=PATH) is None:
            raise CannotStart(f"no {program}")
    configure(folder)
    environment = os.environ | {
        "PATH": PATH,
        "SLURM_CONF": str(folder / "slurm.conf"),
        "USER": getpass.getuser(),
    }
    with contextlib.ExitStack() as stack:
        munge = stack.enter_context(daemon(munged(folder), environment, folder))
        wait(munge, (folder / "munge.socket").exists)
        stack.enter_context(daemon(["slurmctld", "-D"], environment, folder))
        node = stack.enter_context(daemon(["slurmd", "-D", "-N", "node"], environment, folder))
        wait(node, lambda: asked(["sinfo", "-h", "-o", "%T"], environment) == "idle")
        stack.callback(end_jobs, environment)
        yield environment


def configure(folder: Path) -> None:
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(128))
    controller_port, node_port = free_ports(2)
    text = CONFIGURATION.format(
        folder=folder, host=socket.gethostname(), user=getpass.getuser(),
        controller_port=controller_port, node_port=node_port,
    )  # fmt: skip
    (folder / "slurm.conf").write_text(text)
    # Debian's 22.05 requires a cgroup plugin. This one does nothing unless it is used.
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def munged(folder: Path) -> list[str]:
    files = {
        "key-file": "munge.key", "socket": "munge.socket", "pid-file": "munge.pid",
        "log-file": "munge.log", "seed-file": "munge.seed",
    }  # fmt: skip
    options = [f"--{option}={folder / name}" for option, name in files.items()]
    return ["munged", "--foreground", "--force", *options]


@dataclass(frozen=True)
class Daemon:
    name: str
    process: subprocess.Popen[bytes]
    said: Path  # file with its output


@contextlib.contextmanager
def daemon(command: list[str], environment: dict[str, str], folder: Path) -> Iterator[Daemon]:
    """Ends with the test, even if the test is killed."""
    said = folder / f"{command[0]}.out"
    with open(said, "wb") as out:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *command], env=environment, stdout=out, stderr=out
        )
    try:
        yield Daemon(command[0], process, said)
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def asked(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def wait(one: Daemon, is_there: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_there():
        if one.process.poll() is not None or time.monotonic() > end:
            said = one.said.read_text().splitlines()
            raise CannotStart(f"{one.name} does not come up: {said[-1] if said else 'no word'}")
        time.sleep(0.1)


def end_jobs(environment: dict[str, str]) -> None:
    """Ends the jobs before the daemons. The jobs would otherwise survive."""
    asked(["scancel", "--user", environment["USER"]], environment)
    end = time.monotonic() + PATIENCE_S
    while asked(["squeue", "-h"], environment) and time.monotonic() < end:
        time.sleep(0.1)

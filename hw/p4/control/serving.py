# SPDX-License-Identifier: BSD-3-Clause
"""Registers the sessions of loaded switches, on request of the program ina-registrar."""

import contextlib
import json
import re
import signal
import subprocess
import tempfile
from pathlib import Path

from hw.commands.errors import CommandError, Interrupted, unexpected_end
from hw.commands.interrupts import end_with_us
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.p4.control.registering import register_job

PROGRAM = "ina-registrar"
REGISTER = re.compile(r"register (\d{1,5}) (\d{1,5})\n", flags=re.ASCII)
VIRTUAL = "net_"  # prefix of DPDK's virtual devices; the others are NICs, which need hugepages
STOPPED_BY = (signal.SIGINT, signal.SIGTERM)
SECONDS_TO_END = 10


def check_program(programs):
    if not Path(programs.path(PROGRAM)).is_file():
        message = f"{programs.path(PROGRAM)}: not built; allowed: a build with DPDK (libdpdk-dev)"
        raise CommandError(message, ENVIRONMENT_ERROR)


def serve(loaded, planned, programs):
    """Serves until a signal of STOPPED_BY. `loaded`: pairs of switch and cluster. Raises
    CommandError if a registration or the program fails."""
    sessions = Sessions(loaded)
    with tempfile.TemporaryDirectory(prefix="ina-serve-") as folder:
        file = Path(folder) / "cluster.json"
        file.write_text(json.dumps(planned))
        device = sessions.device
        command = [programs.path(PROGRAM), "--cluster", str(file), "--port", device]
        if not device.startswith(VIRTUAL):
            command.append("--hugepages")
        try:
            with started(command) as process:
                obey(process, sessions)
        except Interrupted as interrupted:
            if interrupted.number not in STOPPED_BY:
                raise
    return 0


class Sessions:
    """The ids of the jobs at switches that have just been loaded."""

    def __init__(self, loaded):
        self.loaded = loaded
        self.begun = set()  # ids that have had a session since the load

    @property
    def device(self):
        """Device of the registrar, which is the same in all clusters."""
        return self.loaded[0][1].registrar.device

    def begin(self, number, new_id):
        """Registers the job at every switch that it passes. A job that was loaded under the id
        needs no change before its first session."""
        ids = {job.id for _, cluster in self.loaded for job in cluster.jobs if job.number == number}
        if ids != {new_id} or new_id in self.begun:
            again = new_id in self.begun
            for position, (switch, cluster) in enumerate(self.loaded):
                if ids and number not in {job.number for job in cluster.jobs}:
                    continue
                cluster = register_job(switch, cluster, number, new_id, again)
                self.loaded[position] = switch, cluster
        self.begun.add(new_id)


@contextlib.contextmanager
def started(command):
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # an interrupt of the terminal reaches only this process, which
                                 # forwards it
        preexec_fn=end_with_us,
    )
    try:
        yield process
    finally:
        end(process)


def end(process):
    process.terminate()
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    process.stdout.close()


def obey(process, sessions):
    for line in process.stdout:
        asked = REGISTER.fullmatch(line)
        if not asked:
            message = f"{PROGRAM}: {json.dumps(line)}; allowed: register JOB ID"
            raise CommandError(message, ENVIRONMENT_ERROR)
        number, new_id = map(int, asked.groups())
        sessions.begin(number, new_id)
        print(f"job {number}: a session with id {new_id}", flush=True)
        try:
            print("done", file=process.stdin, flush=True)
        except BrokenPipeError:
            break
    raise unexpected_end(PROGRAM, process.wait())

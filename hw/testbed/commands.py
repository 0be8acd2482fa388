# SPDX-License-Identifier: BSD-3-Clause
"""Commands of the user as the workers of a cluster, whose switch and servers are ours."""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
from pathlib import Path

from hw.testbed.plan import TROUBLE, TestbedError, members
from hw.testbed.processes import Processes
from hw.testbed.run import Run, begin
from hw.testbed.scratch import scratch_folder
from hw.testbed.signals import begin_child, undisturbed

BINDING = Path(__file__).resolve().parents[1] / "libina" / "python"


def run_commands(programs, links, cluster, switch_cores, words):
    """Runs the command for each worker until all have ended, or one has failed. Returns the first
    status that is not 0."""
    with scratch_folder("ina-testbed-") as folder:
        one = Run(folder, programs, links, False, switch_cores)
        servers = [part for part in members(cluster) if part[2] != "ina-worker"]
        with Processes(one.folder) as processes, Commands() as commands:
            fabric, hosts = begin(one, processes, cluster, servers)
            for number, job in enumerate(cluster["jobs"]):
                for rank, host in enumerate(job["workers"]):
                    seat = {"JOB": number, "RANK": rank, "WORKERS": len(job["workers"])}
                    environment = environment_of(one, host, seat)
                    name = f"host{host}"
                    commands.start(name, links.command(name, words), environment)
            status = commands.wait(processes)
            for process in (*hosts, fabric):
                process.end()
    return status


def environment_of(one, host, seat):
    ours = seat | {
        "CLUSTER": one.folder / "cluster.json",
        "HOST": host,
        "DEVICE": one.links.at_host(one.folder, host),
        "LIBRARY": one.programs.library(),
    }
    path = os.pathsep.join(filter(None, (str(BINDING), os.environ.get("PYTHONPATH"))))
    # The workers share this machine's processors, with a switch and servers.
    return {"INA_GIVES_WAY": "1"} | os.environ | {
        f"INA_{key}": str(value) for key, value in ours.items()
    } | {"PYTHONPATH": path}


class Commands:
    """A context: whatever happens, no command outlives it, nor what it started in its session."""

    def __init__(self):
        self.running = {}  # by name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def start(self, name, words, environment):
        try:
            with undisturbed():  # a signal before it is noted would leave it behind
                self.running[name] = subprocess.Popen(
                    words,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                    preexec_fn=begin_child,
                )
        except OSError as error:
            raise TestbedError(f"{words[0]}: {error.strerror}; allowed: a command") from None

    def wait(self, processes):
        """Until all have ended, or one with a status that is not 0, which it returns. Fails if one
        of `processes` ends."""
        with contextlib.ExitStack() as stack:
            selector = stack.enter_context(selectors.DefaultSelector())
            for process in processes.all:
                selector.register(process.popen.stdout, selectors.EVENT_READ, process.hear)
            for name, command in self.running.items():
                end = os.pidfd_open(command.pid)
                stack.callback(os.close, end)
                selector.register(end, selectors.EVENT_READ, name)
            while self.running:
                for key, _ in selector.select():
                    if callable(key.data):
                        key.data()
                        continue
                    selector.unregister(key.fd)
                    if status := self.reap(key.data):
                        return status
        return 0

    def reap(self, name):
        status = self.running.pop(name).wait()
        if status == 0:
            return 0
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        print(f"ina: {name} ended {how}", file=sys.stderr)
        return status if status > 0 else TROUBLE

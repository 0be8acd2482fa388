# SPDX-License-Identifier: BSD-3-Clause
"""Runs commands of the user as the workers of a cluster, with switches and servers of the
testbed."""

import contextlib
import selectors
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from hw.commands.errors import CommandError
from hw.commands.inputs import members
from hw.commands.interrupts import undisturbed
from hw.commands.statuses import FAILED_RUN
from hw.testbed.line_output import LineOutput
from hw.testbed.processes import Processes
from hw.testbed.run import Run, begin, prepare
from hw.testbed.scratch import PREFIX, scratch_folder
from hw.testbed.this_machine import HERE
from hw.testbed.topology import links_of

BINDING = Path(__file__).resolve().parents[1] / "libina" / "python"

# Grace period for workers that wait for an ended one: they may be about to end too.
GRACE_S = 5.0
POLL_S = 0.25

# Descriptions of a worker's end, by libina's last note of it.
HOW_GONE = {
    "absent": "and never joined",
    "joined": "without ina_finalize()",
    "failed": "but its ina_finalize() failed",
}


def run_commands(programs, links, cluster, switch_cores, words):
    """Runs the command for each worker, on its machine. Returns when all have ended, when one has
    failed, or when one has ended while others wait for it. Returns the first status that is not 0.
    If there are several workers, prefixes each line of their output with the rank, or with the job
    and the rank."""
    with scratch_folder(PREFIX) as folder:
        one = Run(folder, programs, links, False, switch_cores)
        servers = [part for part in members(cluster) if part[2] != "ina-worker"]
        prepare(one, cluster)
        with (
            Processes(links.folder_of_run(one.folder)) as processes,
            Commands() as commands,
        ):
            switches, hosts, _ = begin(one, processes, cluster, servers)
            links_of_workers = {link.number: link for link in links_of(cluster)}
            prefix = prefix_form(cluster["jobs"])
            for number, job in enumerate(cluster["jobs"]):
                for rank, host in enumerate(job["workers"]):
                    identity = {"JOB": number, "RANK": rank, "WORKERS": len(job["workers"])}
                    link = links_of_workers[host]
                    worker = Worker(
                        name=link.name,
                        job=number,
                        rank=rank,
                        presence=one.folder / f"{link.name}.presence",
                        prefix=prefix.format(job=number, rank=rank),
                    )
                    environment = environment_of(one, link, identity, worker.presence)
                    machine = links.machine_of(link.name)
                    cores = links.cores_of(link.name)
                    commands.start(
                        worker, machine, links.command(link.name, words), environment, cores
                    )
            status = commands.wait(processes)
            for process in (*hosts, *reversed(switches)):
                process.end()
    return status


def prefix_form(jobs):
    """Format of the prefix of each output line of a worker; empty if there is only one worker."""
    if sum(len(job["workers"]) for job in jobs) == 1:
        return ""
    return "[{rank}] " if len(jobs) == 1 else "[{job},{rank}] "


def environment_of(one, link, identity, presence):
    """What a worker's command finds in its environment, in addition to that of its machine."""
    machine = one.links.machine_of(link.name)
    ours = identity | {
        "CLUSTER": machine.path_in_run(one.folder, "cluster.json"),
        "HOST": link.number,
        "DEVICE": one.links.below(one.folder, link),
        "LIBRARY": machine.library(one.programs),
        "PRESENCE": machine.path_in_run(one.folder, presence.name),
    }
    # The output of commands is a pipe, but users may watch its other end.
    environment = {"PYTHONUNBUFFERED": "1"}
    if not one.links.cores_of(link.name):
        environment["INA_YIELDS"] = "1"  # the workers share processors with a switch and servers
    given = {f"INA_{key}": str(value) for key, value in ours.items()}
    return machine.environment(environment, given, BINDING)


@dataclass(eq=False)
class Worker:
    """A command that runs as a worker, or has ended."""

    name: str
    job: int
    rank: int
    presence: Path  # libina's notes: joined, left, failed to leave
    prefix: str  # printed before each output line
    machine: object = HERE
    missed_since: float | None = None  # time since when others wait for this ended worker

    @property
    def label(self):
        return self.machine.label(self.name)

    def last_note(self):
        with contextlib.suppress(FileNotFoundError, IndexError):  # there is no note yet
            return self.presence.read_text(encoding="utf-8").split()[-1]
        return "absent"

    def __str__(self):
        return f"{self.label} (job {self.job}, rank {self.rank})"


class Commands:
    """A context that ends all commands on exit, together with the processes that they started in
    their sessions."""

    def __init__(self):
        self.running = {}  # processes, by worker
        self.ended = []  # workers that ended with status 0
        self.outputs = {}  # by worker

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for worker, process in self.running.items():
            worker.machine.kill_session(process)
        for process in self.running.values():
            with contextlib.suppress(CommandError):  # it is lost with its machine
                process.wait()
        with contextlib.suppress(OSError) if kind else contextlib.nullcontext():
            for outputs in self.outputs.values():
                for output in outputs:
                    output.close()

    def start(self, worker, machine, words, environment, cores):
        worker.machine = machine
        try:
            with undisturbed():  # a signal before the process is recorded would leave it behind
                process = self.running[worker] = machine.start_command(
                    words, environment, worker.name, worker.presence, bool(worker.prefix), cores
                )
                if process.stdout:
                    self.outputs[worker] = outputs_of(process, worker.prefix.encode())
        except OSError as error:
            raise CommandError(f"{words[0]}: {error.strerror}; allowed: a command") from None

    def wait(self, processes):
        """Waits until all workers have ended, or one has ended with a status other than 0. Returns
        that status. Fails if one of `processes` ends, or a worker that others wait for."""
        with contextlib.ExitStack() as stack:
            selector = stack.enter_context(selectors.DefaultSelector())
            for process in processes.all:
                selector.register(process.popen.stdout, selectors.EVENT_READ, process.hear)
            for output in (one for outputs in self.outputs.values() for one in outputs):
                selector.register(output.pipe, selectors.EVENT_READ, output)
            for worker, command in self.running.items():
                end = stack.enter_context(worker.machine.end_of(command))
                selector.register(end, selectors.EVENT_READ, worker)
            while self.running:
                for key, _ in selector.select(POLL_S if self.ended else None):
                    if callable(key.data):
                        key.data()
                    elif isinstance(key.data, LineOutput):
                        if not key.data.copy():
                            selector.unregister(key.fileobj)
                    else:
                        selector.unregister(key.fileobj)
                        if status := self.reap(key.data):
                            return status
                self.check_presence()
        self.check_leaving()
        return 0

    def reap(self, worker):
        status = self.running.pop(worker).wait()
        for output in self.outputs.get(worker, ()):
            output.copy_waiting()
        if status == 0:
            self.ended.append(worker)
            return 0
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        print(f"ina: {worker.label} ended {how}", file=sys.stderr)
        return status if status > 0 else FAILED_RUN

    def check_leaving(self):
        """Checks workers that have all ended. Fails if a worker could not leave its job, or if none
        of a job's workers has left it. Workers agree on leaving, so once one has left no work is
        unfinished."""
        notes = {worker: worker.last_note() for worker in self.ended}
        finished = {worker.job for worker, note in notes.items() if note == "left"}
        unfinished = [
            worker
            for worker, note in notes.items()
            if note == "joined" and worker.job not in finished
        ]
        failed = [worker for worker, note in notes.items() if note == "failed"]
        if gone := sorted(failed or unfinished, key=lambda worker: (worker.job, worker.rank)):
            how = HOW_GONE[notes[gone[0]]]
            allowed = "" if failed else "; allowed: ina_finalize(), which waits for all-reduces"
            names = ", ".join(map(str, gone))
            raise CommandError(f"{names}: ended with status 0 {how}{allowed}", FAILED_RUN)

    def check_presence(self):
        """Fails if a worker has ended without leaving, and others stay in its job for a while."""
        members = [worker for worker in self.running if worker.last_note() == "joined"]
        for gone in self.ended:
            waiting = [worker.label for worker in members if worker.job == gone.job]
            note = gone.last_note()
            if note == "left" or not waiting:
                gone.missed_since = None
                continue
            now = time.monotonic()
            gone.missed_since = gone.missed_since or now
            if now - gone.missed_since >= GRACE_S:
                raise CommandError(
                    f"{gone} left before the other workers were done, with status 0 {HOW_GONE[note]}; "
                    f"still there: {', '.join(waiting)}",
                    FAILED_RUN,
                )


def outputs_of(process, prefix):
    pipes = ((process.stdout, sys.stdout), (process.stderr, sys.stderr))
    return [LineOutput(pipe, prefix, target.fileno()) for pipe, target in pipes]

# SPDX-License-Identifier: BSD-3-Clause
"""Processes that begin together, report their state in lines, and all end on exit."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections import Counter

from hw.commands.errors import CommandError, unexpected_end
from hw.commands.interrupts import undisturbed
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.testbed.progress import Quiet
from hw.testbed.this_machine import HERE

END_TIMEOUT_S = 10  # from the request to the end of a process
READ_BYTES = 2**16


class Process:
    """A process on this machine or another one. `cores`: those to which it is pinned."""

    def __init__(self, name, command, folder, machine=HERE, cores=()):
        self.name = name
        self.machine = machine
        self.label = machine.label(name)
        self.popen = machine.start(command, folder, name=name, cores=cores)
        self.heard = Counter()  # number of lines received, by their text
        self.unfinished = b""

    def send(self, line):
        """Sends a line. Fails if the process has ended."""
        try:
            self.popen.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            self.fail()

    def hear(self):
        """Reads the process's lines. Fails if it has ended."""
        text = os.read(self.popen.stdout.fileno(), READ_BYTES)
        if not text:
            self.fail()
        self.note(text)

    def fail(self):
        """Raises the error for a process that has ended."""
        raise unexpected_end(self.label, self.popen.wait())

    def note(self, text):
        *lines, self.unfinished = (self.unfinished + text).split(b"\n")
        self.heard.update(lines)

    def times_said(self, word):
        return self.heard[word.encode()]

    def ask_to_end(self):
        """Asks the process to end, even if it is stopped."""
        self.popen.stdin.close()
        self.popen.send_signal(signal.SIGTERM)
        self.popen.send_signal(signal.SIGCONT)

    def end(self):
        """Asks the process to end, and waits until it has."""
        self.ask_to_end()
        try:
            status = self.popen.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise CommandError(f"{self.label} does not end", ENVIRONMENT_ERROR) from None
        if status != 0:
            raise CommandError(f"{self.label} ended with status {status}", ENVIRONMENT_ERROR)


    def forget(self):
        """Cleans up after the process has been killed, or is lost."""
        with contextlib.suppress(CommandError, subprocess.TimeoutExpired):
            self.popen.wait(END_TIMEOUT_S)
        self.popen.stdin.close()
        self.popen.stdout.close()


class Processes:
    """A context that ends all of its processes on exit. `progress`: receives ticks during waits."""

    def __init__(self, folder, progress=None):
        self.folder = folder
        self.progress = progress or Quiet()
        self.all = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.all:
            process.popen.kill()
        for process in self.all:
            process.forget()

    def start(self, name, command, machine=HERE, cores=()):
        with undisturbed():  # a signal before the process is recorded would leave it behind
            process = Process(name, command, self.folder, machine, cores)
            self.all.append(process)
        return process

    def end(self, some):
        """Ends processes together and stops listening to them. Ignores those that have ended
        already."""
        there = [process for process in some if process in self.all]
        for process in there:
            process.ask_to_end()
        for process in there:
            process.end()
            process.note(process.popen.stdout.read())
            process.popen.stdout.close()
            self.all.remove(process)

    def wait_until(self, processes, word, limit):
        """Waits until all of `processes` have printed `word`. Fails if any process ends. Returns
        those that are late at the time `limit` of the monotonic clock."""
        with selectors.DefaultSelector() as selector:
            for process in self.all:
                selector.register(process.popen.stdout, selectors.EVENT_READ, process)
            while missing := [process for process in processes if not process.times_said(word)]:
                left = limit - time.monotonic()
                if left <= 0:
                    return missing
                for key, _ in selector.select(min(left, self.progress.wait_s)):
                    key.data.hear()
                self.progress.tick()
        return []

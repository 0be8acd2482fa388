# SPDX-License-Identifier: BSD-3-Clause
"""Processes that begin together, say what they have come to, and are all gone at the end."""

import os
import selectors
import signal
import subprocess
import time
from collections import Counter

from hw.commands.errors import CommandError, unexpected_end
from hw.commands.interrupts import begin_child, undisturbed
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.testbed.progress import Quiet

END_TIMEOUT_S = 10  # from the request to the end of a process


class Process:
    def __init__(self, name, command, folder):
        self.name = name
        # In a session of their own: an interrupt of the terminal is ours to pass on, in order.
        self.popen = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=begin_child,
        )
        self.heard = Counter()  # lines that it has said, by their words
        self.unfinished = b""

    def send(self, line):
        """Fails if it has ended."""
        try:
            # Unbuffered: closing a buffer that could not be written would fail again.
            os.write(self.popen.stdin.fileno(), line.encode() + b"\n")
        except BrokenPipeError:
            self.fail()

    def hear(self):
        """Reads what it says; fails if it has ended."""
        text = self.popen.stdout.read1()
        if not text:
            self.fail()
        self.note(text)

    def fail(self):
        """It has ended."""
        raise unexpected_end(self.name, self.popen.wait())

    def note(self, text):
        *lines, self.unfinished = (self.unfinished + text).split(b"\n")
        self.heard.update(lines)

    def times_said(self, word):
        return self.heard[word.encode()]

    def ask_to_end(self):
        """Also if it is stopped."""
        self.popen.stdin.close()
        self.popen.send_signal(signal.SIGTERM)
        self.popen.send_signal(signal.SIGCONT)

    def end(self):
        """Asks it to end, and waits for that."""
        self.ask_to_end()
        try:
            status = self.popen.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise CommandError(f"{self.name} does not end", ENVIRONMENT_ERROR) from None
        if status != 0:
            raise CommandError(f"{self.name} ended with status {status}", ENVIRONMENT_ERROR)


    def forget(self):
        """When it has been killed."""
        self.popen.wait()
        self.popen.stdin.close()
        self.popen.stdout.close()


class Processes:
    """A context: whatever happens, no process outlives it. `progress`: has ticks while we wait."""

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

    def start(self, name, command):
        with undisturbed():  # a signal before it is noted would leave it behind
            process = Process(name, command, self.folder)
            self.all.append(process)
        return process

    def end(self, some):
        """Ends them together; nobody listens to them any more. Those that have ended stay so."""
        there = [process for process in some if process in self.all]
        for process in there:
            process.ask_to_end()
        for process in there:
            process.end()
            process.note(process.popen.stdout.read())
            process.popen.stdout.close()
            self.all.remove(process)

    def wait_until(self, processes, word, limit):
        """Until all of `processes` have said `word`, whichever of all ends is a failure. Returns
        those that have not by the instant `limit` of the monotonic clock."""
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

# SPDX-License-Identifier: BSD-3-Clause
"""Commands that end together with this process."""

import os
import signal
import subprocess
import threading


class Attendance:
    """Runs commands that end when this process does, and that get TERM for any signal that ends
    this process. Commands get an interrupt from a terminal directly, but not one of a background
    job. Only the main thread gets signals."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    IN_GROUP = None  # the group of this process

    def __enter__(self):
        self.child = None
        self.ended_by = 0  # the number of the first signal
        is_told = threading.current_thread() is threading.main_thread()
        numbers = self.SIGNALS if is_told else ()
        self.handlers = {number: signal.signal(number, self.end) for number in numbers}
        return self

    def __exit__(self, *_):
        for number, handler in self.handlers.items():
            signal.signal(number, handler)

    @property
    def is_ended(self):
        return self.ended_by != 0

    def end(self, number, _frame):
        self.ended_by = self.ended_by or number
        if self.child is not None:
            self.send_end()

    def send_end(self):
        self.child.send_signal(signal.SIGTERM)

    def run(self, command, stdout=subprocess.DEVNULL, read=None, **options):
        """The exit status of a command, as in a shell. `options`: those of subprocess.Popen; with
        `stderr=subprocess.PIPE` the function `read` gets the pipe and reads it to its end."""
        # The parent may already have died before its child asks for the signal.
        with_us = ["setpriv", "--pdeathsig", "TERM", "sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"']
        with subprocess.Popen(
            [*with_us, str(os.getpid()), *command],
            stdout=stdout,
            process_group=self.IN_GROUP,
            **options,
        ) as self.child:
            if self.is_ended:  # before the command started
                self.send_end()
            if read is not None:
                read(self.child.stderr)
            status = self.child.wait()
        return 128 - status if status < 0 else status


class GroupAttendance(Attendance):
    """For a command that waits for its own processes at TERM: sends INT to all of them."""

    IN_GROUP = 0  # a new group

    def send_end(self):
        os.killpg(self.child.pid, signal.SIGINT)

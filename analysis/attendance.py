# SPDX-License-Identifier: BSD-3-Clause
"""Commands that end when we do."""

import os
import signal
import subprocess
import threading


class Attendance:
    """Runs commands that die with us, and get TERM for the signals that are to end us. An interrupt
    from a terminal reaches them anyway, one of a shell's background does not. Only the main thread
    gets signals."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    IN_GROUP = None  # that of ours

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
        """The status of a command, as a shell has it. `options`: those of subprocess.Popen; with
        `stderr=subprocess.PIPE` the function `read` gets the pipe and reads it to its end."""
        # A parent may also die before its child asks for the signal.
        with_us = ["setpriv", "--pdeathsig", "TERM", "sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"']
        with subprocess.Popen(
            [*with_us, str(os.getpid()), *command],
            stdout=stdout,
            process_group=self.IN_GROUP,
            **options,
        ) as self.child:
            if self.is_ended:  # before there was anybody to tell
                self.send_end()
            if read is not None:
                read(self.child.stderr)
            status = self.child.wait()
        return 128 - status if status < 0 else status


class GroupAttendance(Attendance):
    """Of a command that at TERM would wait for its own: INT goes to all of them."""

    IN_GROUP = 0  # a new one

    def send_end(self):
        os.killpg(self.child.pid, signal.SIGINT)

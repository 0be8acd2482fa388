# SPDX-License-Identifier: BSD-3-Clause
"""`build_steps WHAT LOG EVERY_S COMMAND...`: runs a build of WHAT with output to LOG, and shows its
progress on standard error: on a terminal in one line that is rewritten, elsewhere in a line every
EVERY_S seconds, and nothing if there is nothing to build. The exit status is that of the build, 128
plus the number of the signal that ended it, or 125 if LOG cannot be written. It is a process of its
own, so that it ends the build when the launcher is killed."""

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time

STEP = re.compile(rb"\[(\d+)/(\d+)\] (.*)")
IN_EVERY_BUILD = (b"Re-checking globbed directories...", b"Noting the commit")
USUAL_COLUMNS = 80
LOG_ERROR = 125  # not used by any build


def show(text):
    with contextlib.suppress(OSError):  # the build continues without progress output
        os.write(sys.stderr.fileno(), text.encode())


class Report:
    """Prints the progress. `opening`: text before the first line."""

    def __init__(self, opening):
        self.opening = opening

    def open(self):
        show(self.opening)
        self.opening = ""


class TerminalLine(Report):
    wait_s = None

    def step(self, done, steps, what):
        self.open()
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or USUAL_COLUMNS
        text = f"[{done}/{steps}] {what.decode('ascii', 'replace')}"
        show(f"\r{text[:columns - 1]}\033[K")  # a full line would wrap

    def tick(self):
        """Called when every step has been shown."""

    def end(self):
        if not self.opening:
            show("\r\033[K")


class LineNowAndThen(Report):
    def __init__(self, opening, every_s):
        super().__init__(opening)
        self.every_s = every_s
        self.due = time.monotonic() + every_s
        self.text = ""

    @property
    def wait_s(self):
        return max(self.due - time.monotonic(), 0)

    def step(self, done, steps, _what):
        self.open()
        self.text = f"ina: building: {done} of {steps} steps\n"

    def tick(self):
        if self.wait_s == 0:
            self.open()
            show(self.text)
            self.due = time.monotonic() + self.every_s

    def end(self):
        """Ends an open line."""


class Build:
    """A process group that is ended by a signal to this process. `number`: that signal, or 0."""

    def __init__(self, command):
        self.number = 0
        self.popen = None
        self.wake_up, signalled = os.pipe()  # wakes select() even if the signal arrives right before it
        os.set_blocking(signalled, False)
        signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupt)
        self.popen = subprocess.Popen(
            command,
            env=os.environ | {"NINJA_STATUS": "[%f/%t] "},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        if self.number:  # the signal came before the build started
            self.end()

    def interrupt(self, number, _frame):
        self.number = number
        if self.popen:
            self.end()

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGINT)  # makes ninja end its compilers

    def output(self, report):
        """The output, until all of its processes have ended."""
        pipe = self.popen.stdout.fileno()
        while True:
            ready = select.select([pipe, self.wake_up], [], [], report.wait_s)[0]
            if self.wake_up in ready:
                os.read(self.wake_up, 4096)
            if pipe in ready:
                text = os.read(pipe, 65536)
                if not text:
                    return
                yield text
            report.tick()

    def status(self):
        status = self.popen.wait()
        return 128 + self.number if self.number else status if status >= 0 else 128 - status


def watch(build, log, report):
    begun = b""  # start of an incomplete line
    for text in build.output(report):
        log.write(text)
        *lines, begun = (begun + text).split(b"\n")
        for line in lines:
            step = STEP.match(line)
            if step and step[3] not in IN_EVERY_BUILD:
                report.step(int(step[1]), int(step[2]), step[3])


def report_of(what, path, every_s):
    opening = f"ina: building {what} (log: {path})\n"
    if os.isatty(sys.stderr.fileno()):
        return TerminalLine(opening)
    return LineNowAndThen(opening, every_s)


def main(what, path, every_s, *command):
    report = report_of(what, path, float(every_s))
    build = None
    try:
        with open(path, "wb", buffering=0) as log:
            build = Build(command)
            watch(build, log, report)
    except OSError as error:
        if build:
            build.end()
        report.end()
        show(f"ina: {error.filename or path}: {error.strerror}\n")
        return LOG_ERROR
    report.end()
    return build.status()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

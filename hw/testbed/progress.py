# SPDX-License-Identifier: BSD-3-Clause
"""Progress of an experiment, on standard error."""

import math
import os
import sys
import time

EVERY_S = 60  # without a terminal


class Quiet:
    """Progress that shows nothing."""

    wait_s = math.inf

    def tick(self):
        """Does nothing."""


class Progress:
    """On a terminal, shows a line that is rewritten as each run begins. Elsewhere, prints a line
    per minute, also during a run. `now`: the clock, in seconds."""

    def __init__(self, runs, now=time.monotonic):
        self.runs = runs
        self.now = now
        self.shown_at = self.began = now()
        self.number = 0
        self.mean_s = None
        self.on_terminal = sys.stderr.isatty()

    def begin(self, number, times_s):
        """Begins run `number`, counted from 1. `times_s`: durations of the previous runs."""
        self.number = number
        self.began = self.now()
        self.mean_s = sum(times_s) / len(times_s) if times_s else None
        if self.on_terminal:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
            self.write(f"\r{self.text(0)[:columns - 1]}\033[K")  # a full line would wrap
        else:
            self.tick()

    @property
    def wait_s(self):
        """Time in seconds until the next tick that has something to show."""
        return math.inf if self.on_terminal else max(self.shown_at + EVERY_S - self.now(), 0)

    def tick(self):
        now = self.now()
        if not self.on_terminal and now - self.shown_at >= EVERY_S:
            self.shown_at = now
            self.write(f"ina: {self.text(now - self.began)}\n")

    def text(self, elapsed_s):
        parts = [f"run {self.number} of {self.runs}"]
        if elapsed_s >= 60:
            parts.append(f"{elapsed_s // 60:.0f} min in")
        if self.mean_s is not None:
            left = self.mean_s * (self.runs - self.number) + max(self.mean_s - elapsed_s, 0)
            parts.append(f"about {left:.0f} s left")
        return ", ".join(parts)

    def clear(self):
        if self.on_terminal:
            self.write("\r\033[K")

    def write(self, text):
        print(text, end="", file=sys.stderr, flush=True)

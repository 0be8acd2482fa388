# SPDX-License-Identifier: BSD-3-Clause
"""How far an experiment is, on standard error."""

import os
import sys
import time

EVERY_S = 60  # where there is no terminal


class Progress:
    """On a terminal a line that is rewritten as each run begins, elsewhere one a minute. `now`: the
    clock, in seconds."""

    def __init__(self, runs, now=time.monotonic):
        self.runs = runs
        self.now = now
        self.told = now()
        self.on_terminal = sys.stderr.isatty()

    def begin(self, number, times_s):
        """Run `number`, from 1, begins; those before took these times."""
        text = f"run {number} of {self.runs}"
        if times_s:
            left = sum(times_s) / len(times_s) * (self.runs - number + 1)
            text += f", about {left:.0f} s left"
        if self.on_terminal:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
            self.write(f"\r{text[:columns - 1]}\033[K")  # a full line would wrap
        elif self.now() - self.told >= EVERY_S:
            self.told = self.now()
            self.write(f"ina: {text}\n")

    def clear(self):
        if self.on_terminal:
            self.write("\r\033[K")

    def write(self, text):
        print(text, end="", file=sys.stderr, flush=True)

# SPDX-License-Identifier: BSD-3-Clause
"""How far runs are: a bar in a terminal or a notebook, elsewhere the simulator's own lines."""

import re
import sys

from tqdm import tqdm

PREFIX = "ina: "
LINE = re.compile(r"ina: (?P<name>.+): +(?P<percent>[\d.]+) %  (?P<runs>\d+/\d+ runs)  at ")
INTERVAL_MS = 200
FORMAT = "{desc}: {percentage:3.0f} %|{bar:30}| {postfix[0]}, {elapsed}, {remaining} left"


class Progress:
    """Reads the simulator's standard error. `messages`: the lines that are not of progress."""

    def __init__(self, is_shown):
        self.is_shown = is_shown
        self.has_bar = is_shown and is_interactive()
        self.messages = []
        self.bar = None

    @property
    def options(self):
        """Of the simulator, which by itself reports every minute."""
        return [f"--progress-interval={INTERVAL_MS}"] if self.has_bar else []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()

    def read(self, lines):
        for line in lines:
            step = LINE.match(line)
            if step is None:
                self.messages.append(line.strip().removeprefix(PREFIX))
            elif self.has_bar:
                self.show(step)
            elif self.is_shown:
                print(line, end="", file=sys.stderr, flush=True)

    def show(self, step):
        if self.bar is None:
            self.bar = tqdm(
                total=100, desc=step["name"], postfix=[step["runs"]], bar_format=FORMAT, leave=False,
                mininterval=0,
            )  # fmt: skip
        self.bar.postfix[0] = step["runs"]
        self.bar.update(float(step["percent"]) - self.bar.n)


def is_interactive():
    """Whether a line can be drawn over: in a terminal, or in a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules

# SPDX-License-Identifier: BSD-3-Clause
"""Figures and reports in a result folder. As a program, `-m analysis.kinds.result_figures DIR`
removes them. The testbed uses it when it replaces the runs that they were drawn from."""

import re
import sys
from pathlib import Path

from analysis import kinds
from hw.files import output


def is_one(path):
    """Whether a file is a figure, a page of one, or a report that we wrote into a result folder."""
    named = rf"(?:{'|'.join(map(re.escape, kinds.stems()))})(?:-\d+)?\.(?:png|pdf)|report\.html"
    is_named_so = re.fullmatch(named, path.name) is not None
    return is_named_so and path.is_file() and output.own_mark(path) == path.suffix[1:]


def remove(folder):
    for path in filter(is_one, list(folder.iterdir())):
        path.unlink()


if __name__ == "__main__":
    remove(Path(sys.argv[1]))

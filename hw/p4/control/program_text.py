# SPDX-License-Identifier: BSD-3-Clause
"""Constants of the P4 programs, read from their text."""

import re
from functools import cache
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[1]


@cache
def text(path):
    return (PROGRAMS / path).read_text(encoding="utf-8")


def number(path, name):
    """A constant in a file below hw/p4."""
    return int(re.search(rf"\bconst\s+[\w<>]+\s+{name}\s*=\s*(\w+);", text(path))[1], 0)


def shared(name):
    return number("shared/constants.p4", name)


def slots(program):
    """Number of pairs of slots that a program of SwitchML has."""
    return 1 << int(re.search(r"#define SLOT_BITS (\d+)", text(f"{program}/{program}.p4"))[1])


AGGREGATORS = number("shared/aggregators.p4", "AGGREGATORS")
NOBODY = number("shared/aggregators.p4", "NOBODY")

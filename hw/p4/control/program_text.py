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


def macro(path, name):
    """A number that a file below hw/p4 defines for the preprocessor."""
    return int(re.search(rf"#define {name} (\d+)", text(path))[1])


def shared(name):
    return number("shared/constants.p4", name)


def slots(program):
    """Number of pairs of slots that a program of SwitchML has."""
    return 1 << macro(f"{program}/{program}.p4", "SLOT_BITS")


AGGREGATORS = number("shared/aggregators.p4", "AGGREGATORS")
NOBODY = number("shared/aggregators.p4", "NOBODY")

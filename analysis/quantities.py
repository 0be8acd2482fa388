# SPDX-License-Identifier: BSD-3-Clause
"""Quantities in the notation of scenarios: "5MB", "2.5us", "100Gbps", "0.1%" or a bare number."""

import re
from collections import Counter

QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z%]*)")

# unit -> (dimension, size in the dimension's base unit)
UNITS = {
    "": ("number", 1.0),
    "%": ("share", 0.01),
    **{unit: ("time", 10.0**power) for unit, power in
       {"ps": -12, "ns": -9, "us": -6, "ms": -3, "s": 0}.items()},
    **{unit: ("rate", 10.0**power) for unit, power in
       {"bps": 0, "kbps": 3, "Mbps": 6, "Gbps": 9, "Tbps": 12}.items()},
    **{unit: ("bytes", 10.0**power) for unit, power in
       {"B": 0, "kB": 3, "KB": 3, "MB": 6, "GB": 9}.items()},
    **{unit: ("bytes", 1024.0**power) for unit, power in
       {"KiB": 1, "MiB": 2, "GiB": 3}.items()},
}


def parse(text):
    """The number and the unit of a quantity, or None if the text is not one."""
    match = QUANTITY.fullmatch(text.strip())
    if match is None or match[2] not in UNITS:
        return None
    return float(match[1]), match[2]


def common_scale(texts):
    """All texts as numbers in the unit that most of them use: (numbers, unit).

    (None, "") if one of them is not a quantity or their dimensions differ.
    """
    parsed = [parse(text) for text in texts]
    if None in parsed or len({UNITS[unit][0] for _, unit in parsed}) != 1:
        return None, ""
    unit = Counter(unit for _, unit in parsed).most_common(1)[0][0]
    return [number * UNITS[own][1] / UNITS[unit][1] for number, own in parsed], unit

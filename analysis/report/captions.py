# SPDX-License-Identifier: BSD-3-Clause
"""Captions of the figures of a result folder."""

from analysis.kinds import style
from analysis.results import COMPARED

# By swept key.
REMARKS = {
    "/switch/memory_bytes": "Memory decides as far as tasks collide. In runs without jitter or "
    "unequal links the packets of a task arrive at the same instant, and few tasks collide. Under "
    "DSA a task that was split waits for the reminder, which can cost more than memory saves.",
}


def caption(kind, stem, shape, page):
    """The text below a page of a figure of a kinds.Kind; `shape` is the layout of the average times."""
    parts = [kind.captions[stem]]
    if kind.report.names_axes:
        parts.append(arrangement(shape))
        parts += [REMARKS.get(axis.key, "") for axis in shape.axes if axis.is_varied]
    if page > 0:
        parts.append(f"Page {page + 1}.")
    return " ".join(filter(None, parts))


def arrangement(shape):
    """The axes that are shown; a system or a variant names itself."""
    named = [("x axis", shape.x), ("lines or bars", shape.lines)]
    named += [("panels", axis) for axis in shape.panels]
    shown = [
        f"{role}: {name_of(axis)}" for role, axis in named if axis is not None and axis.is_varied
    ]
    text = "; ".join(shown)
    return f"{text[0].upper()}{text[1:]}." if shown else ""


def name_of(axis):
    return f"{axis.key}s" if axis.key in COMPARED else style.axis_name(axis)

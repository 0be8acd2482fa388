# SPDX-License-Identifier: BSD-3-Clause
"""Captions of the figures of a result folder, by the stem of their files."""

from analysis import style
from analysis.results import COMPARED

MEAN = "mean over the jobs that finished, then over seeds"
SHOWN = {
    "jct": f"Average JCT: {MEAN}.",
    "iteration": f"Average time of an iteration: {MEAN}.",
    "loss": "Average JCT and goodput of a worker over the probability of loss. The goodput is the "
    "bits of its values over the time of an iteration.",
    "cdf": "Share of the jobs that took no longer than a time, all seeds together.",
    "iteration_cdf": "Share of the iterations that took no longer than a time, all seeds together.",
    "breakdown": "Parts of the time of an iteration, and the whole as a black line.",
    "occupancy": "Aggregators that each job holds over time, one job above the other, in one seed.",
    "occupation": "Share of the tasks that held an aggregator no longer than a time.",
    "links": "Share of the time in which links send, mean over seeds.",
    "series": "Share of each interval in which a link sends; below it its longest queue. One seed.",
    "flows": "Completion times of flows by their size, mean and 99th percentile.",
}
WITH_LAYOUT = ("jct", "iteration", "loss")
# By swept key.
REMARKS = {
    "/switch/memory_bytes": "Memory decides as far as tasks collide. In runs without jitter or "
    "unequal links the packets of a task arrive at the same instant, and few tasks collide. Under "
    "DSA a task that was split waits for the reminder, which can cost more than memory saves.",
}


def caption(stem, shape, page):
    """The text below a page of a figure; `shape` is the layout of the average times."""
    parts = [SHOWN[stem]]
    if stem in WITH_LAYOUT:
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

# SPDX-License-Identifier: BSD-3-Clause
"""JCT curves: averages over jobs, then over seeds, and which axis of a sweep plays which part."""

import re
from dataclasses import dataclass

from analysis.results import Axis

REFERENCE_SYSTEM = "dsa"
JCT_COLUMN = "jct_us"
US_PER_MS = 1000.0
BITS_PER_VALUE = 32
BITS_PER_US_AT_1_GBPS = 1000.0
PLOTTED = (
    "jct_ms", "low_ms", "high_ms", "ratio_to_dsa", "goodput_gbps", "low_gbps", "high_gbps",
)
LOSS_KEY = re.compile(r"/faults/links/\d+/loss")


@dataclass(frozen=True)
class Layout:
    """The part of each varied axis in a figure."""

    x: Axis | None  # the first numeric axis
    groups: Axis | None  # without x: the first categorical axis
    facets: tuple[Axis, ...]  # one panel for each combination of their values


def layout(axes):
    varied = [axis for axis in axes if len(set(axis.values)) > 1]
    x = next((axis for axis in varied if axis.numbers is not None), None)
    groups = varied[0] if varied and x is None else None
    return Layout(x, groups, tuple(axis for axis in varied if axis not in (x, groups)))


def mean_over_jobs(results):
    """One row for each swept point, system and seed: `jct_ms`, the mean JCT of its finished jobs."""
    keys = results.keys
    jobs = results.finished_jobs([JCT_COLUMN])
    means = jobs.groupby([*keys, "system", "seed"], sort=False)[JCT_COLUMN].mean() / US_PER_MS
    return means.rename("jct_ms").reset_index()


def jct_points(results):
    """One row for each swept point and system.

    `jct_ms` is the mean over seeds, `low_ms` and `high_ms` their minimum and maximum, `seeds` their
    number, `ratio_to_dsa` the quotient of the means (missing where DSA did not run).
    """
    keys = results.keys
    by_seed = mean_over_jobs(results)
    by_point = by_seed.groupby([*keys, "system"], sort=False)["jct_ms"]
    points = by_point.agg(jct_ms="mean", low_ms="min", high_ms="max", seeds="count").reset_index()
    return with_ratio(points, keys)


def is_over_loss(results):
    """Whether the x axis is a probability of loss."""
    x = layout(results.axes).x
    return x is not None and LOSS_KEY.fullmatch(x.key) is not None


def loss_points(results):
    """jct_points, and beside each `goodput_gbps` with its `low_gbps` and `high_gbps`: the values
    that a worker gets in an iteration over its JCT, mean over jobs and seeds."""
    keys = results.keys
    jobs = results.finished_jobs([JCT_COLUMN, "values"])
    bits = jobs["values"] * BITS_PER_VALUE
    jobs = jobs.assign(gbps=bits / (jobs[JCT_COLUMN] * BITS_PER_US_AT_1_GBPS))
    by_seed = jobs.groupby([*keys, "system", "seed"], sort=False)["gbps"].mean().reset_index()
    by_point = by_seed.groupby([*keys, "system"], sort=False)["gbps"]
    goodput = by_point.agg(goodput_gbps="mean", low_gbps="min", high_gbps="max")
    return jct_points(results).join(goodput, on=[*keys, "system"])


def with_ratio(points, keys):
    reference = points[points["system"] == REFERENCE_SYSTEM].set_index(keys or "system")["jct_ms"]
    if keys:
        joined = points.join(reference.rename("reference_ms"), on=keys)
    else:
        joined = points.assign(reference_ms=reference.get(REFERENCE_SYSTEM))
    return joined.assign(
        ratio_to_dsa=joined["jct_ms"] / joined["reference_ms"].astype(float)
    ).drop(columns="reference_ms")


def facets_of(points, axes):
    """Each combination of the axes' values that has points: [({key: value}, its points)]."""
    found = [({}, points)]
    for axis in axes:
        found = [
            ({**facet, axis.key: value}, rows[rows[axis.key] == value])
            for facet, rows in found
            for value in dict.fromkeys(axis.values)
        ]
    return [(facet, rows) for facet, rows in found if not rows.empty]


def to_json(results, points):
    """The plotted numbers: one entry per point, swept keys by their names."""
    columns = [column for column in PLOTTED if column in points]
    rows = points.astype({column: object for column in columns})
    return {
        "name": results.name,
        "spread": "minimum and maximum over seeds",
        "points": rows.where(points.notna(), None).to_dict("records"),
    }

# SPDX-License-Identifier: BSD-3-Clause
"""Variants or systems side by side: a row for each combination of the other swept values, with the
smallest means marked."""

from dataclasses import dataclass

from analysis import layout


@dataclass(frozen=True)
class Row:
    facet: dict  # {swept key: value}
    points: dict  # {value of the compared axis: a row of report.points()}
    best: frozenset  # values whose mean may be the smallest


def axes_of(shape):
    """(compared axis, axes of the rows). The compared axis is None if the points vary in at most
    one of both; the table of all points then suffices."""
    rows = [axis for axis in shape.axes if axis is not shape.lines and axis.is_varied]
    compares = shape.lines is not None and shape.lines.is_varied and rows
    return (shape.lines if compares else None), rows


def rows(points, shape, measure):
    """The rows of a table of the estimates of a curves.Measure."""
    compared, axes = axes_of(shape)
    found = []
    for facet, those in layout.facets_of(points, axes):
        by_value = {point[compared.key]: point for _, point in those.iterrows()}
        estimates = {value: point[measure] for value, point in by_value.items()}
        found.append(Row(facet, by_value, best(estimates)))
    return found


def best_points(points, shape, measure):
    """The positions of the best points, if only variants or systems differ."""
    compared, axes = axes_of(shape)
    if compared is not None or axes or len(points) < 2:
        return frozenset()
    return best(dict(enumerate(points[measure])))


def best(estimates):
    """The values with the smallest mean, or with an interval that overlaps its interval.

    Empty without two means with intervals, because the variation between seeds is unknown then.
    """
    known = {
        value: found for value, found in estimates.items()
        if found is not None and found.half_width is not None
    }
    if len(known) < 2:
        return frozenset()
    least = min(known.values(), key=lambda found: found.mean)
    return frozenset(value for value, found in known.items() if found.low <= least.high)

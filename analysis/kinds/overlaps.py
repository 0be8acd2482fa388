# SPDX-License-Identifier: BSD-3-Clause
"""Keeps lines visible that run along each other: the lower one is wider there."""

from dataclasses import dataclass
from itertools import pairwise

from matplotlib.collections import LineCollection

NEAR = 0.008  # as a share of the axis, about the width of a line
STEP_POINTS = 1.4  # from a line to that below it
MOST_POINTS = 7.0  # of all steps: eight lines keep 1 point each


@dataclass(frozen=True)
class Extra:
    """How many points wider a line has to be, to be seen below others."""

    at: list[float]  # its positions
    between: list[float]  # each and the next


def extra_widths(lines):
    """The Extra of each line, of which the last is uppermost. A line is {x: position}, the position
    as a share of the axis."""
    above = covers(lines)
    at = [list(map(depth, one.values())) for one in above]
    between = [[depth(common(*ends)) for ends in pairwise(one.values())] for one in above]
    step = min(STEP_POINTS, MOST_POINTS / max([1, *(one for depths in at for one in depths)]))
    return [
        Extra([step * one for one in points], [step * one for one in lengths])
        for points, lengths in zip(at, between)
    ]


def covers(lines):
    """For each line {x: {line above it there: how many lie on that}}."""
    found = [{} for _ in lines]
    for index in reversed(range(len(lines))):
        for x, position in lines[index].items():
            found[index][x] = {
                other: depth(found[other][x])
                for other in range(index + 1, len(lines))
                if x in lines[other] and abs(lines[other][x] - position) <= NEAR
            }
    return found


def depth(cover):
    return max((number + 1 for number in cover.values()), default=0)


def common(one, other):
    """The cover of the length between two positions."""
    return {line: min(one[line], other[line]) for line in one if line in other}


def axes_positions(axes, points):
    """[(x, y)] as shares of the axes, by the scales and limits that these have."""
    return (axes.transScale + axes.transLimits).transform(points).reshape(-1, 2)


def widen(axes, points, extra, colour, line_points):
    """Widens a line through points, [(x, y)], by what is `extra` between each and the next."""
    wide = [(ends, width) for ends, width in zip(pairwise(points), extra) if width > 0]
    axes.add_collection(
        LineCollection(
            [ends for ends, _ in wide], linewidths=[line_points + width for _, width in wide],
            colors=colour, capstyle="round", zorder=2,
        ),
        autolim=False,
    )  # fmt: skip

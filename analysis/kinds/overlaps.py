# SPDX-License-Identifier: BSD-3-Clause
"""Keeps overlapping lines visible by making the lower ones wider."""

from dataclasses import dataclass
from itertools import pairwise

from matplotlib.collections import LineCollection

NEAR = 0.008  # share of the axis, about the width of a line
STEP_POINTS = 1.4  # added per covering line
MOST_POINTS = 7.0  # maximum sum; with eight lines, 1 point each


@dataclass(frozen=True)
class Extra:
    """Additional width in points that makes a line visible below others."""

    at: list[float]  # at its positions
    between: list[float]  # between neighbouring positions


def extra_widths(lines):
    """The Extra of each line; later lines are drawn on top. A line is {x: position}, with positions
    as shares of the axis."""
    above = covers(lines)
    at = [list(map(depth, one.values())) for one in above]
    between = [[depth(common(*ends)) for ends in pairwise(one.values())] for one in above]
    step = min(STEP_POINTS, MOST_POINTS / max([1, *(one for depths in at for one in depths)]))
    return [
        Extra([step * one for one in points], [step * one for one in lengths])
        for points, lengths in zip(at, between)
    ]


def covers(lines):
    """For each line {x: {covering line: number of lines above that one}}."""
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
    """The common cover of two positions, which applies between them."""
    return {line: min(one[line], other[line]) for line in one if line in other}


def axes_positions(axes, points):
    """[(x, y)] as shares of the axes, with their current scales and limits."""
    return (axes.transScale + axes.transLimits).transform(points).reshape(-1, 2)


def widen(axes, points, extra, colour, line_points):
    """Widens the line through the points [(x, y)] by the widths in `extra`."""
    wide = [(ends, width) for ends, width in zip(pairwise(points), extra) if width > 0]
    axes.add_collection(
        LineCollection(
            [ends for ends, _ in wide], linewidths=[line_points + width for _, width in wide],
            colors=colour, capstyle="round", zorder=2,
        ),
        autolim=False,
    )  # fmt: skip

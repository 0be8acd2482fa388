# SPDX-License-Identifier: BSD-3-Clause
"""Overlapping lines all remain visible."""

import itertools

import pytest

from analysis import curves, layout, results
from analysis.kinds import cdf, jct, overlaps

COUNTS = {"/jobs/count": [1, 2, 4, 8]}
EIGHT = {f"v{number}": "dsa" for number in range(8)}


def test_a_line_is_wider_by_a_step_for_each_line_upon_it():
    flat, bent = {0: 0.5, 1: 0.5, 2: 0.5}, {0: 0.5, 1: 0.5, 2: 0.9}
    step = overlaps.STEP_POINTS
    lowest, middle, upper = overlaps.extra_widths([flat, flat, bent])
    assert (lowest.at, lowest.between) == ([2 * step, 2 * step, step], [2 * step, step])
    assert (middle.at, middle.between) == ([step, step, 0], [step, 0])
    assert (upper.at, upper.between) == ([0, 0, 0], [0, 0])


def test_lines_that_meet_different_lines_at_their_ends_are_not_wider_between():
    extra, *_ = overlaps.extra_widths([{0: 0, 1: 1}, {0: 0, 1: 0.5}, {0: 0.5, 1: 1}])
    assert min(extra.at) > 0 and extra.between == [0]


def test_lines_apart_are_as_they_were():
    assert all(
        not any([*extra.at, *extra.between])
        for extra in overlaps.extra_widths([{0: 0.1, 1: 0.1}, {0: 0.2, 1: 0.2}, {5: 0.1}])
    )


def figure_of(folder, kind):
    read = results.read(folder)
    if kind == "cdf":
        (figure,) = cdf.draw_rows(*cdf.of_jobs(read, layout.Choice(), ["/jobs/count=1"]), "JCT (ms)")
        return figure
    jobs = read.jobs()
    shape = layout.layout(read.with_system(jobs), read.seeds, layout.Choice(baseline="v7"))
    (figure,) = jct.draw_measure(shape, curves.points(jobs, shape), curves.JCT)
    return figure


@pytest.mark.parametrize("kind", ["jct", "cdf"])
def test_each_of_eight_equal_lines_can_be_seen(result_folder, kind):
    figure = figure_of(result_folder(axes=COUNTS, variants=EIGHT, seeds=(1,)), kind)
    for axes in figure.axes:
        assert len(axes.collections) == 8
        widths = [max(lines.get_linewidths(), default=0) for lines in axes.collections]
        assert all(lower - upper >= 0.9 for lower, upper in itertools.pairwise(widths))

# SPDX-License-Identifier: BSD-3-Clause
"""Distributions of JCTs and of iteration times: a line per value of one axis, a panel per value of
the others."""

import numpy
from matplotlib.lines import Line2D

from analysis import curves, layout
from analysis.kinds import Drawn, InReport, curve_panels, figure_kind, overlaps, panels, style
from analysis.results import FINISHED, SEED, Axis

VALUE = "time_ms"  # the distributed quantity
PROFILE = "profile"
PERCENTILES = (50, 95, 99)
SHARES = [number / 100 for number in range(1, 101)]  # shares at which overlapping lines are checked
MARGIN = 0.03  # share of the range of times, on each side
LOG_FROM = 30  # minimum quotient of the longest and the shortest time


@figure_kind(
    name="cdf", order=2, summary="the distribution of JCTs", tables=("jobs.csv", "iterations.csv"),
    options=("lines", "panels", "only", "other"), report=InReport(2, "Distributions"),
    captions={
        "cdf": "Share of the jobs that took no longer than a time, all seeds together.",
        "iteration_cdf": "Share of the iterations that took no longer than a time, all seeds together.",
    },
)  # fmt: skip
def draw(read, wanted):
    rows, shape = of_jobs(read, wanted.choice, wanted.only)
    pages = {"cdf": draw_rows(rows, shape, "JCT (ms)")}
    found = {"jct": numbers(rows, shape)}
    note = "no job finished, so the figures are empty" if rows[VALUE].isna().all() else ""
    if curves.has_iterations(rows):
        rows, shape = of_iterations(read, wanted.choice, wanted.only)
        pages["iteration_cdf"] = draw_rows(rows, shape, "Iteration time (ms)")
        found["iteration"] = numbers(rows, shape)
    return Drawn(pages, found, note)


def of_jobs(results, choice, only):
    """(rows, Layout): the JCT of each job within `only`, NaN if it failed."""
    jobs = results.jobs()
    finished = jobs["status"] == FINISHED
    rows = jobs.assign(**{VALUE: (jobs["jct_us"] / curves.US_PER_MS).where(finished)})
    return arranged(results, rows, choice, only)


def of_iterations(results, choice, only):
    """The same for each iteration; NaN for iterations of failed jobs."""
    run_and_job = ["point", SEED, "job"]
    jobs = results.jobs()[[*run_and_job, PROFILE, "status"]]
    rows = results.iterations([]).merge(jobs, on=run_and_job)
    finished = rows["status"] == FINISHED
    rows = rows.assign(**{VALUE: (rows["period_us"] / curves.US_PER_MS).where(finished)})
    return arranged(results, rows, choice, only)


def arranged(results, rows, choice, only):
    axes, rows = layout.narrowed(results.with_system(rows), results.seeds, rows, only)
    profiles = Axis(PROFILE, tuple(sorted(set(rows[PROFILE]), key=style.natural)))
    return rows, layout.layout_without_x(axes, [profiles], results.seeds, choice)


def draw_rows(rows, shape, label):
    """Yields the pages; `label` is the label of the times."""
    facets = layout.facets_of(rows, shape.panels)
    columns = panels.columns_for(len(facets))
    ends = ends_of(rows[VALUE])
    for page in panels.pages_of(facets, columns):
        yield draw_page(shape, page, columns, ends, label, note_of(rows))


def note_of(rows):
    failed = int(rows[VALUE].isna().sum())
    left_out = f"left out because their jobs failed: {failed} of {len(rows)}" if failed else ""
    return ", ".join(filter(None, ["all seeds of a line together", left_out]))


def ends_of(values):
    """(shortest, longest, whether the axis is logarithmic), with margins. All panels have the same
    ends, so that they can be compared."""
    values = values.dropna()
    if values.empty:
        return 0, 1, False
    least, most = values.min(), values.max()
    if least > 0 and most >= LOG_FROM * least:
        margin = (most / least) ** MARGIN
        return least / margin, most * margin, True
    margin = MARGIN * (most - least) or MARGIN * most or 1
    return least - margin, most + margin, False


def draw_page(shape, page, columns, ends, label, note):
    figure, cells, shown = panels.filled(
        page, columns, shape.panels, lambda axes, rows: draw_panel(axes, rows, shape, ends)
    )
    panels.label(figure, cells, label, "CDF", "")
    return panels.framed(figure, shown, shape, handle_of, note)


def draw_panel(axes, rows, shape, ends):
    """{name: Look}"""
    least, most, is_logarithmic = ends
    axes.set(xlim=(least, most), ylim=(0, 1.01))
    if is_logarithmic:
        panels.logarithmic(axes.xaxis)
    finished = rows[rows[VALUE].notna()]
    if finished.empty:
        panels.mark_empty(axes)
    lines = panels.lines_of(finished, shape)
    times = [dict(zip(SHARES, times_at(SHARES, of_line[VALUE]))) for *_, of_line in lines]
    extra = overlaps.extra_widths([axes_positions(axes, one) for one in times])
    for (_, look, of_line), one, wider in zip(lines, times, extra):
        overlaps.widen(axes, corners(one), along_corners(wider), look.colour, curve_panels.LINE_POINTS)
        axes.step(*steps(of_line[VALUE]), where="post", **looks_of(look))
    return {name: look for name, look, _ in lines}


def looks_of(look):
    return curve_panels.looks_of(look) | {"marker": "", "linewidth": curve_panels.LINE_POINTS}


def handle_of(look):
    return Line2D([], [], **looks_of(look))


def times_at(shares, values):
    """The quantiles of the values at these shares."""
    return numpy.quantile(values, shares, method="inverted_cdf")


def axes_positions(axes, times):
    """{share: position of its time}"""
    points = [(time, share) for share, time in times.items()]
    return dict(zip(times, overlaps.axes_positions(axes, points)[:, 0]))


def corners(times):
    """The points of the stepped line through {share: time}: vertical to each share from the one before."""
    before = [0, *times][:-1]
    upright = zip(before, times.items())
    return [(time, end) for start, (share, time) in upright for end in (start, share)]


def along_corners(extra):
    """Positions along the alternating vertical and horizontal segments."""
    return [width for pair in zip(extra.at, [*extra.between, 0]) for width in pair]


def steps(values):
    """(times, shares of the values that they reach) along the line, which starts at share 0."""
    times = numpy.sort(values.to_numpy())
    return numpy.concatenate([times[:1], times]), numpy.arange(len(times) + 1) / len(times)


def numbers(rows, shape):
    """One row per line of each panel: its values and percentiles."""
    found = []
    for facet, in_panel in layout.facets_of(rows, shape.axes):
        times = in_panel[VALUE].dropna().sort_values()
        row = facet | {"count": len(times), "left_out": len(in_panel) - len(times)}
        for percent in PERCENTILES:
            row[f"p{percent}_ms"] = None if times.empty else float(times.quantile(percent / 100))
        found.append(row | {"times_ms": times.tolist()})
    return found

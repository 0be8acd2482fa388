# SPDX-License-Identifier: BSD-3-Clause
"""Durations for which tasks hold aggregators, as in DSA's Fig. 1: one distribution function per line."""

import numpy
import pandas
from matplotlib.lines import Line2D

from analysis import curves, layout
from analysis.kinds import Drawn, InReport, figure_kind, panels, style
from analysis.results import AnalysisError, Axis, check_present

TABLE = "occupation.csv"
NUMBERS = ["held_from_us", "held_until_us", "occupations", "held_mean_us"]
JOB = "job"
SWITCH = "switch"
PERCENTILES = (50, 90, 99)


@figure_kind(
    name="occupation", order=6, summary="the times for which tasks hold aggregators", tables=(TABLE,),
    options=("lines", "panels", "only"), report=InReport(5, "How long tasks hold aggregators"),
    captions={"occupation": "Share of the tasks that held an aggregator no longer than a time."},
)  # fmt: skip
def draw(results, wanted):
    rows, shape = read(results, wanted.choice, wanted.only)
    if rows.empty:
        raise AnalysisError(
            f"{results.folder / TABLE}: no task held an aggregator; allowed: rows to draw"
        )
    found = {"lines": curves.records(numbers(rows, shape))}
    return Drawn({"occupation": draw_rows(rows, shape)}, found)


def read(results, choice, only):
    """(rows, Layout): occupation.csv within `only`, with the model's name added to each job."""
    rows = results.table(TABLE)
    check_present(rows, NUMBERS, results.folder / TABLE)
    axes, rows = layout.narrowed_table(results, results.with_job_names(rows), only)
    others = [Axis(key, tuple(sorted(set(rows[key]), key=style.natural))) for key in (JOB, SWITCH)]
    return rows, layout.layout_without_x(axes, others, results.seeds, choice)


def distribution(rows):
    """The cumulative `share` of occupations by duration, from the bins of all rows."""
    total = rows.assign(sum_us=rows["held_mean_us"] * rows["occupations"])
    bins = total.groupby(["held_from_us", "held_until_us"])[["occupations", "sum_us"]].sum().reset_index()
    return bins.assign(share=bins["occupations"].cumsum() / bins["occupations"].sum())


def ends_of(rows):
    """The ends of the logarithmic time axis; one microsecond if all durations are 0."""
    positive = rows["held_from_us"][rows["held_from_us"] > 0]
    longest = rows["held_until_us"].max()
    if positive.empty or not longest > positive.min():
        return 0.1, max(1.0, longest)
    return positive.min(), longest


def draw_rows(rows, shape):
    """Yields the pages: a panel per facet, a line per value of `shape.lines`."""
    facets = layout.facets_of(rows, shape.panels)
    columns = panels.columns_for(len(facets))
    ends = ends_of(rows)
    for page in panels.pages_of(facets, columns):
        yield draw_page(shape, page, columns, ends)


def draw_page(shape, page, columns, ends):
    figure, cells, shown = panels.filled(
        page, columns, shape.panels, lambda axes, rows: draw_panel(axes, rows, shape)
    )
    for axes, _ in cells:
        axes.set_xlim(*ends)
        panels.logarithmic(axes.xaxis)
        axes.set_ylim(0, 1)
    panels.label(figure, cells, "Aggregator occupation time (us)", "CDF", "")
    note = "of all jobs, switches and seeds of a line"
    return panels.framed(figure, shown, shape, handle_of, note)


def draw_panel(axes, rows, shape):
    """{name: Look}"""
    lines = panels.lines_of(rows, shape)
    for _, look, of_line in lines:
        axes.plot(*corners(distribution(of_line)), color=look.colour, linestyle=look.dash)
    return {name: look for name, look, _ in lines}


def handle_of(look):
    return Line2D([], [], color=look.colour, linestyle=look.dash)


def corners(bins):
    """The corner points of the line: it rises within bins and is constant between them."""
    times = bins[["held_from_us", "held_until_us"]].to_numpy().ravel()
    before = bins["share"].shift(fill_value=0)
    return times, numpy.column_stack([before, bins["share"]]).ravel()


def numbers(rows, shape):
    """One row per line of each panel, with the numbers that DSA's text states about its figure."""
    found = []
    for facet, in_panel in layout.facets_of(rows, (*shape.panels, shape.lines)):
        bins = distribution(in_panel)
        count = bins["occupations"].sum()
        found.append(facet | {"occupations": int(count), "mean_us": bins["sum_us"].sum() / count})
        for percent in PERCENTILES:
            reached = bins["share"] >= percent / 100
            found[-1][f"p{percent}_us"] = float(bins["held_until_us"][reached].iloc[0])
        found[-1]["max_us"] = float(bins["held_until_us"].iloc[-1])
    return pandas.DataFrame(found)

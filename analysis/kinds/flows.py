# SPDX-License-Identifier: BSD-3-Clause
"""Completion times of background flows by size: the mean and the 99th percentile, a pair of lines
per value of an axis. Panels below count the flows."""

import numpy
import pandas
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter

from analysis import curves, layout
from analysis.kinds import Drawn, InReport, curve_panels, figure_kind, panels, style
from analysis.results import AnalysisError, Axis, require

TABLE = "flows.csv"
KIND = "kind"
SIZE = "size_bytes"
COMPLETION = "completion_us"
FROM, UNTIL = "size_from_bytes", "size_until_bytes"  # ends of a bin, the second one exclusive
BINS_A_DECADE = 3
P99 = "p99_us"
MEAN = "mean_us"
# Other dashes for the same line would look like another line.
WIDTHS = {MEAN: 1.4, P99: 0.7}
FILLS = {MEAN: "full", P99: "none"}  # of the markers
NAMES = {MEAN: "mean", P99: "99th percentile"}
LEAST_FLOWS = 20  # per percentile; with fewer flows it is just the longest time
MARGIN = 1.3  # of a logarithmic axis with one point


@figure_kind(
    name="flows", order=7, summary="the completion times of flows of other traffic", tables=(TABLE,),
    options=("lines", "panels", "only"),
    report=InReport(8, "Flows of other traffic", needs_jobs=False),
    captions={"flows": "Completion times of flows by their size, mean and 99th percentile."},
)  # fmt: skip
def draw(results, wanted):
    rows, shape = read(results, wanted.choice, wanted.only)
    found = {"least_flows_of_p99": LEAST_FLOWS, "flows": curves.records(numbers(rows, shape))}
    return Drawn({"flows": draw_rows(rows, shape)}, found)


def read(results, choice, only):
    """(rows, Layout): the completed flows of flows.csv within `only`."""
    path = results.folder / TABLE
    rows = results.table(TABLE)
    require(rows, [SIZE, COMPLETION], path)
    axes, rows = layout.narrowed_table(results, rows[rows[COMPLETION].notna()], only)
    if rows.empty:
        raise AnalysisError(f"{path}: no flow completed; allowed: rows to draw")
    kinds = Axis(KIND, tuple(sorted(set(rows[KIND]))))
    return rows, layout.layout_without_x(axes, [kinds], results.seeds, choice)


def by_size(flows):
    """For each bin of sizes with flows: its ends, the mean size, the number of flows, their mean
    and their P99, which is NaN for fewer than LEAST_FLOWS."""
    index = numpy.floor(numpy.log10(flows[SIZE]) * BINS_A_DECADE + 1e-9).astype(int)
    bins = flows.groupby(index.rename("bin"))
    times = bins[COMPLETION]
    found = pandas.DataFrame({
        "flows": times.size(), "size_mean_bytes": bins[SIZE].mean(), MEAN: times.mean(),
        P99: times.quantile(0.99, interpolation="higher").where(times.size() >= LEAST_FLOWS),
    }).reset_index()  # fmt: skip
    start = found.pop("bin") / BINS_A_DECADE
    return found.assign(**{FROM: 10**start, UNTIL: 10 ** (start + 1 / BINS_A_DECADE)})


def numbers(rows, shape):
    """The bins of each line of each panel."""
    return pandas.concat([
        by_size(flows).assign(**facet)
        for facet, flows in layout.facets_of(rows, (*shape.panels, shape.lines))
    ])  # fmt: skip


def draw_rows(rows, shape):
    """Yields the pages: a panel per facet, a pair of lines per line of the Layout."""
    facets = layout.facets_of(rows, shape.panels)
    columns = panels.columns_for(len(facets))
    bins = numbers(rows, shape)
    ends = {
        "x": ends_of(bins["size_mean_bytes"]), "time": ends_of(bins[[MEAN, P99]].stack()),
        "flows": ends_of(bins["flows"]),
    }  # fmt: skip
    for page in panels.pages_of(facets, columns, panels.MAIN_INCHES + panels.RATIO_INCHES):
        yield draw_page(shape, page, columns, ends)


def ends_of(values):
    return values.min() / MARGIN, values.max() * MARGIN


def draw_page(shape, page, columns, ends):
    figure, pairs = panels.grid(len(page), columns, with_ratio=True)
    shown = {}
    for (facet, rows), (times, counts) in zip(page, pairs):
        panels.set_title(times, style.facet_title(facet, shape.panels))
        shown |= draw_panel(times, counts, rows, shape)
        times.set(xlim=ends["x"], ylim=ends["time"])
        counts.set_ylim(ends["flows"])
        panels.logarithmic(times.yaxis)
        panels.logarithmic(counts.yaxis)
        panels.logarithmic(counts.xaxis, EngFormatter(sep=""))
    panels.label(figure, pairs, "Flow size (B)", "Flow completion time (us)", "Flows")
    others = {
        NAMES[measure]: Line2D([], [], color="#555555", marker="o", **look_of(measure))
        for measure in WIDTHS
    }
    note = (
        "completed flows of all seeds of a line; a point for each third of a decade of sizes; "
        f"99th percentiles of {LEAST_FLOWS} flows or more"
    )
    return panels.framed(figure, shown, shape, curve_panels.handle_of, note, others)


def look_of(measure):
    return {"linewidth": WIDTHS[measure], "fillstyle": FILLS[measure]}


def draw_panel(times, counts, rows, shape):
    """{name: Look}"""
    lines = panels.lines_of(rows, shape)
    for _, look, flows in lines:
        bins = by_size(flows)
        sizes, looks = bins["size_mean_bytes"], curve_panels.looks_of(look)
        for measure in WIDTHS:
            times.plot(sizes, bins[measure], **looks, **look_of(measure))
        counts.plot(sizes, bins["flows"], **looks, markersize=3.5)
    return {name: look for name, look, _ in lines}

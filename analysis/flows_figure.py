# SPDX-License-Identifier: BSD-3-Clause
"""The figure of how long flows of other traffic take by their sizes: the mean, and the time that 99
of 100 do not exceed, a pair of lines for each value of an axis."""

import numpy
import pandas
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, FuncFormatter, NullFormatter

from analysis import layout, panels, style
from analysis.results import SEED, AnalysisError, Axis, require

TABLE = "flows.csv"
KIND = "kind"
SIZE = "size_bytes"
COMPLETION = "completion_us"
FROM, UNTIL = "size_from_bytes", "size_until_bytes"  # of a bin, the latter exclusive
BINS_A_DECADE = 3
P99 = "p99_us"
MEAN = "mean_us"
# Another dash for the same line would be taken for another line's.
WIDTHS = {MEAN: 1.4, P99: 0.7}
FILLS = {MEAN: "full", P99: "none"}  # of markers
NAMES = {MEAN: "mean", P99: "99th percentile"}
MARGIN = 1.3  # of a logarithmic axis with one point


def read(results, choice, only):
    """(rows, Layout): the flows of flows.csv that completed, as far as `only` goes."""
    path = results.folder / TABLE
    rows = results.table(TABLE)
    require(rows, [SIZE, COMPLETION], path)
    rows = rows[rows[COMPLETION].notna()].astype({SEED: str})
    axes, rows = layout.narrowed(results.with_system(rows), results.seeds, rows, only)
    if rows.empty:
        raise AnalysisError(f"{path}: no flow completed; allowed: rows to draw")
    kinds = Axis(KIND, tuple(sorted(set(rows[KIND]))))
    return rows, layout.layout_without_x(axes, [kinds], results.seeds, choice)


def by_size(flows):
    """For each bin of sizes that has flows: its ends, the mean size, how many, mean and P99."""
    index = numpy.floor(numpy.log10(flows[SIZE]) * BINS_A_DECADE + 1e-9).astype(int)
    bins = flows.groupby(index.rename("bin"))
    times = bins[COMPLETION]
    found = pandas.DataFrame({
        "flows": times.size(), "size_mean_bytes": bins[SIZE].mean(), MEAN: times.mean(),
        P99: times.quantile(0.99, interpolation="higher"),
    }).reset_index()  # fmt: skip
    start = found.pop("bin") / BINS_A_DECADE
    return found.assign(**{FROM: 10**start, UNTIL: 10 ** (start + 1 / BINS_A_DECADE)})


def numbers(rows, shape):
    """The bins of each line of each panel."""
    return pandas.concat([
        by_size(flows).assign(**facet)
        for facet, flows in layout.facets_of(rows, (*shape.panels, shape.lines))
    ])  # fmt: skip


def draw(rows, shape):
    """Yields the pages: a panel for each facet, a pair of lines for each value of `shape.lines`."""
    facets = layout.facets_of(rows, shape.panels)
    columns = panels.columns_for(len(facets))
    bins = numbers(rows, shape)
    ends = [ends_of(bins["size_mean_bytes"]), ends_of(bins[[MEAN, P99]].stack())]
    for page in panels.pages_of(facets, columns):
        yield draw_page(shape, page, columns, ends)


def ends_of(values):
    return values.min() / MARGIN, values.max() * MARGIN


def draw_page(shape, page, columns, ends):
    figure, cells, handles = panels.filled(
        page, columns, shape.panels, lambda axes, rows: draw_panel(axes, rows, shape.lines)
    )
    for axes, _ in cells:
        axes.set(xscale="log", yscale="log", xlim=ends[0], ylim=ends[1])
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_formatter(NullFormatter())
    panels.label(figure, cells, "Flow size (B)", "Flow completion time (us)", "")
    for measure, width in WIDTHS.items():
        handles[NAMES[measure]] = Line2D(
            [], [], color="#555555", linewidth=width, marker="o", fillstyle=FILLS[measure]
        )
    note = "completed flows of all seeds of a line; a point for each third of a decade of sizes"
    style.frame(figure, handles.values(), list(handles), note, style.legend_title(shape.lines))
    return figure


def draw_panel(axes, rows, lines):
    """{name: its line}"""
    handles = {}
    for name, look, flows in panels.lines_of(rows, lines):
        bins = by_size(flows)
        for measure, width in WIDTHS.items():
            (line,) = axes.plot(
                bins["size_mean_bytes"], bins[measure], color=look.colour, linestyle=look.dash,
                marker=look.marker, linewidth=width, fillstyle=FILLS[measure],
            )
            handles.setdefault(name, line)
    return handles

# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the average JCT and iteration time: curves over numeric keys, otherwise bars."""

from matplotlib.patches import Patch

from analysis import curves, error_bars, layout
from analysis.kinds import Drawn, InReport, curve_panels, figure_kind, loss, panels, style

# Widths of bars below which labels are upright, and below which bars have none.
UPRIGHT_BELOW_INCHES = 0.4
BARE_BELOW_INCHES = 0.09
GROUP_WIDTH = 0.84
MEAN = "mean over the jobs that finished, then over seeds"


@figure_kind(
    name="jct", order=1, summary="the average JCT", command="plot", tables=("jobs.csv",),
    options=("x", "baseline", "ratio", "spread", "lines", "panels", "other"),
    report=InReport(1, "Average times", names_axes=True),
    captions={
        "jct": f"Average JCT: {MEAN}.",
        "iteration": f"Average time of an iteration: {MEAN}.",
        "loss": "Average JCT and goodput of a worker over the probability of loss. Goodput: bits of the "
        "worker's values divided by the time of an iteration.",
    },
)  # fmt: skip
def draw(read, wanted):
    jobs = read.jobs()
    shape = layout.layout(read.with_system(jobs), read.seeds, wanted.choice)
    points = curves.points(jobs, shape, wanted.spread)
    pages = {"jct": draw_measure(shape, points, curves.JCT, wanted.spread)}
    if curves.has_iterations(jobs):
        pages["iteration"] = draw_measure(shape, points, curves.ITERATION, wanted.spread)
    if curves.is_over_loss(shape):
        pages["loss"] = loss.draw(shape, points, wanted.spread)
    note = "" if points["seeds"].sum() else "no job finished, so the figures are empty"
    return Drawn(pages, curves.to_json(read, shape, points, wanted.spread), note)


def draw_measure(shape, points, measure, spread=error_bars.INTERVAL):
    """Yields the pages for a curves.Measure of curves.points() in a Layout."""
    facets = layout.facets_of(points, shape.panels)
    tops = panels.common_tops([curve_panels.top_of(rows, measure) for _, rows in facets])
    draw_page = draw_curves if shape.has_curves else draw_bars
    columns = panels.columns_for(len(facets))
    has_ratios = has_ratio_panels(shape, columns) and points[measure.ratio].notna().any()
    row_inches = panels.MAIN_INCHES + panels.RATIO_INCHES * has_ratios
    of_folders = "ratios within each folder" if shape.folders and shape.baseline else ""
    note = ", ".join(filter(None, [curve_panels.note_of(points, spread), of_folders]))
    for page in panels.pages_of(list(zip(facets, tops)), columns, row_inches):
        yield draw_page(shape, page, columns, measure, note)


def has_ratio_panels(shape, columns):
    """Whether ratios of bars have panels of their own, because there is no room above the bars."""
    return shape.has_curves or bar_inches(shape, columns) < BARE_BELOW_INCHES


def bar_inches(shape, columns):
    groups = 1 if shape.x is None else len(shape.x.values)
    bars = 1 if shape.lines is None else len(shape.lines.values)
    bars *= 1 if shape.folders is None else len(shape.folders.values)
    return panels.axes_inches(columns) * GROUP_WIDTH / (groups * bars)


def draw_curves(shape, page, columns, measure, note):
    with_ratio = any(rows[measure.ratio].notna().any() for (_, rows), _ in page)
    figure, pairs = panels.grid(len(page), columns, with_ratio)
    shown = {}
    for ((facet, rows), top), (main, ratio) in zip(page, pairs):
        panels.set_title(main, style.facet_title(facet, shape.panels))
        panels.numeric_x(main, shape.x)
        main.set_ylim(0, top * panels.HEADROOM)
        shown |= curve_panels.draw(main, rows, shape, measure)
        if ratio is not None:
            curve_panels.draw_ratios(ratio, rows, shape, measure)
    labels = [style.axis_label(shape.x), measure.label, ratio_label(shape, measure)]
    panels.label(figure, pairs, *labels)
    return panels.framed(figure, shown, shape, curve_panels.handle_of, note)


def ratio_label(shape, measure):
    if shape.baseline is None:
        return ""
    that = "" if shape.lines.numbers is None else "that at "
    return f"{measure.short} / {that}{style.value_name(shape.lines, shape.baseline)}"


def draw_bars(shape, page, columns, measure, note):
    is_bare = bar_inches(shape, columns) < BARE_BELOW_INCHES
    with_ratio = is_bare and any(rows[measure.ratio].notna().any() for (_, rows), _ in page)
    figure, pairs = panels.grid(len(page), columns, with_ratio)
    shown = {}
    for ((facet, rows), top), axes in zip(page, pairs):
        panels.set_title(axes[0], style.facet_title(facet, shape.panels))
        axes[0].set_ylim(0, top * panels.HEADROOM)
        shown |= draw_facet_bars(axes, rows, shape, measure, is_bare)
    grouped = shape.x is not None
    x_label = style.axis_label(shape.x) if grouped else ""
    panels.label(figure, pairs, x_label, measure.label, ratio_label(shape, measure))
    handles = panels.legend_of(shown, shape, handle_of) if grouped else {}
    if shape.baseline is not None and not is_bare:
        note = ", ".join(filter(None, [note, f"×: {ratio_label(shape, measure)}"]))
    style.frame(figure, handles.values(), list(handles), note, style.legend_title(shape.lines))
    panels.fit_labels(figure, [main for main, _ in pairs])
    return figure


def draw_facet_bars(axes, rows, shape, measure, is_bare):
    """Draws a group of bars for each value of x, with a bar per line. The ratio is above the bar or
    in the panel below. Returns {name: Look}."""
    main, ratio = axes
    present = rows[rows[measure.mean].notna()]
    if present.empty:
        panels.mark_empty(main)
    lines = panels.lines_of(present, shape)
    if shape.x is None:
        ticks, width = [name for name, _, _ in lines], GROUP_WIDTH * 0.8
        lines = [(*line, 1.0 * number) for number, line in enumerate(lines)]
    else:
        ticks = [style.value_name(shape.x, value) for value in shape.x.values]
        width = GROUP_WIDTH / max(1, len(lines))
        lines = [(*line, grouped_centres(line[2], shape.x, number - (len(lines) - 1) / 2, width))
                 for number, line in enumerate(lines)]
    if ratio is not None:
        ratios = rows[[measure.ratio, measure.ratio_low, measure.ratio_high]]
        ratio.set_ylim(*curve_panels.ratio_limits(ratios))
    upright = panels.width_inches(main) / max(1, len(ticks)) * width < UPRIGHT_BELOW_INCHES
    for _, look, bars, centres in lines:
        draw_line_bars(main, bars.assign(x=centres), look, width, measure)
        if not is_bare:
            label_bars(main, bars.assign(x=centres), shape, measure, upright)
        if ratio is not None:
            draw_bar_ratios(ratio, bars.assign(x=centres), look, measure)
    if ticks:
        panels.categories(panels.lowest(main, ratio), ticks)
        main.tick_params(axis="x", length=0)
    return {name: look for name, look, *_ in lines}


def grouped_centres(rows, groups, number, width):
    index = {value: index for index, value in enumerate(groups.values)}
    return rows[groups.key].map(index) + number * width


def draw_line_bars(axes, rows, look, width, measure):
    lengths = curve_panels.lengths(rows[measure.mean], rows[measure.low], rows[measure.high])
    axes.bar(
        rows["x"], rows[measure.mean], width * 0.92, yerr=lengths,
        error_kw={"elinewidth": 0.8, "ecolor": "#222222"}, **fill_of(look),
    )  # fmt: skip


def fill_of(look):
    return {
        "facecolor": look.colour, "hatch": look.hatch, "linewidth": 0,
        "edgecolor": "white" if look.hatch else look.colour,
    }  # fmt: skip


def handle_of(look):
    return Patch(**fill_of(look))


def draw_bar_ratios(axes, rows, look, measure):
    ratio, low, high = rows[measure.ratio], rows[measure.ratio_low], rows[measure.ratio_high]
    axes.plot(
        rows["x"], ratio, color=look.colour, marker=look.marker, linestyle="",
        markersize=curve_panels.RATIO_MARKER_POINTS,
    )  # fmt: skip
    curve_panels.draw_error_bars(axes, rows["x"], ratio, low, high, look)


def label_bars(axes, rows, shape, measure, upright):
    rows = rows.assign(top=rows[[measure.mean, measure.high]].max(axis=1))
    for row in rows.to_dict("records"):
        is_base = shape.baseline is not None and row[shape.lines.key] == shape.baseline
        ratio = None if is_base else row[measure.ratio]
        axes.annotate(
            bar_text(row[measure.mean], ratio, upright), (row["x"], row["top"]), (0, 2),
            textcoords="offset points", ha="center", va="bottom", fontsize=6,
            rotation=90 if upright else 0,
        )


def bar_text(mean, ratio, upright):
    text = f"{mean:#.3g}" if mean < 99.95 else f"{mean:.0f}"
    if ratio is None or not ratio > 0:
        return text
    return f"{text} ({ratio:.2f}×)" if upright else f"{text}\n{ratio:.2f}×"

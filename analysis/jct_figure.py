# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the average JCT and iteration time: curves over numbers, otherwise bars."""

from analysis import layout, panels, style

# Narrower bars than this have no room for a horizontal label; than that, for any.
UPRIGHT_BELOW_INCHES = 0.4
BARE_BELOW_INCHES = 0.09
GROUP_WIDTH = 0.84


def draw(shape, points, measure):
    """Yields the pages of the figure of a curves.Measure of curves.points() in a Layout."""
    facets = layout.facets_of(points, shape.panels)
    tops = panels.common_tops([rows[measure.high].max() for _, rows in facets])
    draw_page = draw_curves if shape.has_curves else draw_bars
    columns = panels.columns_for(len(facets))
    has_ratios = has_ratio_panels(shape, columns) and points[measure.ratio].notna().any()
    row_inches = panels.MAIN_INCHES + panels.RATIO_INCHES * has_ratios
    for page in panels.pages_of(list(zip(facets, tops)), columns, row_inches):
        yield draw_page(shape, page, columns, measure, note_of(points))


def has_ratio_panels(shape, columns):
    """Bars have them where there is no room for the ratio above each."""
    return shape.has_curves or bar_inches(shape, columns) < BARE_BELOW_INCHES


def bar_inches(shape, columns):
    groups = 1 if shape.x is None else len(shape.x.values)
    bars = 1 if shape.lines is None else len(shape.lines.values)
    return panels.axes_inches(columns) * GROUP_WIDTH / (groups * bars)


def draw_curves(shape, page, columns, measure, note):
    with_ratio = any(rows[measure.ratio].notna().any() for (_, rows), _ in page)
    figure, pairs = panels.grid(len(page), columns, with_ratio)
    for ((facet, rows), top), (main, ratio) in zip(page, pairs):
        panels.set_title(main, style.facet_title(facet, shape.panels))
        main.set_ylim(0, top * panels.HEADROOM)
        draw_facet_curves(main, rows, shape, measure)
        if ratio is not None:
            draw_ratios(ratio, rows, shape, measure)
        panels.numeric_x(main, shape.x)
    labels = [style.axis_label(shape.x), measure.label, ratio_label(shape, measure)]
    panels.label(figure, pairs, *labels)
    legend = handles_of([main for main, _ in pairs])
    style.frame(figure, *legend, note, style.legend_title(shape.lines))
    return figure


def ratio_label(shape, measure):
    if shape.baseline is None:
        return ""
    that = "" if shape.lines.numbers is None else "that at "
    return f"{measure.short} / {that}{style.value_name(shape.lines, shape.baseline)}"


def over_x(rows, x):
    return rows.assign(x=rows[x.key].map(dict(zip(x.values, x.numbers)))).sort_values("x")


def draw_facet_curves(axes, rows, shape, measure):
    """A line through the means of each value, with error bars where there are several seeds."""
    present = rows[rows[measure.mean].notna()]
    if present.empty:
        panels.say_empty(axes)
    for name, look, curve in panels.lines_of(over_x(present, shape.x), shape.lines):
        axes.errorbar(
            curve["x"], curve[measure.mean], yerr=spread(curve, measure), elinewidth=0.8,
            label=name, color=look.colour, marker=look.marker, linestyle=look.dash,
            clip_on=False,  # whole markers at the edges of the panel
        )


def draw_ratios(axes, rows, shape, measure):
    present = rows[rows[measure.ratio].notna()]
    for _, look, curve in panels.lines_of(over_x(present, shape.x), shape.lines):
        axes.plot(
            curve["x"], curve[measure.ratio], color=look.colour, marker=look.marker,
            linestyle=look.dash, clip_on=False, markersize=3.5,
        )


def spread(rows, measure):
    """Lengths of the error bars below and above, None if no point has two seeds. A mean of equal
    values may be rounded to beside them."""
    if (rows["seeds"] < 2).all():
        return None
    mean = rows[measure.mean]
    lengths = [mean - rows[measure.low], rows[measure.high] - mean]
    return [length.clip(lower=0) for length in lengths]


def draw_bars(shape, page, columns, measure, note):
    is_bare = bar_inches(shape, columns) < BARE_BELOW_INCHES
    with_ratio = is_bare and any(rows[measure.ratio].notna().any() for (_, rows), _ in page)
    figure, pairs = panels.grid(len(page), columns, with_ratio)
    for ((facet, rows), top), axes in zip(page, pairs):
        panels.set_title(axes[0], style.facet_title(facet, shape.panels))
        axes[0].set_ylim(0, top * panels.HEADROOM)
        draw_facet_bars(axes, rows, shape, measure, is_bare)
    grouped = shape.x is not None
    x_label = style.axis_label(shape.x) if grouped else ""
    panels.label(figure, pairs, x_label, measure.label, ratio_label(shape, measure))
    legend = handles_of([main for main, _ in pairs]) if grouped else ([], [])
    if shape.baseline is not None and not is_bare:
        note = ", ".join(filter(None, [note, f"×: {ratio_label(shape, measure)}"]))
    style.frame(figure, *legend, note, style.legend_title(shape.lines))
    panels.fit_labels(figure, [main for main, _ in pairs])
    return figure


def draw_facet_bars(axes, rows, shape, measure, is_bare):
    """A bar for each line in a group for each value of x; its ratio above it, or in the axes below."""
    main, ratio = axes
    present = rows[rows[measure.mean].notna()]
    if present.empty:
        panels.say_empty(main)
    lines = panels.lines_of(present, shape.lines)
    if shape.x is None:
        ticks, width = [name for name, _, _ in lines], GROUP_WIDTH * 0.8
        lines = [(*line, 1.0 * number) for number, line in enumerate(lines)]
    else:
        ticks = [style.value_name(shape.x, value) for value in shape.x.values]
        width = GROUP_WIDTH / max(1, len(lines))
        lines = [(*line, grouped_centres(line[2], shape.x, number - (len(lines) - 1) / 2, width))
                 for number, line in enumerate(lines)]
    upright = panels.width_inches(main) / max(1, len(ticks)) * width < UPRIGHT_BELOW_INCHES
    for name, look, bars, centres in lines:
        draw_line_bars(main, bars.assign(x=centres), name, look, width, measure)
        if not is_bare:
            label_bars(main, bars.assign(x=centres), shape, measure, upright)
        if ratio is not None:
            ratio.plot(
                centres, bars[measure.ratio], color=look.colour, marker=look.marker,
                linestyle="", markersize=3.5,
            )
    if ticks:
        panels.categories(panels.lowest(main, ratio), ticks)


def grouped_centres(rows, groups, number, width):
    index = {value: index for index, value in enumerate(groups.values)}
    return rows[groups.key].map(index) + number * width


def draw_line_bars(axes, rows, name, look, width, measure):
    axes.bar(
        rows["x"], rows[measure.mean], width * 0.92, color=look.colour, hatch=look.hatch,
        edgecolor="white" if look.hatch else look.colour, linewidth=0, label=name,
        yerr=spread(rows, measure), error_kw={"elinewidth": 0.8, "ecolor": "#222222"},
    )


def label_bars(axes, rows, shape, measure, upright):
    for row in rows.to_dict("records"):
        is_base = shape.baseline is not None and row[shape.lines.key] == shape.baseline
        ratio = None if is_base else row[measure.ratio]
        axes.annotate(
            bar_text(row[measure.mean], ratio, upright), (row["x"], row[measure.high]), (0, 2),
            textcoords="offset points", ha="center", va="bottom", fontsize=6,
            rotation=90 if upright else 0,
        )


def bar_text(mean, ratio, upright):
    text = f"{mean:#.3g}" if mean < 99.95 else f"{mean:.0f}"
    if ratio is None or not ratio > 0:
        return text
    return f"{text} ({ratio:.2f}×)" if upright else f"{text}\n{ratio:.2f}×"


def handles_of(all_axes):
    """Each line once, in the order of the sweep, whichever panels show it."""
    found = {}
    for axes in all_axes:
        for handle, name in zip(*axes.get_legend_handles_labels()):
            found.setdefault(name, handle[0])  # without the error bars, or the first bar
    return list(found.values()), list(found)


def note_of(points):
    """What the error bars mean, and what the means leave out; empty if there is neither."""
    notes = []
    seeds = points["seeds"][points["seeds"] > 0]
    least, most = seeds.min(), seeds.max()
    if most > 1:
        count = str(most) if least == most else f"{least}–{most}"
        notes.append(f"error bars: minimum and maximum of {count} seeds")
    return ", ".join(filter(None, [*notes, style.left_out(points)]))

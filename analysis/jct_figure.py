# SPDX-License-Identifier: BSD-3-Clause
"""The figure of the average JCT: curves over a numeric axis, otherwise bars."""

from matplotlib import pyplot

from analysis import curves, panels, style

JCT_LABEL = "Average JCT (ms)"
RATIO_LABEL = "JCT / DSA"
CURVE_HEADROOM = 1.08
BAR_HEADROOM = 1.2
UPRIGHT_HEADROOM = 1.7
# Narrower bars than this have no room for a horizontal label.
UPRIGHT_BELOW_INCHES = 0.4
GROUP_WIDTH = 0.84


def save(results, points):
    """Draws the points of curves.jct_points as jct.png and jct.pdf; the path of the first."""
    png, pdf = results.folder / "jct.png", results.folder / "jct.pdf"
    layout = curves.layout(results.axes)
    facets = curves.facets_of(points, layout.facets)
    looks = style.looks_of(results.systems(points))
    with pyplot.rc_context(style.PAPER):
        draw = draw_bars if layout.x is None else draw_curves
        style.save(draw(layout, facets, looks), png, pdf)
    return png


def draw_curves(layout, facets, looks):
    with_ratio = compares_with_dsa(facets, looks)
    figure, pairs = panels.grid(len(facets), panels.columns_for(len(facets)), with_ratio)
    for (facet, rows), (main, ratio) in zip(facets, pairs):
        main.set_title(style.facet_title(facet, layout.facets))
        draw_facet_curves(main, ratio, rows, layout.x, looks)
        panels.numeric_x(main, layout.x)
    panels.set_tops([main for main, _ in pairs], tops_of(facets), CURVE_HEADROOM)
    panels.label(figure, pairs, style.axis_label(layout.x), JCT_LABEL, RATIO_LABEL)
    style.frame(figure, *handles_of(pairs), spread_note(facets))
    return figure


def compares_with_dsa(facets, looks):
    return len(looks) > 1 and any(rows["ratio_to_dsa"].notna().any() for _, rows in facets)


def draw_facet_curves(main, ratio, rows, x, looks):
    rows = rows.assign(x=rows[x.key].map(dict(zip(x.values, x.numbers)))).sort_values("x")
    for system, (colour, marker) in looks.items():
        curve = rows[rows["system"] == system]
        if curve.empty:
            continue
        look = {"color": colour, "marker": marker, "label": style.system_name(system)}
        look["clip_on"] = False  # whole markers at the edges of the panel
        main.errorbar(curve["x"], curve["jct_ms"], yerr=spread(curve), elinewidth=0.8, **look)
        if ratio is not None:
            ratio.plot(curve["x"], curve["ratio_to_dsa"], **look, markersize=3.5)


def spread(rows):
    """Lengths of the error bars below and above, None if no point has two seeds."""
    if (rows["seeds"] < 2).all():
        return None
    return [rows["jct_ms"] - rows["low_ms"], rows["high_ms"] - rows["jct_ms"]]


def draw_bars(layout, facets, looks):
    figure, pairs = panels.grid(len(facets), panels.columns_for(len(facets)), with_ratio=False)
    upright = any([
        draw_facet_bars(main, rows, layout.groups, looks)
        for (_, rows), (main, _) in zip(facets, pairs)
    ])
    for (facet, _), (main, _) in zip(facets, pairs):
        main.set_title(style.facet_title(facet, layout.facets))
    headroom = UPRIGHT_HEADROOM if upright else BAR_HEADROOM
    panels.set_tops([main for main, _ in pairs], tops_of(facets), headroom)
    x_label = "" if layout.groups is None else style.axis_label(layout.groups)
    panels.label(figure, pairs, x_label, JCT_LABEL, RATIO_LABEL)
    notes = [spread_note(facets), "×: JCT / DSA" if compares_with_dsa(facets, looks) else ""]
    legend = ([], []) if layout.groups is None else handles_of(pairs)
    style.frame(figure, *legend, ", ".join(filter(None, notes)))
    return figure


def draw_facet_bars(axes, rows, groups, looks):
    """A bar per system in a group per value of `groups`; whether their labels are upright."""
    present = [system for system in looks if system in set(rows["system"])]
    if groups is None:
        centres = {system: index for index, system in enumerate(present)}
        rows = rows.assign(x=rows["system"].map(centres))
        ticks, width = [style.system_name(system) for system in present], GROUP_WIDTH * 0.8
    else:
        ticks, width = [style.short(value) for value in groups.values], GROUP_WIDTH / len(present)
        rows = rows.assign(x=grouped_centres(rows, groups, present, width))
    upright = panels.width_inches(axes) / len(ticks) * width < UPRIGHT_BELOW_INCHES
    for system in present:
        draw_system_bars(axes, rows[rows["system"] == system], looks[system][0], width, upright)
    panels.categories(axes, ticks)
    return upright


def grouped_centres(rows, groups, systems, width):
    group = rows[groups.key].map({value: index for index, value in enumerate(groups.values)})
    place = rows["system"].map({system: index for index, system in enumerate(systems)})
    return group + (place - (len(systems) - 1) / 2) * width


def draw_system_bars(axes, rows, colour, width, upright):
    name = style.system_name(rows["system"].iloc[0])
    axes.bar(
        rows["x"], rows["jct_ms"], width * 0.92, color=colour, label=name, yerr=spread(rows),
        error_kw={"elinewidth": 0.8, "ecolor": "#222222"},
    )
    for row in rows.itertuples():
        axes.annotate(
            bar_text(row, upright), (row.x, row.high_ms), (0, 2), textcoords="offset points",
            ha="center", va="bottom", fontsize=6, rotation=90 if upright else 0,
        )


def bar_text(row, upright):
    jct = f"{row.jct_ms:#.3g}" if row.jct_ms < 99.95 else f"{row.jct_ms:.0f}"
    if row.system == curves.REFERENCE_SYSTEM or not row.ratio_to_dsa > 0:
        return jct
    return f"{jct} ({row.ratio_to_dsa:.2f}×)" if upright else f"{jct}\n{row.ratio_to_dsa:.2f}×"


def tops_of(facets):
    return [rows["high_ms"].max() for _, rows in facets]


def handles_of(pairs):
    """Each system once, in the order of the sweep, whichever panels show it."""
    found = {}
    for main, _ in pairs:
        for handle, name in zip(*main.get_legend_handles_labels()):
            found.setdefault(name, handle[0])  # without the error bars, or the first bar
    return list(found.values()), list(found)


def spread_note(facets):
    """What the error bars mean; empty if there are none."""
    least = min(rows["seeds"].min() for _, rows in facets)
    most = max(rows["seeds"].max() for _, rows in facets)
    if most < 2:
        return ""
    count = str(most) if least == most else f"{least}–{most}"
    return f"error bars: minimum and maximum of {count} seeds"

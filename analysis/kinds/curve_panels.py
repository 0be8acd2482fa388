# SPDX-License-Identifier: BSD-3-Clause
"""Panels of curves over a numeric key: means with error bars, and their ratios."""

from matplotlib.lines import Line2D

from analysis import error_bars
from analysis.kinds import overlaps, panels, style

LINE_POINTS = 1.2
MARKER_POINTS = 4.5
RATIO_MARKER_POINTS = 3.5
# Minimum range of a ratio's axis, so that noise of one per cent does not fill it.
LEAST_RATIOS = (0.9, 1.1)
MARGIN = 0.06  # share of a ratio's axis, at each end


def draw(axes, rows, shape, measure):
    """Draws a line through the means of each value, with error bars if there are several seeds. The
    axes must have their y limits. Returns {name: Look}."""
    present = rows[rows[measure.mean].notna()]
    if present.empty:
        panels.mark_empty(axes)
    columns = (measure.mean, measure.low, measure.high)
    return draw_lines(axes, present, shape, columns, MARKER_POINTS)


def draw_ratios(axes, rows, shape, measure):
    axes.set_ylim(*ratio_limits(rows[[measure.ratio, measure.ratio_low, measure.ratio_high]]))
    present = rows[rows[measure.ratio].notna()]
    columns = (measure.ratio, measure.ratio_low, measure.ratio_high)
    draw_lines(axes, present, shape, columns, RATIO_MARKER_POINTS)


def ratio_limits(ratios):
    """Limits of an axis for all ratios of a table."""
    least, most = (ratios.stack().agg(["min", "max"]) if ratios.notna().any(axis=None) else (1, 1))
    least, most = min(least, LEAST_RATIOS[0]), max(most, LEAST_RATIOS[1])
    margin = MARGIN * (most - least)
    return least - margin, most + margin


def draw_lines(axes, rows, shape, columns, marker_points):
    mean, low, high = columns
    lines = panels.lines_of(over_x(rows, shape.x), shape)
    extra = overlaps.extra_widths([
        dict(zip(curve["x"], overlaps.axes_positions(axes, curve[["x", mean]].to_numpy())[:, 1]))
        for *_, curve in lines
    ])  # fmt: skip
    for (_, look, curve), wider in zip(lines, extra):
        draw_wide(axes, list(zip(curve["x"], curve[mean])), wider, look, marker_points)
        axes.plot(
            curve["x"], curve[mean], linewidth=LINE_POINTS, markersize=marker_points,
            clip_on=False, **looks_of(look),  # draws whole markers at the edges
        )  # fmt: skip
        draw_error_bars(axes, curve["x"], curve[mean], curve[low], curve[high], look)
    return {name: look for name, look, _ in lines}


def looks_of(look):
    """The Look as arguments of matplotlib. White gaps keep dashes visible on a line of the same colour."""
    return {
        "color": look.colour, "marker": look.marker, "linestyle": look.dash, "gapcolor": "white",
    }  # fmt: skip


def handle_of(look):
    return Line2D([], [], **looks_of(look))


def draw_error_bars(axes, x, mean, low, high, look):
    axes.errorbar(
        x, mean, yerr=lengths(mean, low, high), fmt="none", elinewidth=0.8, ecolor=look.colour
    )


def draw_wide(axes, points, extra, look, marker_points):
    """Draws a wider line and its markers for a line that others will cover."""
    overlaps.widen(axes, points, extra.between, look.colour, LINE_POINTS)
    for point, width in zip(points, extra.at):
        if width > 0:
            axes.plot(
                *point, marker=look.marker, markersize=marker_points + width, color=look.colour,
                clip_on=False,
            )  # fmt: skip


def over_x(rows, x):
    return rows.assign(x=rows[x.key].map(dict(zip(x.values, x.numbers)))).sort_values("x")


def lengths(mean, low, high):
    """Lengths of error bars, below and above; None if there are none. A mean of equal values may
    lie outside of them by rounding."""
    if low.isna().all():
        return None
    return [(mean - low).clip(lower=0), (high - mean).clip(lower=0)]


def top_of(rows, measure):
    """The maximum of means and error bars; NaN without any."""
    return rows[[measure.mean, measure.high]].max().max()


def note_of(points, spread):
    """Explains the error bars and what the means leave out; empty if there is nothing to explain."""
    notes = []
    seeds = points["seeds"][points["seeds"] > 0]
    least, most = seeds.min(), seeds.max()
    if most > 1:
        count = str(most) if least == most else f"{least}–{most}"
        notes.append(f"error bars: {error_bars.NAMES[spread]} {count} seeds")
    return ", ".join(filter(None, [*notes, style.left_out(points)]))

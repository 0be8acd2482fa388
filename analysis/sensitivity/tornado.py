# SPDX-License-Identifier: BSD-3-Clause
"""The tornado figure: effect of each key on the ratio of two variants, and on the JCT of each."""

import math

from matplotlib import pyplot
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from analysis.kinds import style
from analysis.results import Axis

MOST_KEYS = 12  # per panel
COLUMNS = 2
PANELS_OF_A_PAGE = 6
LOW_COLOUR, HIGH_COLOUR, INTERVAL_COLOUR = "#56B4E9", "#D55E00", "#DDDDDD"
NOTE = (
    "of several alternatives: those with the least and the largest result, line: the scenario's own values, "
    "grey: their 95 % interval over seeds"
)
BAR_HEIGHT = 0.68
KEY_INCHES = 0.2
AROUND_INCHES = 0.75
AXES_INCHES = 1.9  # per panel, in addition to the names of its keys
LETTER_INCHES = 0.043  # for the values next to the bars
LEAST_MARGIN = 0.04  # share of the x axis, at each end
MOST_LETTERS = 30
MOST_VALUE_LETTERS = 14


def draw(rows):
    """Yields pages of panels, ratios first; `rows` are outcomes.Row."""
    subjects = dict.fromkeys(row.subject for row in rows)
    panels = [(subject, most_of([row for row in rows if row.subject == subject])) for subject in subjects]
    for start in range(0, len(panels), PANELS_OF_A_PAGE):
        yield draw_page(panels[start : start + PANELS_OF_A_PAGE])


def most_of(rows):
    """The rows with the largest effects."""
    moving = [row for row in rows if row.span > 0]
    return sorted(moving, key=lambda row: row.span, reverse=True)[:MOST_KEYS]


def draw_page(panels):
    columns = min(COLUMNS, len(panels))
    lines = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    heights = [AROUND_INCHES + KEY_INCHES * max(1, *(len(rows) for _, rows in line)) for line in lines]
    with pyplot.rc_context(style.PAPER):
        figure, grid = pyplot.subplots(
            len(lines), columns, squeeze=False, layout="constrained",
            figsize=(style.TWO_COLUMNS_INCHES, min(sum(heights) + 0.3, style.MOST_PAGE_INCHES)),
            gridspec_kw={"height_ratios": heights},
        )  # fmt: skip
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes, (subject, rows) in zip(grid.flat, panels):
            draw_panel(axes, subject, rows)
        handles = [Patch(color=LOW_COLOUR), Patch(color=HIGH_COLOUR)]
        style.frame(figure, handles, ["lower end", "upper end"], NOTE)
    return figure


def draw_panel(axes, subject, rows):
    axes.set_title(style.short(subject.name, 40))
    axes.set_xlabel("Ratio of average JCTs" if subject.under else "Average JCT (ms)")
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x")
    axes.set_yticks(range(len(rows)), [style.short(key_name(row.key), MOST_LETTERS) for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    if not rows:
        middle = {"transform": axes.transAxes, "ha": "center", "va": "center"}
        axes.text(0.5, 0.5, "no key moves it", color="#555555", **middle)
        return
    ends = limits(axes, subject, rows)
    for place, row in enumerate(rows):
        draw_bars(axes, place, row, ends[1] - ends[0])
    if subject.under and ends[0] < 1 < ends[1]:
        axes.axvline(1, color="#000000", linewidth=0.6, linestyle=":")
    axes.axvline(rows[0].at_point, color="#000000", linewidth=0.8)
    if not math.isnan(rows[0].point.low):
        axes.axvspan(rows[0].point.low, rows[0].point.high, color=INTERVAL_COLOUR, linewidth=0, zorder=0)


def limits(axes, subject, rows):
    values = [value for row in rows for value in (row.at_point, row.at_low, row.at_high)]
    least, most = min(values), max(values)
    if subject.under:
        least, most = min(least, 1), max(most, 1)
    before, behind = margins(rows)
    width = (most - least) / (1 - before - behind)
    ends = least - before * width, most + behind * width
    axes.set_xlim(*ends)
    axes.set_xticks([tick for tick in MaxNLocator(5).tick_values(*ends) if max(0, ends[0]) <= tick <= ends[1]])
    return axes.get_xlim()


def margins(rows):
    """The shares of the x axis that the longest values need on the left and on the right."""
    letters = {-1: 0, 1: 0}
    for row in rows:
        for value, text in ((row.at_low, row.low), (row.at_high, row.high)):
            side = 1 if value >= row.at_point else -1
            letters[side] = max(letters[side], min(len(text), MOST_VALUE_LETTERS))
    return [LEAST_MARGIN + letters[side] * LETTER_INCHES / AXES_INCHES for side in (-1, 1)]


def draw_bars(axes, place, row, width):
    """Draws bars from the point to each end. If both ends are on one side, the longer bar is drawn first."""
    bars = [(row.at_low, row.low, LOW_COLOUR), (row.at_high, row.high, HIGH_COLOUR)]
    bars.sort(key=lambda bar: -abs(bar[0] - row.at_point))
    both_right, both_left = (
        all(sign * (value - row.at_point) > 0 for value, *_ in bars) for sign in (1, -1)
    )
    for index, (value, text, colour) in enumerate(bars):
        axes.barh(place, value - row.at_point, BAR_HEIGHT, left=row.at_point, color=colour, linewidth=0)
        is_hidden = index == 1 and (both_left or both_right or math.isclose(value, row.at_point))
        if not is_hidden:
            side = 1 if value >= row.at_point else -1
            axes.text(
                value + side * 0.01 * width, place, style.short(text, MOST_VALUE_LETTERS),
                ha="left" if side > 0 else "right", va="center", fontsize=5.5,
            )  # fmt: skip


def key_name(key):
    return style.axis_name(Axis(key, ()))

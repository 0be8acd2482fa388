# SPDX-License-Identifier: BSD-3-Clause
"""Grids of panels, one per facet, and what all figures do with their axes."""

from matplotlib import pyplot
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from analysis import style

MAIN_INCHES = 2.1
RATIO_INCHES = 0.9
TICK_CHARACTER_INCHES = 0.058
# Beyond this quotient of the largest and the smallest swept value a linear axis hides the small.
LOG_FROM = 30
MOST_TICKS = 9
# Panels share the y axis unless that would flatten one of them below this share.
LEAST_SHARE_OF_Y = 0.25


def columns_for(count):
    """At most three panels in a row, four as a square."""
    return 2 if count == 4 else min(count, 3)


def grid(count, columns, with_ratio):
    """A figure with `count` panels, each a pair: the main axes and, below, the ratio's or None."""
    rows = -(-count // columns)
    heights = [MAIN_INCHES, RATIO_INCHES][: 1 + with_ratio] * rows
    width = style.ONE_COLUMN_INCHES if columns == 1 else style.TWO_COLUMNS_INCHES
    figure = pyplot.figure(figsize=(width, sum(heights) + 0.4), layout="constrained")
    cells = figure.add_gridspec(len(heights), columns, height_ratios=heights)
    step = len(heights) // rows
    return figure, [
        pair(figure, cells, step * (index // columns), index % columns, with_ratio)
        for index in range(count)
    ]


def pair(figure, cells, row, column, with_ratio):
    main = figure.add_subplot(cells[row, column])
    if not with_ratio:
        return main, None
    ratio = figure.add_subplot(cells[row + 1, column], sharex=main)
    main.tick_params(labelbottom=False)
    return main, ratio


def label(figure, panels, x_label, main_label, ratio_label):
    """The names of the y axes at the left, of the x axis below the lowest panels."""
    columns = panels[0][0].get_gridspec().ncols
    for index, (main, ratio) in enumerate(panels):
        if index % columns == 0:
            main.set_ylabel(main_label)
            if ratio is not None:
                ratio.set_ylabel(ratio_label)
        if index + columns >= len(panels):
            lowest(main, ratio).set_xlabel(x_label)
    figure.align_ylabels()


def lowest(main, ratio):
    return main if ratio is None else ratio


def set_tops(all_axes, tops, headroom):
    """Every y axis from 0, to a common top if all panels stay readable."""
    common = min(tops) >= LEAST_SHARE_OF_Y * max(tops)
    for axes, top in zip(all_axes, tops):
        axes.set_ylim(0, (max(tops) if common else top) * headroom)


def numeric_x(axes, axis):
    """Ticks at the swept values, on a logarithmic axis if they span much."""
    numbers = sorted(axis.numbers)
    if numbers[0] > 0 and numbers[-1] / numbers[0] >= LOG_FROM:
        axes.set_xscale("log")
    if len(numbers) <= MOST_TICKS:
        axes.xaxis.set_major_locator(FixedLocator(numbers))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def categories(axes, texts):
    """A tick for each text; texts that would run into each other are broken, then slanted."""
    room = width_inches(axes) / len(texts)
    lines = [text.replace(" (", "\n(") for text in texts]
    if widest_inches(lines) > room:
        lines = [line.replace("-", "-\n") for line in lines]
    if widest_inches(lines) <= room:
        axes.set_xticks(range(len(lines)), lines)
    else:
        slant = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
        axes.set_xticks(range(len(texts)), texts, **slant)
    axes.tick_params(axis="x", length=0)


def widest_inches(texts):
    """The approximate width of the widest label."""
    return TICK_CHARACTER_INCHES * max(len(line) for text in texts for line in text.split("\n"))


def width_inches(axes):
    """The approximate width of the axes; the exact one is known only after the layout."""
    columns = axes.get_gridspec().ncols
    return axes.figure.get_size_inches()[0] / columns * 0.82

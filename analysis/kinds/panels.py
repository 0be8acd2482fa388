# SPDX-License-Identifier: BSD-3-Clause
"""Grids of panels, one per facet, and axes settings that all figures share."""

import math
from dataclasses import replace

from matplotlib import pyplot
from matplotlib.text import Annotation
from matplotlib.ticker import (
    FixedLocator, LogLocator, MaxNLocator, NullFormatter, NullLocator,
)  # fmt: skip

from analysis.kinds import style
from analysis.results import Axis

MOST_ON_A_PAGE = 12
AROUND_INCHES = 0.4
ROW_GAP_INCHES = 0.05  # on each side of the texts of an axes, in addition to the row below
MAIN_INCHES = 2.1
RATIO_INCHES = 0.9
TICK_CHARACTER_INCHES = 0.058
SLANTED_INCHES, UPRIGHT_INCHES = 0.2, 0.13  # minimum distance of rotated tick labels
SHORT_INCHES = 0.4  # minimum height of labels that are thinned out instead of rotated
TITLE_CHARACTER_INCHES = 0.072
# Above this quotient of the largest and the smallest swept value, a linear axis hides small values.
LOG_FROM = 30
LOG_BESIDE_ZERO_FROM = 10  # the same, relative to the smallest positive value
LEAST_TICKS = 3
MOST_TICKS = 9
LOG_LOCATORS = (
    LogLocator(), LogLocator(subs=(1, 2, 5)), MaxNLocator(5), MaxNLocator(10),
)  # fmt: skip
X_MARGIN = 0.05  # share of the axis, at each end
# Panels share the y axis unless that would reduce one of them to less than this share.
LEAST_SHARE_OF_Y = 0.25
HEADROOM = 1.08
AXES_SHARE = 0.82  # share of a column's width, the rest is for labels
ONLY_LINE = Axis("only line", ("",))


def pages_of(shown, columns, row_inches=MAIN_INCHES):
    """The facets, split into pages."""
    rows = int((style.MOST_PAGE_INCHES - AROUND_INCHES) / row_inches)
    most = min(MOST_ON_A_PAGE, columns * rows)
    return [shown[start : start + most] for start in range(0, len(shown), most)]


def columns_for(count):
    """At most three panels per row; four form a square."""
    return 2 if count == 4 else min(count, 3)


def grid(count, columns, with_ratio):
    """A figure with `count` panels, each a pair of the main axes and the ratio axes below, or None."""
    rows = -(-count // columns)
    heights = [MAIN_INCHES, RATIO_INCHES][: 1 + with_ratio] * rows
    height = sum(heights) + AROUND_INCHES
    figure = pyplot.figure(figsize=(figure_inches(columns), height), layout="constrained")
    figure.get_layout_engine().set(h_pad=ROW_GAP_INCHES)
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


def filled(page, columns, axes_of_facets, draw_panel):
    """(figure, panels, legend entries): a page of facets with titles. `draw_panel(axes, rows)`
    returns its legend entries by name."""
    figure, cells = grid(len(page), columns, with_ratio=False)
    shown = {}
    for (facet, rows), (axes, _) in zip(page, cells):
        set_title(axes, style.facet_title(facet, axes_of_facets))
        shown |= draw_panel(axes, rows)
    return figure, cells, shown


def lines_of(rows, shape):
    """[(name, Look, rows)] of the lines of a Layout that have rows."""
    found = []
    for name, look, values in all_lines(shape):
        of_line = rows
        for key, value in values.items():
            of_line = of_line[of_line[key] == value]
        found += [(name, look, of_line)] if len(of_line) else []
    return found


def all_lines(shape):
    """Yields (name, Look, {key: value}) of each line of a Layout; a single line has no name."""
    lines, folders = shape.lines, shape.folders
    if folders is not None:
        for (value, folder), look in style.looks_of_folders(lines or ONLY_LINE, folders).items():
            name = f"{style.value_name(lines, value)} ({folder})" if lines else folder
            values = {lines.key: value} if lines else {}
            yield name, look, values | {folders.key: folder}
    elif lines is not None:
        for value, look in style.looks_of_axis(lines).items():
            yield style.value_name(lines, value), look, {lines.key: value}
    else:
        yield "", *style.looks_of_axis(ONLY_LINE).values(), {}


def legend_of(shown, shape, handle_of):
    """{name: handle} of the named lines of a Layout, in the order of the sweep; `shown` are {name:
    Look}. If colours encode the values and dashes the folders, the legend lists these instead."""
    if shape.lines is not None and shape.folders is not None and style.dashes_of(shape.lines) == 1:
        values = handles_of_values(shown, shape.lines, handle_of)
        folders = handles_of_folders(shape.folders, handle_of)
        if values.keys().isdisjoint(folders):
            return values | folders
    names = [name for name, *_ in all_lines(shape) if name and name in shown]
    return {name: handle_of(shown[name]) for name in names}


def framed(figure, shown, shape, handle_of, note, others=None):
    """The figure with the legend of a Layout's lines and further handles by name, and a note."""
    handles = legend_of(shown, shape, handle_of) | (others or {})
    style.frame(figure, handles.values(), list(handles), note, style.legend_title(shape.lines))
    return figure


def handles_of_values(shown, lines, handle_of):
    colours = {look.colour for look in shown.values()}
    return {
        style.value_name(lines, value): handle_of(look)
        for value, look in style.looks_of_axis(lines).items() if look.colour in colours
    }  # fmt: skip


def handles_of_folders(folders, handle_of):
    return {
        folder: handle_of(replace(look, colour="#555555", marker=""))
        for (_, folder), look in style.looks_of_folders(ONLY_LINE, folders).items()
    }


def label(figure, panels, x_label, main_label, ratio_label):
    """Labels the y axes on the left and the x axes of the lowest panels."""
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


def set_title(axes, text):
    """Sets a title, in as many lines as avoid overlaps with neighbours."""
    room = axes.figure.get_size_inches()[0] / axes.get_gridspec().ncols
    letters = int(room / TITLE_CHARACTER_INCHES)
    axes.set_title("\n".join(style.lines_of(text, letters)))


def common_tops(tops):
    """The upper end of each y axis: the same for all if every panel stays readable. NaN: an empty panel."""
    known = [top for top in tops if top > 0] or [1.0]
    common = min(known) >= LEAST_SHARE_OF_Y * max(known)
    return [top if top > 0 and not common else max(known) for top in tops]


def mark_empty(axes):
    """Marks a panel without points."""
    axes.text(
        0.5, 0.5, "no job finished", transform=axes.transAxes, ha="center", va="center",
        color="#555555",
    )


def numeric_x(axes, axis):
    """Sets all x axes to the range of swept values, with ticks at these. Wide ranges are
    logarithmic; 0 is then placed next to the smallest positive value."""
    numbers = sorted(axis.numbers)
    least, most = numbers[0], numbers[-1]
    first = next((number for number in numbers if number > 0), most)
    if least > 0 and most / least >= LOG_FROM:
        axes.set_xscale("log")
        margin = (most / least) ** X_MARGIN
        axes.set_xlim(least / margin, most * margin)
    elif least == 0 and first > 0 and most / first >= LOG_BESIDE_ZERO_FROM:
        axes.set_xscale("symlog", linthresh=first, linscale=0.5)
        axes.set_xlim(-first / 4, most * (most / first) ** X_MARGIN)
    else:
        margin = X_MARGIN * (most - least) or 0.5
        axes.set_xlim(least - margin, most + margin)
    if len(numbers) <= MOST_TICKS:
        axes.xaxis.set_major_locator(FixedLocator(numbers))
        clear = numbers_with_room(axes, numbers)
        axes.xaxis.set_major_formatter(lambda value, _: tick_text(value) if value in clear else "")
    elif axes.get_xscale() == "log":
        label_logarithmic(axes.xaxis, tick_text)
    else:
        axes.xaxis.set_major_formatter(lambda value, _: tick_text(value))
    axes.xaxis.set_minor_locator(NullLocator())


def logarithmic(axis, text_of="{:g}".format):
    """Makes an x or y axis, which must have its limits, logarithmic."""
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log", nonpositive="clip")
    label_logarithmic(axis, text_of)


def label_logarithmic(axis, text_of):
    """Labels powers of 10, or further numbers if few powers are visible."""
    least, most = sorted(axis.get_view_interval())
    ticks = next(filter(None, (ticks_of(locator, least, most) for locator in LOG_LOCATORS)))
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(lambda value, _: text_of(value))
    axis.set_minor_formatter(NullFormatter())


def ticks_of(locator, least, most):
    """The visible ticks of a locator, if there are enough of them to read the scale."""
    ticks = [tick for tick in locator.tick_values(least, most) if least <= tick <= most]
    return ticks if len(ticks) >= LEAST_TICKS else None


def numbers_with_room(axes, numbers):
    """The numbers whose labels fit below the x axis without overlaps, including the first and the last."""
    to_display = axes.xaxis.get_transform().transform
    low, high = to_display(axes.get_xlim())
    inches = (to_display(numbers) - low) / (high - low) * width_inches(axes)
    halves = [(len(tick_text(number)) + 1) * TICK_CHARACTER_INCHES / 2 for number in numbers]

    def run_together(one, other):
        return inches[other] - inches[one] < halves[one] + halves[other]

    last = len(numbers) - 1
    kept = [0]
    for index in range(1, last):
        if not run_together(kept[-1], index) and not run_together(index, last):
            kept.append(index)
    return {numbers[index] for index in (*kept, last)}


def tick_text(value):
    """The label of a number; from 1 on, two decimals suffice to distinguish neighbours."""
    return f"{round(value, 2) if value >= 1 else value:g}"


def categories(axes, texts):
    """Sets a tick for each text. Texts that would overlap are wrapped, then rotated. If there are
    too many, only every n-th has a tick."""
    room = width_inches(axes) / len(texts)
    lines = [broken(text, room) for text in texts]
    step, turned = 1, {}
    if widest_inches(lines) > room:
        lines = texts
        step, turned = thinned(widest_inches(texts), room)
    axes.set_xticks(range(0, len(texts), step), lines[::step], **turned)
    axes.tick_params(axis="x", length=0)


def thinned(text_inches, room):
    """(n if every n-th text is shown, rotation)"""
    if room >= SLANTED_INCHES:
        return 1, {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    if text_inches <= SHORT_INCHES:
        return math.ceil(text_inches / room), {}
    return math.ceil(UPRIGHT_INCHES / room), {"rotation": 90}


def broken(text, room):
    """A text, wrapped if it is too wide for one line."""
    for old, new in ((" (", "\n("), ("-", "-\n")):
        if widest_inches([text]) > room:
            text = text.replace(old, new)
    return text


def fit_labels(figure, all_axes):
    """Raises the upper ends of all axes if labels above bars do not fit."""
    figure.draw_without_rendering()
    factors = [1.0]
    for axes in all_axes:
        inside = axes.get_window_extent()
        for label in filter(lambda text: isinstance(text, Annotation), axes.texts):
            bar = axes.transData.transform((0, label.xy[1]))[1] - inside.y0
            above = label.get_window_extent().y1 - inside.y0 - bar
            factors.append(bar / max(inside.height - above, 1) if bar > 0 else 1.0)
    for axes in all_axes:
        axes.set_ylim(0, axes.get_ylim()[1] * max(factors))


def widest_inches(texts):
    """Approximate width of the widest label."""
    return TICK_CHARACTER_INCHES * max(len(line) for text in texts for line in text.split("\n"))


def figure_inches(columns):
    return style.ONE_COLUMN_INCHES if columns == 1 else style.TWO_COLUMNS_INCHES


def axes_inches(columns):
    """Approximate width of axes in grid(); the exact width is known only after the layout."""
    return figure_inches(columns) / columns * AXES_SHARE


def width_inches(axes):
    """Approximate width of existing axes."""
    return axes.figure.get_size_inches()[0] / axes.get_gridspec().ncols * AXES_SHARE

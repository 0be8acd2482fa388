# SPDX-License-Identifier: BSD-3-Clause
"""Roles of a sweep's axes in a figure: x axis, lines, panels."""

from dataclasses import dataclass, replace

from analysis.results import COMPARED, FOLDER, SEED, SYSTEM, AnalysisError, Axis

# Maximum number of values that become lines without being asked for, and at all.
MOST_LINES_UNASKED = 8
MOST_LINES = 32


@dataclass(frozen=True)
class Choice:
    """The user's choices; None if not specified."""

    x: str | None = None
    lines: str | None = None
    panels: str | None = None  # comma-separated keys
    baseline: str | None = None


@dataclass(frozen=True)
class Layout:
    x: Axis | None  # numbers: curves over them; otherwise a group of bars for each value
    lines: Axis | None  # a curve, or a bar in each group, for each value
    panels: tuple[Axis, ...]  # a panel for each combination of values
    baseline: str | None  # value of `lines` that the others are relative to
    folders: Axis | None = None  # of an overlay; each line is drawn once per folder

    @property
    def has_curves(self):
        return self.x is not None and self.x.numbers is not None

    @property
    def axes(self):
        parts = (*self.panels, self.x, self.lines, self.folders)
        return tuple(axis for axis in parts if axis is not None)

    @property
    def keys(self):
        return [axis.key for axis in self.axes]


def layout(axes, seeds, choice=Choice()):
    """The layout of a table with these axes, including that of variants or systems.

    Defaults: variants, else systems, are lines. The first numeric axis is x, else the first other
    axis. The remaining axes are lines if there are neither variants nor systems, otherwise panels.
    """
    return arranged(axes, (), seeds, choice, [lambda one: one.numbers is not None, lambda one: True])


def layout_without_x(axes, others, seeds, choice):
    """The Layout of a figure whose x axis is not a swept key. `others` become lines or panels only
    on request."""
    without_baseline = replace(choice, baseline=None)
    return replace(arranged(axes, others, seeds, without_baseline, []), baseline=None)


def arranged(axes, others, seeds, choice, for_x):
    """Assigns the axes. `for_x`: conditions in order of preference; the first one that an axis
    satisfies selects the x axis."""
    named = named_axes((*axes, *others), seeds, choice)
    taken = [axis.key for part in named.values() for axis in part]
    free = [axis for axis in axes if axis.is_varied and axis.key not in taken]
    folders = folders_of(axes, free, taken)
    lines = next(iter(named["--lines"]), None) or taken_from(free, lambda one: one.key in COMPARED)
    x = next(iter(named["--x"]), None)
    for fits in for_x:
        x = x or taken_from(free, fits)
    lines = (
        lines
        or taken_from(free, lambda one: len(one.values) <= MOST_LINES_UNASKED)
        or next((axis for axis in axes if axis.key in COMPARED and axis.key not in taken), None)
    )
    check_folders(lines, folders)
    baseline = baseline_of(lines, choice.baseline)
    return Layout(x, lines, (*named["--panels"], *free), baseline, folders)


def narrowed_table(results, table, only):
    """(axes, rows) of a table of Results within `only`, with seeds as text."""
    rows = table.astype({SEED: str})
    return narrowed(results.with_system(rows), results.seeds, rows, only)


def narrowed(axes, seeds, table, only):
    """Selects the rows that match all KEY=VALUE of the user; several values of one key are alternatives."""
    known = known_axes(axes, seeds)
    values = {}
    for asked in only:
        key, _, value = asked.rpartition("=")
        key = SYSTEM if key == f"/{SYSTEM}" else key
        if key not in known:
            raise AnalysisError(
                f'--only: found "{asked}"; allowed: KEY=VALUE, with one of {", ".join(known)}'
            )
        if value not in known[key].values:
            raise AnalysisError(
                f'--only: found "{asked}"; allowed: {key}= one of {", ".join(known[key].values)}'
            )
        values.setdefault(key, []).append(value)
    for key, chosen in values.items():
        table = table[table[key].isin(chosen)]
    axes = [
        replace(axis, values=tuple(one for one in axis.values if one in values[axis.key]))
        if axis.key in values else axis
        for axis in axes
    ]
    return tuple(axes), table


def pair_layout(axes, seeds, choice, ratio):
    """The axis of variants or systems, the two of its values in a ratio such as "atp/dsa", and the
    layout without that axis."""
    compared = [axis for axis in axes if axis.key in COMPARED]
    pair = tuple(ratio.split("/"))
    found = [axis for axis in compared if set(pair) <= set(axis.values)]
    if len(pair) != 2 or len(set(pair)) != 2 or not found:
        allowed = " or ".join(f'two of {", ".join(axis.values)}' for axis in compared)
        raise AnalysisError(f'--ratio: found "{ratio}"; allowed: {allowed} as A/B')
    shape = layout([axis for axis in axes if axis is not found[0]], seeds, choice)
    if not shape.has_curves:
        raise AnalysisError("--ratio: no swept key of numbers for the x axis; allowed: with one")
    if choice.baseline is not None:
        raise AnalysisError("--baseline: found with --ratio; allowed: only one of the two")
    return found[0], pair, shape


def taken_from(free, fits):
    """Removes and returns the first axis of the list that satisfies the condition; None if none does."""
    for axis in free:
        if fits(axis):
            free.remove(axis)
            return axis
    return None


def folders_of(axes, free, taken):
    """Removes the axis of folders from the free ones and returns it; None if there is none or it is in use."""
    taken_from(free, lambda one: one.key == FOLDER)
    return next((axis for axis in axes if axis.key == FOLDER and FOLDER not in taken), None)


def known_axes(axes, seeds):
    """{key: Axis}, including seeds if there are any."""
    return {axis.key: axis for axis in (*axes, *([Axis(SEED, seeds)] if seeds else []))}


def named_axes(axes, seeds, choice):
    """The axes that the user named for each option: {option: [Axis]}."""
    known = known_axes(axes, seeds)
    asked = {
        "--x": [choice.x] if choice.x is not None else [],
        "--lines": [choice.lines] if choice.lines is not None else [],
        "--panels": choice.panels.split(",") if choice.panels is not None else [],
    }
    named, taken = {}, set()
    for option, keys in asked.items():
        keys = [SYSTEM if key == f"/{SYSTEM}" else key for key in keys]
        for key in keys:
            if key not in known or key in taken:
                found = f'"{key}" is taken' if key in taken else f'found "{key}"'
                allowed = ", ".join(key for key in known if key not in taken)
                raise AnalysisError(f"{option}: {found}; allowed: {allowed or 'nothing'}")
            taken.add(key)
        named[option] = [known[key] for key in keys]
    check_lines(named["--lines"])
    return named


def check_lines(lines):
    for axis in lines:
        if len(axis.values) > MOST_LINES:
            raise AnalysisError(
                f"--lines: {axis.key} has {len(axis.values)} values; allowed: at most {MOST_LINES}"
            )


def check_folders(lines, folders):
    """Rejects more lines than dashes can distinguish."""
    if lines is None or folders is None:
        return
    if len(lines.values) > MOST_LINES_UNASKED:
        raise AnalysisError(
            f"--lines: {lines.key} has {len(lines.values)} values; allowed: at most "
            f"{MOST_LINES_UNASKED} of two folders"
        )


def baseline_of(lines, asked):
    values = lines.values if lines is not None else ()
    if asked is None:
        is_line = lines is not None and lines.is_varied and lines.baseline in values
        return lines.baseline if is_line else None
    if asked not in values:
        raise AnalysisError(f'--baseline: found "{asked}"; allowed: {", ".join(values) or "none"}')
    return asked


def facets_of(points, axes):
    """Each combination of the axes' values that has points: [({key: value}, its points)]."""
    found = [({}, points)]
    for axis in axes:
        found = [
            ({**facet, axis.key: value}, rows[rows[axis.key] == value])
            for facet, rows in found
            for value in dict.fromkeys(axis.values)
            if (rows[axis.key] == value).any()
        ]
    return found

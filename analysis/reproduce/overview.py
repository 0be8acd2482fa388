# SPDX-License-Identifier: BSD-3-Clause
"""One figure of all rows: simulated values relative to the published ones or to bounds."""

from matplotlib import pyplot
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from analysis.kinds import style
from analysis.reproduce import reproduction, verdicts

ROW_INCHES = 0.17
AROUND_INCHES = 0.9
MOST_ROWS = 50
MARKERS = {
    verdicts.REPRODUCED: ("#0072B2", "o"),
    verdicts.AS_STATED: ("#56B4E9", "o"),
    verdicts.TUNED: ("#777777", "v"),
    verdicts.TREND: ("#E69F00", "D"),
    verdicts.CONTRADICTS: ("#CC79A7", "^"),
    verdicts.NOT_REPRODUCED: ("#D55E00", "X"),
    verdicts.UNDECIDED: ("#E69F00", "x"),
    verdicts.NOT_AS_STATED: ("#D55E00", "x"),
    verdicts.AGREES: ("#009E73", "^"),
    verdicts.BOUND_MISSED: ("#000000", "X"),
    verdicts.COMPARED: ("#777777", "s"),
    reproduction.OTHER_SETUP: ("#777777", "P"),
}
LEAST, MOST = 0.1, 10  # values beyond are drawn at the edge, with their numbers


def draw(judged):
    """Yields the pages."""
    rows = [(one.result.id, row) for one in judged for row in one.rows if is_shown(row)]
    for start in range(0, max(len(rows), 1), MOST_ROWS):
        yield draw_page(rows[start : start + MOST_ROWS])


def is_shown(row):
    return bool(shown_of(row))


def reference_of(row):
    """The reference of a row: the published number, the one that its words imply, or the bound; above 0."""
    for key in ("published", "reads_as", "bound"):
        number = row.get(key)
        if number is not None:
            middle = sum(verdicts.span(number)) / 2
            return middle if middle > 0 else None
    return None


def draw_page(rows):
    height = AROUND_INCHES + ROW_INCHES * max(len(rows), 1)
    figure, axes = pyplot.subplots(
        figsize=(style.TWO_COLUMNS_INCHES, height), layout="constrained"
    )
    handles = {}
    for position, (_, row) in enumerate(rows):
        draw_published(axes, position, row)
        for one in shown_of(row):
            handles.setdefault(one.verdict, draw_row(axes, position, one))
    axes.axvline(1, color="#000000", linewidth=0.8, zorder=1)
    axes.set_yticks(range(len(rows)), [label_of(*one) for one in rows])
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.grid(False, axis="y")
    logarithmic_x(axes, rows)
    axes.set_xlabel("Simulated / published (where none: / bound)")
    shown = [verdict for verdict in MARKERS if verdict in handles]
    bands = ", grey: accepted range" if any(has_band(row) for _, row in rows) else ""
    note = f"bars: 95 % intervals over seeds{bands}, |: bound"
    style.frame(figure, [handles[one] for one in shown], shown, note)
    return figure


def shown_of(row):
    return [one for one in row.shown if reference_of(one.row) is not None]


def has_band(judged):
    """Whether there is an accepted range; results of another set-up have none."""
    return "accept" in judged.row and judged.verdict != reproduction.OTHER_SETUP


def draw_row(axes, position, row):
    reference = reference_of(row.row)
    colour, marker = MARKERS[row.verdict]
    ratio = row.found.mean / reference
    inside = min(max(ratio, LEAST), MOST)
    if inside != ratio:
        axes.annotate(
            f" {ratio:.2g}", (inside, position), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=6,
        )
    width = (row.found.half_width or 0) / reference
    return axes.errorbar(
        inside, position, xerr=width if inside == ratio and width else None, color=colour,
        marker=marker, linestyle="", zorder=3,
    )


def draw_published(axes, position, judged):
    """Draws the bound if both are known, and the accepted range."""
    row = shown_of(judged)[0].row
    reference = reference_of(row)
    if has_band(judged):
        ends = verdicts.ends_of(row["accept"], row)
        low, high = (min(max(end / reference, LEAST / 2), MOST * 2) for end in ends)
        axes.barh(position, high - low, left=low, height=0.7, color="#DDDDDD", zorder=0)
    is_divided = row.get("published") is not None or row.get("reads_as") is not None
    if is_divided and row.get("bound") is not None:
        bound = sum(verdicts.span(row["bound"])) / 2 / reference
        if LEAST <= bound <= MOST:
            axes.plot(bound, position, marker="|", color="#000000", markersize=8, zorder=2)


def label_of(name, row):
    return f"{name}  {style.short(row.row['what'], 60)}"


def logarithmic_x(axes, rows):
    shown = [one for _, row in rows for one in shown_of(row)]
    ratios = [one.found.mean / reference_of(one.row) for one in shown]
    ratios += [end for ratio in ratios for end in (ratio * 0.85, ratio * 1.18)]
    axes.set_xscale("log")
    low = max(min([0.7, *ratios]), LEAST * 0.9)
    high = min(max([1.4, *ratios]), MOST * 1.2)
    axes.set_xlim(low, high)
    ticks = [0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3, 5, 10]
    if high / low > 3:
        ticks = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10]
    axes.set_xticks([tick for tick in ticks if low <= tick <= high])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_minor_locator(NullLocator())

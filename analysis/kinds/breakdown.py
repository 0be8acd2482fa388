# SPDX-License-Identifier: BSD-3-Clause
"""The figure of the parts of an iteration's time: stacked bars, one panel per variant or system."""

from analysis import curves, layout
from analysis.kinds import Drawn, InReport, figure_kind, panels, style
from analysis.results import COMPARED, FINISHED, SEED, check_present

TOTAL = "period_us"
TOTAL_NAME = "Whole iteration"
# Column, name and colour, from the bottom of the stack.
PARTS = [
    ("compute_us", "Compute", "#CCCCCC"),
    ("serialisation_us", "Serialisation", "#0072B2"),
    ("propagation_us", "Propagation", "#BBFFAA"),
    ("queueing_us", "Queueing", "#56B4E9"),
    ("slot_wait_us", "Switch memory", "#E69F00"),
    ("window_wait_us", "Window", "#EEEE33"),
    ("straggler_us", "Stragglers", "#CC79A7"),
    ("lateness_us", "Lateness", "#BB9977"),
    ("fallback_us", "Fallback", "#D55E00"),
    ("recovery_us", "Recovery", "#882255"),
]
PART_COLUMNS = [column for column, _, _ in PARTS]
BAR_WIDTH = 0.76
LEAST_NAMED = 0.003  # share of the axes' height; less than a pixel
MOST_COLUMNS = 4


@figure_kind(
    name="breakdown", command="breakdown", tables=("iterations.csv", "jobs.csv"),
    report=InReport(3, "What an iteration consists of"),
    captions={"breakdown": "Parts of the time of an iteration. Black line: whole time."},
)  # fmt: skip
def draw(read, wanted):
    rows, shape = means(read, wanted.choice)
    note = "no job finished, so the figure is empty" if rows[TOTAL].isna().all() else ""
    return Drawn({"breakdown": draw_rows(rows, shape)}, {"rows": curves.records(rows)}, note)


def means(results, choice):
    """(rows, Layout): mean parts and `period_us`, in us, for each point of the figure. Means are
    over the iterations of finished jobs, then over jobs, then over seeds. Also `jobs` and
    `failed_jobs`."""
    iterations = results.iterations(PART_COLUMNS)
    check_present(iterations, PART_COLUMNS, results.folder / "iterations.csv")
    jobs = results.jobs()
    failed = jobs["status"] != FINISHED
    iterations = iterations.merge(jobs.loc[~failed, ["point", SEED, "job"]])
    shape = layout.layout(results.with_system(jobs), results.seeds, choice)
    columns = [TOTAL, *PART_COLUMNS]
    by_job = iterations.groupby(list(dict.fromkeys([*shape.keys, SEED, "job"])), sort=False)
    by_seed = by_job[columns].mean().groupby(list(dict.fromkeys([*shape.keys, SEED])), sort=False)
    rows = by_seed.mean().groupby(shape.keys, sort=False).mean()
    by_point = failed.groupby([jobs[key] for key in shape.keys], sort=False)
    counts = by_point.agg(jobs="size", failed_jobs="sum")  # also if no job finished
    return counts.join(rows)[[*columns, *counts]].reset_index(), shape


def draw_rows(rows, shape):
    """Yields the pages. Each line and facet has a panel; without an x axis, all lines share one."""
    stacks = shape.x or shape.lines
    inner = shape.lines if shape.x is not None else None
    axes = (*shape.panels, *([inner] if inner else []))
    facets = layout.facets_of(rows, axes)
    several = inner is not None and inner.is_varied
    columns = len(inner.values) if several else panels.columns_for(len(facets))
    columns = min(columns, len(facets), MOST_COLUMNS)
    tops = panels.common_tops([
        max(one[TOTAL].max(), one[PART_COLUMNS].sum(axis=1).max()) / curves.US_PER_MS
        for _, one in facets
    ])
    for page in panels.pages_of(list(zip(facets, tops)), columns):
        yield draw_page(page, columns, stacks, axes, note_of(rows))


def note_of(rows):
    means = "mean over iterations, jobs and seeds"
    return ", ".join(filter(None, [means, style.left_out(rows)]))


def draw_page(page, columns, stacks, axes_of_panels, note):
    figure, pairs = panels.grid(len(page), columns, with_ratio=False)
    for ((facet, rows), top), (axes, _) in zip(page, pairs):
        panels.set_title(axes, title_of(facet, axes_of_panels))
        axes.set_ylim(0, top * panels.HEADROOM)
        draw_panel(axes, rows, stacks)
    x_label = "" if stacks.key in COMPARED else style.axis_name(stacks)
    panels.label(figure, pairs, x_label, "JCT breakdown (ms per iteration)", "")
    style.frame(figure, *handles_of(pairs), note)
    return figure


def title_of(facet, axes):
    """The title, innermost value first, because neighbours differ in it."""
    lines = [style.facet_title({key: facet[key]}, axes) for key in reversed(facet)]
    return "\n".join([*lines[:1], *filter(None, [", ".join(reversed(lines[1:]))])])


def draw_panel(axes, rows, stacks):
    values = in_order(stacks)
    rows = rows.set_index(stacks.key).reindex(values)
    if rows[TOTAL].isna().all():
        panels.mark_empty(axes)
    bottom = 0
    for column, name, colour in PARTS:
        heights = rows[column].fillna(0).to_numpy() / curves.US_PER_MS
        is_seen = heights.max() > LEAST_NAMED * axes.get_ylim()[1]
        axes.bar(
            range(len(values)), heights, BAR_WIDTH, bottom=bottom, color=colour,
            label=name if is_seen else "_nothing",
        )
        bottom = bottom + heights
    ended = [(index, value) for index, value in enumerate(rows[TOTAL]) if value > 0]
    if ended:
        axes.hlines(
            [value / curves.US_PER_MS for _, value in ended], [index - 0.46 for index, _ in ended],
            [index + 0.46 for index, _ in ended], color="black", linewidth=1, label=TOTAL_NAME,
        )
    panels.categories(axes, [style.value_name(stacks, value) for value in values])


def in_order(axis):
    numbers = axis.numbers
    if numbers is None:
        return list(axis.values)
    return [text for _, text in sorted(zip(numbers, axis.values))]


def handles_of(pairs):
    """Legend handles of the visible parts, in the order of the stack, and of the total."""
    found = {}
    for axes, _ in pairs:
        for handle, name in zip(*axes.get_legend_handles_labels()):
            found.setdefault(name, handle)
    names = [name for name in [*(name for _, name, _ in PARTS), TOTAL_NAME] if name in found]
    return [found[name] for name in names], names

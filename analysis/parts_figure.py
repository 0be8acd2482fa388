# SPDX-License-Identifier: BSD-3-Clause
"""The figure of the JCT's parts: stacked bars, one panel per system."""

from matplotlib import pyplot

from analysis import curves, panels, style

# Column, name and colour, from the bottom of the stack.
PARTS = [
    ("compute_us", "Compute", "#999999"),
    ("serialisation_us", "Serialisation", "#0072B2"),
    ("queueing_us", "Queueing", "#56B4E9"),
    ("slot_wait_us", "Wait for a slot", "#E69F00"),
    ("straggler_us", "Wait for stragglers", "#CC79A7"),
    ("fallback_us", "Fallback", "#D55E00"),
    ("recovery_us", "Recovery", "#000000"),
]
COLUMNS = [column for column, _, _ in PARTS]
HEADROOM = 1.08
BAR_WIDTH = 0.76
MOST_COLUMNS = 4


def parts(results):
    """Mean parts and `iteration_us`, in us, over iterations, then jobs, then seeds."""
    columns = ["iteration_us", *COLUMNS]
    iterations = results.table("iterations.csv", ["job", *columns])
    keys = [*results.keys, "system"]
    by_job = iterations.groupby([*keys, "seed", "job"], sort=False)[columns].mean()
    by_seed = by_job.groupby([*keys, "seed"], sort=False).mean()
    return by_seed.groupby(keys, sort=False).mean().reset_index()


def save(results, means):
    """Draws the means as parts.png in the result folder; its path."""
    png = results.folder / "parts.png"
    layout = curves.layout(results.axes)
    stacks = layout.x or layout.groups
    systems = results.systems(means)
    with pyplot.rc_context(style.PAPER):
        shown = panels_of(means, layout, stacks, systems)
        columns = min(len(systems) if stacks else 1, MOST_COLUMNS)
        style.save(draw(shown, columns, stacks, systems), png)
    return png


def panels_of(means, layout, stacks, systems):
    """[(title, rows)]: a panel for each facet and system, or one for all systems."""
    facets = curves.facets_of(means, layout.facets)
    if stacks is None:
        return [("", means)]
    found = []
    for facet, rows in facets:
        for system in systems:
            if (rows["system"] == system).any():
                suffix = style.facet_title(facet, layout.facets)
                title = "\n".join(filter(None, [style.system_name(system), suffix]))
                found.append((title, rows[rows["system"] == system]))
    return found


def draw(shown, columns, stacks, systems):
    figure, pairs = panels.grid(len(shown), columns, with_ratio=False)
    for (title, rows), (axes, _) in zip(shown, pairs):
        axes.set_title(title)
        draw_panel(axes, rows, stacks, systems)
    tops = [max(rows["iteration_us"].max(), rows[COLUMNS].sum(axis=1).max()) for _, rows in shown]
    panels.set_tops(
        [axes for axes, _ in pairs], [top / curves.US_PER_MS for top in tops], HEADROOM
    )
    x_label = style.axis_label(stacks) if stacks else ""
    panels.label(figure, pairs, x_label, "JCT and its parts (ms)", "")
    style.frame(figure, *handles_of(pairs), "mean over iterations, jobs and seeds")
    return figure


def draw_panel(axes, rows, stacks, systems):
    key, values = (stacks.key, in_order(stacks)) if stacks else ("system", systems)
    rows = rows.set_index(key).reindex(values)
    names = [style.short(value) for value in values]
    if stacks is None:
        names = [style.system_name(system) for system in systems]
    bottom = 0
    for column, name, colour in PARTS:
        heights = rows[column].to_numpy() / curves.US_PER_MS
        axes.bar(
            range(len(values)), heights, BAR_WIDTH, bottom=bottom, color=colour,
            label=name if heights.any() else "_nothing",
        )
        bottom = bottom + heights
    jct = rows["iteration_us"].to_numpy() / curves.US_PER_MS
    axes.hlines(
        jct, [i - 0.46 for i in range(len(values))], [i + 0.46 for i in range(len(values))],
        color="black", linewidth=1, label="JCT",
    )
    panels.categories(axes, names)


def in_order(axis):
    numbers = axis.numbers
    if numbers is None:
        return list(axis.values)
    return [text for _, text in sorted(zip(numbers, axis.values))]


def handles_of(pairs):
    """The parts that some panel shows, in the order of the stack, and the JCT."""
    found = {}
    for axes, _ in pairs:
        for handle, name in zip(*axes.get_legend_handles_labels()):
            found.setdefault(name, handle)
    names = [name for _, name, _ in PARTS if name in found] + ["JCT"]
    return [found[name] for name in names], names

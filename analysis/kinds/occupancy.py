# SPDX-License-Identifier: BSD-3-Clause
"""The number of aggregators that each job holds over time, as stacked areas. It shows one seed:
jobs start and end at different times in each seed, so that a mean would match no run."""

import numpy
import pandas

from analysis import curves, layout
from analysis.kinds import Drawn, InReport, figure_kind, panels, style
from analysis.results import SEED, AnalysisError, Axis, require

TABLE = "switch.csv"
JOB = "job"
SWITCH = "switch"
HELD = "occupied_aggregators"
EVENTS = ("allocated", "collided", "preempted", "evicted", "completed", "fallbacks", "added")
OTHERS = "other jobs"
OTHERS_COLOUR = "#BBBBBB"
MOST_JOBS = 8  # each with its own colour; all others share one area
IN_THOUSANDS_FROM = 10000
MOST_SAMPLES = 1000  # per area


@figure_kind(
    name="occupancy", order=3, summary="the aggregators of each job in time", tables=(TABLE,),
    options=("panels", "only"), report=InReport(4, "Aggregators in use, by job"),
    captions={
        "occupancy": "Aggregators that each job holds over time, one job above the other, in one seed.",
    },
)  # fmt: skip
def draw(results, wanted):
    rows, axes, names, seed = read(results, wanted.choice, wanted.only)
    found = {"seed": int(seed), "jobs": curves.records(numbers(rows, axes, names))}
    return Drawn({"occupancy": draw_rows(rows, axes, names, seed)}, found)


def read(results, choice, only):
    """(rows, axes, names, seed): switch.csv of the first seed within `only`, and the names of the
    jobs; as many as there are colours keep their own. `axes` are those of the panels. The switches
    of a panel are summed."""
    path = results.folder / TABLE
    rows = results.table(TABLE)
    require(rows, [HELD], path)
    axes, rows = layout.narrowed_table(results, results.with_job_names(rows), only)
    if not rows[HELD].any():
        raise AnalysisError(
            f"{path}: no job held an aggregator at any sample; allowed: runs of a system that has "
            "some, longer than /outputs/switch_interval"
        )
    seed = rows[SEED].iloc[0]
    rows = carried_forward(rows[rows[SEED] == seed])
    switches = Axis(SWITCH, tuple(sorted(set(rows[SWITCH]), key=style.natural)))
    named = layout.named_axes((*axes, switches), (), choice)["--panels"]
    varied = [axis for axis in axes if axis.is_varied and axis not in named]
    rows, names = with_few_jobs(rows)
    return rows, [*named, *varied] or list(axes[:1]), names, seed


def carried_forward(rows):
    """Fills in the rows that switch.csv omits because nothing changed: one row per switch and job
    at every instant of their run."""
    return pandas.concat(map(every_instant, (run for _, run in rows.groupby("point", sort=False))))


def every_instant(run):
    held_by = run.pivot(index="time_us", columns=[SWITCH, JOB], values=HELD).ffill().fillna(0)
    every = held_by.unstack().rename(HELD).reset_index()
    of_run = run.iloc[0].drop(["time_us", SWITCH, JOB, HELD, *EVENTS], errors="ignore")
    return every.assign(**of_run)


def with_few_jobs(rows):
    """The rows with one common name for all jobs except the largest holders, and the names in order."""
    held = rows.groupby(JOB)[HELD].sum().sort_values(ascending=False, kind="stable")
    if len(held) <= MOST_JOBS:
        return rows, sorted(held.index, key=style.natural)
    own = set(held.index[: MOST_JOBS - 1])
    rows = rows.assign(**{JOB: rows[JOB].where(rows[JOB].isin(own), OTHERS)})
    return rows, [*sorted(own, key=style.natural), OTHERS]


def held(rows, names):
    """One row per instant and one column per name: the number of aggregators at all switches."""
    table = rows.groupby(["time_us", JOB])[HELD].sum().unstack(fill_value=0)
    return table.reindex(columns=names, fill_value=0)


def draw_rows(rows, axes, names, seed):
    """Yields the pages: a panel with a common scale per facet with aggregators, an area per name."""
    facets = [(facet, held(one, names)) for facet, one in layout.facets_of(rows, axes)]
    shown = [(facet, table) for facet, table in facets if table.any(axis=None)]
    columns = panels.columns_for(len(shown))
    end_us = max(table.index.max() for _, table in shown)
    top = max(table.sum(axis=1).max() for _, table in shown) * panels.HEADROOM
    note = note_of(seed, [facet for facet, table in facets if not table.any(axis=None)], axes)
    for page in panels.pages_of(shown, columns):
        yield draw_page(page, axes, columns, (end_us / curves.US_PER_MS, top), note)


def note_of(seed, empty, axes):
    left_out = "; ".join(style.facet_title(facet, axes) for facet in empty)
    return f"seed {seed}" + (f", without any aggregator in use: {left_out}" if left_out else "")


def draw_page(page, axes, columns, ends, note):
    figure, cells, handles = panels.filled(page, columns, axes, draw_panel)
    unit = 1000 if ends[1] >= IN_THOUSANDS_FROM else 1
    for panel, _ in cells:
        panel.set(xlim=(0, ends[0]), ylim=(0, ends[1]))
        panel.yaxis.set_major_formatter(lambda value, _: f"{value / unit:g}")
    label = "Aggregators in use" + ("" if unit == 1 else " (thousands)")
    panels.label(figure, cells, "Time (ms)", label, "")
    together = max(step_of(table) for _, table in page)
    every = f"every {together}th instant of switch.csv" if together > 1 else "instants of switch.csv"
    style.frame(figure, handles.values(), list(handles), f"{note}, {every}", "Job")
    return figure


def draw_panel(axes, table):
    """{name: its area}"""
    table = table.iloc[:: step_of(table)]
    looks = style.looks_of([name for name in table.columns if name != OTHERS], {})
    areas = axes.stackplot(
        table.index / curves.US_PER_MS, table.to_numpy().T, edgecolor="white", linewidth=0.3, step="post",
        colors=[looks[one].colour if one in looks else OTHERS_COLOUR for one in table.columns],
    )
    return dict(zip(table.columns, areas))


def step_of(table):
    return -(-len(table) // MOST_SAMPLES)


def numbers(rows, axes, names):
    """One row per name of each panel."""
    found = []
    for facet, in_panel in layout.facets_of(rows, axes):
        present = [name for name in names if (in_panel[JOB] == name).any()]
        for name, of_job in held(in_panel, present).items():
            mean = (of_job.iloc[:-1] * numpy.diff(of_job.index)).sum() / max(of_job.index.max(), 1e-9)
            found.append(facet | {
                "job": name, "mean_aggregators": mean, "most_aggregators": int(of_job.max()),
            })
    return pandas.DataFrame(found)

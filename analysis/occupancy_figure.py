# SPDX-License-Identifier: BSD-3-Clause
"""The figure of how many aggregators each job holds in time: stacked areas. Of one seed, for a mean
over seeds of what begins and ends at other times in each shows no run."""

import numpy
import pandas

from analysis import curves, layout, panels, style
from analysis.results import SEED, AnalysisError, Axis, require

TABLE = "switch.csv"
JOB = "job"
SWITCH = "switch"
HELD = "occupied_aggregators"
EVENTS = ("allocated", "collided", "preempted", "evicted", "completed", "fallbacks", "added")
OTHERS = "other jobs"
OTHERS_COLOUR = "#BBBBBB"
MOST_JOBS = 8  # each with a colour of its own: the others are one area
MOST_SAMPLES = 1000  # of an area


def read(results, choice, only):
    """(rows, axes, names, seed): switch.csv of the first seed, as far as `only` goes, with the names
    of jobs, of which as many as have colours keep their own. `axes` are those of panels; what is
    held at all switches of a panel is one sum."""
    path = results.folder / TABLE
    rows = results.table(TABLE)
    require(rows, [HELD], path)
    rows = results.with_job_names(rows).astype({SEED: str})
    axes, rows = layout.narrowed(results.with_system(rows), results.seeds, rows, only)
    if not rows[HELD].any():
        raise AnalysisError(
            f"{path}: no job held an aggregator at any of its times; allowed: runs of a system that has "
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
    """The rows with one for each switch and job at every instant of their run: switch.csv leaves out what
    is as before."""
    return pandas.concat(map(every_instant, (run for _, run in rows.groupby("point", sort=False))))


def every_instant(run):
    held_by = run.pivot(index="time_us", columns=[SWITCH, JOB], values=HELD).ffill().fillna(0)
    every = held_by.unstack().rename(HELD).reset_index()
    of_run = run.iloc[0].drop(["time_us", SWITCH, JOB, HELD, *EVENTS], errors="ignore")
    return every.assign(**of_run)


def with_few_jobs(rows):
    """The rows, with one name for all jobs but those that hold most, and the names in order."""
    held = rows.groupby(JOB)[HELD].sum().sort_values(ascending=False, kind="stable")
    if len(held) <= MOST_JOBS:
        return rows, sorted(held.index, key=style.natural)
    own = set(held.index[: MOST_JOBS - 1])
    rows = rows.assign(**{JOB: rows[JOB].where(rows[JOB].isin(own), OTHERS)})
    return rows, [*sorted(own, key=style.natural), OTHERS]


def held(rows, names):
    """A row for each instant, a column for each name: the aggregators at all switches."""
    table = rows.groupby(["time_us", JOB])[HELD].sum().unstack(fill_value=0)
    return table.reindex(columns=names, fill_value=0)


def draw(rows, axes, names, seed):
    """Yields the pages: a panel for each facet, an area for each name."""
    facets = [(facet, held(one, names)) for facet, one in layout.facets_of(rows, axes)]
    columns = panels.columns_for(len(facets))
    ends = panels.common_tops([table.index.max() for _, table in facets])
    tops = panels.common_tops([table.sum(axis=1).max() for _, table in facets])
    sized = [(facet, (table, end, top)) for (facet, table), end, top in zip(facets, ends, tops)]
    for page in panels.pages_of(sized, columns):
        yield draw_page(page, axes, columns, seed)


def draw_page(page, axes, columns, seed):
    figure, cells, handles = panels.filled(page, columns, axes, draw_panel)
    panels.label(figure, cells, "Time (ms)", "Aggregators in use", "")
    together = max(step_of(table) for _, (table, *_) in page)
    every = f"every {together}th instant of switch.csv" if together > 1 else "instants of switch.csv"
    style.frame(figure, handles.values(), list(handles), f"seed {seed}, {every}", "Job")
    return figure


def draw_panel(axes, shown):
    """{name: its area}"""
    table, end, top = shown
    table = table.iloc[:: step_of(table)]
    looks = style.looks_of([name for name in table.columns if name != OTHERS], {})
    areas = axes.stackplot(
        table.index / curves.US_PER_MS, table.to_numpy().T, edgecolor="white", linewidth=0.3, step="post",
        colors=[looks[one].colour if one in looks else OTHERS_COLOUR for one in table.columns],
    )
    axes.set(xlim=(0, end / curves.US_PER_MS), ylim=(0, top * panels.HEADROOM))
    return dict(zip(table.columns, areas))


def step_of(table):
    return -(-len(table) // MOST_SAMPLES)


def numbers(rows, axes, names):
    """One row for each name of each panel."""
    found = []
    for facet, in_panel in layout.facets_of(rows, axes):
        present = [name for name in names if (in_panel[JOB] == name).any()]
        for name, of_job in held(in_panel, present).items():
            mean = (of_job.iloc[:-1] * numpy.diff(of_job.index)).sum() / max(of_job.index.max(), 1e-9)
            found.append(facet | {
                "job": name, "mean_aggregators": mean, "most_aggregators": int(of_job.max()),
            })
    return pandas.DataFrame(found)

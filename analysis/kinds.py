# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of figures of a result folder: what each reads, draws and gives as numbers."""

from dataclasses import dataclass

from analysis import curves, error_bars, layout
from analysis.results import AnalysisError

# The functions load matplotlib, which commands without figures need not wait for.


@dataclass(frozen=True)
class Wanted:
    """What the user asked for."""

    choice: layout.Choice = layout.Choice()
    only: tuple[str, ...] = ()  # KEY=VALUE
    links: tuple[str, ...] = ()  # patterns
    spread: str = error_bars.INTERVAL


@dataclass(frozen=True)
class Drawn:
    pages: dict  # {stem of the files: figures}
    numbers: dict
    note: str = ""


def jct(read, wanted):
    from analysis import jct_figure, loss_figure

    jobs = read.jobs()
    shape = layout.layout(read.with_system(jobs), read.seeds, wanted.choice)
    points = curves.points(jobs, shape, wanted.spread)
    pages = {"jct": jct_figure.draw(shape, points, curves.JCT, wanted.spread)}
    if curves.has_iterations(jobs):
        pages["iteration"] = jct_figure.draw(shape, points, curves.ITERATION, wanted.spread)
    if curves.is_over_loss(shape):
        pages["loss"] = loss_figure.draw(shape, points, wanted.spread)
    note = "" if points["seeds"].sum() else "no job finished, so the figures are empty"
    return Drawn(pages, curves.to_json(read, shape, points, wanted.spread), note)


def ratio(read, wanted, asked):
    from analysis import ratio_figure

    jobs = read.jobs()
    compared, pair, shape = layout.pair_layout(
        read.with_system(jobs), read.seeds, wanted.choice, asked
    )
    points = curves.quotients(jobs, shape, compared.key, pair, wanted.spread)
    pages = {"ratio": ratio_figure.draw(shape, points, compared, pair, wanted.spread)}
    has_points = points["seeds"].sum() > 0
    note = "" if has_points else "no seed has finished jobs of both, so the figure is empty"
    numbers = curves.to_json(read, shape, points, wanted.spread) | {"ratio": asked}
    return Drawn(pages, numbers, note)


def cdf(read, wanted):
    from analysis import cdf_figure

    rows, shape = cdf_figure.of_jobs(read, wanted.choice, wanted.only)
    pages = {"cdf": cdf_figure.draw(rows, shape, "JCT (ms)")}
    numbers = {"jct": cdf_figure.numbers(rows, shape)}
    note = "no job finished, so the figures are empty" if rows[cdf_figure.VALUE].isna().all() else ""
    if curves.has_iterations(rows):
        rows, shape = cdf_figure.of_iterations(read, wanted.choice, wanted.only)
        pages["iteration_cdf"] = cdf_figure.draw(rows, shape, "Iteration time (ms)")
        numbers["iteration"] = cdf_figure.numbers(rows, shape)
    return Drawn(pages, numbers, note)


def breakdown(read, wanted):
    from analysis import breakdown_figure

    rows, shape = breakdown_figure.means(read, wanted.choice)
    is_empty = rows[breakdown_figure.TOTAL].isna().all()
    note = "no job finished, so the figure is empty" if is_empty else ""
    pages = {"breakdown": breakdown_figure.draw(rows, shape)}
    return Drawn(pages, {"rows": curves.records(rows)}, note)


def occupancy(read, wanted):
    from analysis import occupancy_figure

    rows, axes, names, seed = occupancy_figure.read(read, wanted.choice, wanted.only)
    numbers = curves.records(occupancy_figure.numbers(rows, axes, names))
    pages = {"occupancy": occupancy_figure.draw(rows, axes, names, seed)}
    return Drawn(pages, {"seed": int(seed), "jobs": numbers})


def links(read, wanted):
    from analysis import links_figure, star_figure

    rows, axes = links_figure.read(read, wanted.only)
    if star_figure.is_star(rows):
        pages = star_figure.draw(rows, axes)
    else:
        pages = links_figure.draw(rows, axes, read.folder / links_figure.TABLE)
    return Drawn({"links": pages}, {"links": curves.records(rows)})


def series(read, wanted):
    from analysis import series_figure

    rows, axes, seed, interval_us = series_figure.read(read, wanted.only, wanted.links)
    numbers = curves.records(series_figure.numbers(rows, axes))
    pages = {"series": series_figure.draw(rows, axes, seed, interval_us)}
    return Drawn(pages, {"seed": int(seed), "interval_us": interval_us, "links": numbers})


def occupation(read, wanted):
    from analysis import occupation_figure

    rows, shape = occupation_figure.read(read, wanted.choice, wanted.only)
    if rows.empty:
        raise AnalysisError(
            f"{read.folder / occupation_figure.TABLE}: no task held an aggregator; allowed: rows to "
            "draw"
        )
    numbers = curves.records(occupation_figure.numbers(rows, shape))
    return Drawn({"occupation": occupation_figure.draw(rows, shape)}, {"lines": numbers})


def flows(read, wanted):
    from analysis import flows_figure

    rows, shape = flows_figure.read(read, wanted.choice, wanted.only)
    numbers = curves.records(flows_figure.numbers(rows, shape))
    pages = {"flows": flows_figure.draw(rows, shape)}
    return Drawn(pages, {"least_flows_of_p99": flows_figure.LEAST_FLOWS, "flows": numbers})


def default_of(read):
    """The kind that is drawn if none is asked for: without jobs, what there is of other traffic."""
    if read.has_jobs:
        return "jct"
    has_flows = "flows.csv" in read.tables and read.table("flows.csv")["completion_us"].notna().any()
    return "flows" if has_flows else "links"


KINDS = {
    "jct": jct, "cdf": cdf, "occupancy": occupancy, "links": links, "series": series,
    "occupation": occupation, "flows": flows,
}  # fmt: skip

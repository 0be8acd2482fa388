# SPDX-License-Identifier: BSD-3-Clause
"""Links over time: utilisation of each and, below, its longest queue. Shows one seed, since a mean
of queues over seeds would match no run."""

from fnmatch import fnmatchcase

import numpy
import pandas

from analysis import curves, layout, quantities
from analysis.kinds import Drawn, InReport, figure_kind, panels, style
from analysis.results import ASKED_FOR_BY, SEED, AnalysisError, check_present

TABLE = "link_series.csv"
NUMBERS = ["bytes_sent", "busy_us", "longest_queue_bytes", "queue_bytes"]
SHOWN_UNASKED = 4  # default number of links
MOST_STEPS = 400  # per line; consecutive intervals are merged beyond
BYTES_PER_KB = 1000


@figure_kind(
    name="series", order=5, summary="the load of some links in time", tables=(TABLE,),
    options=("only", "links"), report=InReport(7, "The busiest links in time", needs_jobs=False),
    captions={
        "series": "Upper part: share of each interval in which a link sends. Lower part: longest queue in the interval. One seed.",
    },
)  # fmt: skip
def draw(results, wanted):
    rows, axes, seed, interval_us = read(results, wanted.only, wanted.links)
    found = {
        "seed": int(seed), "interval_us": interval_us, "links": curves.records(numbers(rows, axes)),
    }  # fmt: skip
    return Drawn({"series": draw_rows(rows, axes, seed, interval_us)}, found)


def read(results, only, patterns):
    """(rows, axes, seed, interval in us): link_series.csv of the first seed within `only`, for
    links that match a pattern, by default those that sent most."""
    rows = results.table(TABLE)
    check_present(rows, NUMBERS, results.folder / TABLE)
    axes, rows = layout.narrowed_table(results, rows, only)
    if rows.empty:
        raise AnalysisError(f"{results.folder / TABLE}: nothing was sent; allowed: rows to draw")
    seed = rows[SEED].iloc[0]
    rows = rows[rows[SEED] == seed]
    interval_us = interval_of(results)
    rows = rows[rows["link"].isin(chosen(rows, patterns))]
    return rows, [axis for axis in axes if axis.is_varied] or list(axes[:1]), seed, interval_us


def interval_of(results):
    """The interval in us; runs with different intervals cannot share a figure."""
    pointer = ASKED_FOR_BY[TABLE]
    path = results.folder / "manifest.json"
    texts = {
        run.get("scenario", {}).get("outputs", {}).get("link_interval")
        for run in results.manifest["points"]
    } - {None}
    if len(texts) != 1:
        raise AnalysisError(f"{path}: {pointer}: found {len(texts)} values; allowed: the same in each run")
    (text,) = texts
    found = quantities.parse(text) if isinstance(text, str) else None
    if found is None or quantities.UNITS[found[1]][0] != "time" or not found[0] > 0:
        raise AnalysisError(f'{path}: {pointer}: found "{text}"; allowed: a time')
    return found[0] * quantities.UNITS[found[1]][1] * 1e6


def chosen(rows, patterns):
    """The names of links, ordered by bytes sent."""
    sent = rows.groupby("link")["bytes_sent"].sum().sort_values(ascending=False, kind="stable")
    if not patterns:
        return list(sent.index[:SHOWN_UNASKED])
    found = [link for link in sent.index if any(fnmatchcase(link, one) for one in patterns)]
    if not found or len(found) > layout.MOST_LINES:
        raise AnalysisError(
            f'--links: "{",".join(patterns)}" is {len(found)} of {len(sent)} links that sent '
            f"something, such as {sent.index[0]}; allowed: 1 to {layout.MOST_LINES}"
        )
    return found


def steps(rows, interval_us, intervals, together):
    """(ends in ms, share of the time, longest queue in kB) of one link; merged intervals have their
    mean share and their longest queue."""
    number = (rows["time_us"] / interval_us).round().astype(int).to_numpy() - 1
    busy = numpy.zeros(-(-intervals // together) * together)
    queue = busy.copy()
    busy[number] = rows["busy_us"] / interval_us
    queue[number] = rows["longest_queue_bytes"] / BYTES_PER_KB
    ends = numpy.arange(1, len(busy) // together + 1) * together * interval_us / curves.US_PER_MS
    return ends, busy.reshape(-1, together).mean(axis=1), queue.reshape(-1, together).max(axis=1)


def draw_rows(rows, axes, seed, interval_us):
    """Yields the pages: a panel per facet, a line per link."""
    facets = layout.facets_of(rows, axes)
    columns = panels.columns_for(len(facets))
    links = sorted(set(rows["link"]), key=style.natural)
    looks = style.looks_of(links, {})
    longest = intervals_of(rows, interval_us)
    for page in panels.pages_of(facets, columns, panels.MAIN_INCHES + panels.RATIO_INCHES):
        yield draw_page(page, axes, looks, columns, seed, interval_us, longest)


def intervals_of(rows, interval_us):
    return round(rows["time_us"].max() / interval_us)


def draw_page(page, axes, looks, columns, seed, interval_us, most_intervals):
    """`most_intervals`: number of intervals of the longest run, at which all panels end."""
    figure, pairs = panels.grid(len(page), columns, with_ratio=True)
    handles, together = {}, -(-most_intervals // MOST_STEPS)
    for (facet, rows), (busy, queue) in zip(page, pairs):
        panels.set_title(busy, style.facet_title(facet, axes))
        intervals = intervals_of(rows, interval_us)
        for link, look in looks.items():
            of_link = rows[rows["link"] == link]
            if of_link.empty:
                continue
            ends, share, longest = steps(of_link, interval_us, intervals, together)
            edges = [0, *ends]
            handles[link] = busy.stairs(share, edges, baseline=None, color=look.colour, linestyle=look.dash)
            queue.stairs(longest, edges, baseline=None, color=look.colour, linestyle=look.dash)
        busy.set_ylim(0, 1.02)
        busy.set_xlim(0, most_intervals * interval_us / curves.US_PER_MS)
        queue.set_ylim(bottom=0)
    panels.label(figure, pairs, "Time (ms)", "Share of the time\nin which the link sends", "Queue (kB)")
    shown = {link: handles[link] for link in looks if link in handles}
    style.frame(figure, shown.values(), list(shown), note_of(seed, interval_us, together))
    return figure


def note_of(seed, interval_us, together):
    interval = f"each step: {together * interval_us:g} us"
    return ", ".join([f"seed {seed}", interval, "the longest queue in it"])


def numbers(rows, axes):
    """One row per link of each panel."""
    found = []
    for facet, in_panel in layout.facets_of(rows, axes):
        for link, of_link in in_panel.groupby("link", sort=False):
            found.append(facet | {
                "link": link,
                "bytes_sent": int(of_link["bytes_sent"].sum()),
                "longest_queue_bytes": int(of_link["longest_queue_bytes"].max()),
                "frames_marked": int(of_link["frames_marked"].sum()),
                "frames_dropped": int(of_link["frames_dropped"].sum()),
            })
    return pandas.DataFrame(found)

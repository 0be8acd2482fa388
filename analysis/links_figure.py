# SPDX-License-Identifier: BSD-3-Clause
"""The figure of a cluster's links: how busy each direction is, and where frames were marked or
dropped. A row of two panels, one a direction, for each run that differs in more than the seed."""

import pandas
from matplotlib import pyplot
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.lines import Line2D

from analysis import cluster_map, layout, panels, style
from analysis.results import SEED, AnalysisError, require

TABLE = "links.csv"
WAYS = {True: "up", False: "down"}
COLOURS = LinearSegmentedColormap.from_list("busy", ["#DDE6EE", "#56B4E9", "#0072B2", "#882255"])
WIDTHS = (0.5, 3.0)  # points, of an idle line and a busy one
MOST_LINES_THICK = 150  # beyond, lines are thinner
MARK_COLOUR = "#E69F00"
DROP_COLOUR = "#D55E00"
ROW_INCHES = 1.9
MOST_BESIDE = 16  # switches in a row, for two panels beside each other
NODE_SIZE = 9
SEGMENT = 0.28  # of a line, where its mark stands


def read(results, only):
    """(rows, axes): of each direction of a link `utilisation`, the share of the time from the first
    job's start to the last one's end in which it sent; means over seeds, as far as `only` goes."""
    path = results.folder / TABLE
    links = results.table(TABLE)
    require(links, ["busy_us", "frames_marked", "frames_dropped"], path)
    if links["busy_us"].isna().any():
        raise AnalysisError(f"{path}: busy_us: found nothing; allowed: what the simulator wrote")
    jobs = results.table("jobs.csv")
    require(jobs, ["start_us", "end_us"], results.folder / "jobs.csv")
    runs = jobs.groupby(["point", SEED])
    time_us = (runs["end_us"].max() - runs["start_us"].min()).rename("time_us").reset_index()
    links = links.merge(time_us, on=["point", SEED])
    links = links.assign(utilisation=(links["busy_us"] / links["time_us"]).fillna(0))
    links = links.astype({SEED: str})
    axes, links = layout.narrowed(results.with_system(links), results.seeds, links, only)
    axes = [axis for axis in axes if axis.is_varied] or list(axes[:1])
    means = links.groupby([axis.key for axis in axes] + ["link"], sort=False)
    return means[["utilisation", "frames_marked", "frames_dropped"]].mean().reset_index(), axes


def draw(rows, axes, path):
    """Yields the pages."""
    facets = [
        (facet, links, cluster_map.map_of(links["link"], path))
        for facet, links in layout.facets_of(rows, axes)
    ]
    is_wide = max(len(row) for *_, cluster in facets for row in cluster.rows) > MOST_BESIDE
    height = ROW_INCHES * (2 if is_wide else 1)
    for page in panels.pages_of(facets, 1, height):
        yield draw_page(page, axes, is_wide)


def draw_page(page, axes, is_wide):
    across = 1 if is_wide else len(WAYS)
    down = len(page) * len(WAYS) // across
    size = (style.TWO_COLUMNS_INCHES, ROW_INCHES * down + panels.AROUND_INCHES)
    figure, cells = pyplot.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    cells = cells.reshape(len(page), len(WAYS))
    for (facet, links, cluster), beside in zip(page, cells):
        for panel, is_up in zip(beside, WAYS):
            title = ": ".join(filter(None, [style.facet_title(facet, axes), WAYS[is_up]]))
            panels.set_title(panel, title)
            draw_panel(panel, links, cluster, is_up)
    scale = ScalarMappable(Normalize(0, 1), COLOURS)
    bar = figure.colorbar(scale, ax=cells, shrink=0.7, aspect=30, pad=0.01)
    bar.set_label("Share of the time in which the link sends")
    bar.outline.set_visible(False)
    style.frame(figure, *legend_of(page), note_of(page))
    return figure


def draw_panel(panel, links, cluster, is_up):
    panel.set_axis_off()
    shown = drawn_links(links, cluster, is_up)
    segments = [[cluster.places[start], cluster.places[end]] for start, end in shown.index]
    thin = min(1, MOST_LINES_THICK / len(shown)) if len(shown) else 1
    busy = shown["utilisation"].clip(0, 1)
    least, most = WIDTHS
    panel.add_collection(LineCollection(
        segments, colors=COLOURS(busy.to_numpy()), linewidths=(least + (most - least) * busy) * thin,
        capstyle="round", zorder=1,
    ))
    for column, colour, marker in (
        ("frames_marked", MARK_COLOUR, "o"), ("frames_dropped", DROP_COLOUR, "X"),
    ):
        at = [on_the_way(segment) for segment, count in zip(segments, shown[column]) if count > 0]
        panel.plot(*zip(*at) if at else ([], []), marker, color=colour, markersize=3, zorder=3)
    draw_nodes(panel, cluster)


def drawn_links(links, cluster, is_up):
    """The links of one way by their ends, the busiest last. Those of hosts that are drawn together
    are one, as busy as the busiest of them."""
    ways = [cluster.directions[link] for link in links["link"]]
    ends = pandas.DataFrame(
        [(way.start, way.end, way.is_up) for way in ways], columns=["start", "end", "is_up"],
        index=links.index,
    )
    one_way = links.join(ends)[ends["is_up"] == is_up]
    columns = ["utilisation", "frames_marked", "frames_dropped"]
    return one_way.groupby(["start", "end"])[columns].max().sort_values("utilisation")


def on_the_way(segment):
    """Near the end that sends, where the queue is."""
    (x, y), (to_x, to_y) = segment
    return x + SEGMENT * (to_x - x), y + SEGMENT * (to_y - y)


def draw_nodes(panel, cluster):
    heights = [height for _, height in cluster.places.values()]
    for node, (x, height) in cluster.places.items():
        if height > 0:
            label, box = number_of(node), {"boxstyle": "round,pad=0.25", "fc": "white", "lw": 0.6}
        elif node in cluster.gathered:
            label, box = str(len(cluster.gathered[node])), {"boxstyle": "square,pad=0.2", "fc": "#EEEEEE", "lw": 0.4}
        else:
            is_server = node.startswith("ps")
            panel.plot(x, height, "s" if is_server else "o", color="#000000" if is_server else "#777777",
                       markersize=3.5 if is_server else 2.5, zorder=4)
            continue
        panel.text(x, height, label, ha="center", va="center", fontsize=5.5, bbox=box, zorder=5)
    for height, row in enumerate(cluster.rows, start=1):
        names = sorted({name_of(node) for node in row})
        panel.text(-0.01, height, "/".join(names), ha="right", va="center", fontsize=6)
    panel.text(-0.01, 0, "hosts", ha="right", va="center", fontsize=6)
    panel.set_xlim(0, 1)
    panel.set_ylim(min(heights) - 0.2, max(heights) + 0.25)


def number_of(node):
    return node.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") or " "


def name_of(node):
    return node.rstrip("0123456789") or node


def legend_of(page):
    symbols = {
        "frames_marked": ("frames marked (ECN)", MARK_COLOUR, "o"),
        "frames_dropped": ("frames dropped", DROP_COLOUR, "X"),
    }
    shown = [
        (name, Line2D([], [], color=colour, marker=marker, linestyle="", markersize=4))
        for column, (name, colour, marker) in symbols.items()
        if any((links[column] > 0).any() for _, links, _ in page)
    ]
    if any(node.startswith("ps") for *_, cluster in page for node in cluster.places):
        server = Line2D([], [], color="#000000", marker="s", linestyle="", markersize=3.5)
        shown.append(("parameter server", server))
    return [handle for _, handle in shown], [name for name, _ in shown]


def note_of(page):
    if any(cluster.gathered for *_, cluster in page):
        return "grey boxes: that many hosts, their links as the busiest of them"
    return ""

# SPDX-License-Identifier: BSD-3-Clause
"""The figure of a cluster's links: utilisation of each direction, and links with marked or dropped
frames. Each distinct run, apart from its seed, has a row of two panels, one per direction."""

from itertools import compress

import pandas
from matplotlib import pyplot
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.lines import Line2D

from analysis import curves, layout
from analysis.kinds import Drawn, InReport, cluster_map, figure_kind, panels, star_links, style
from analysis.kinds.cluster_map import is_server
from analysis.results import SEED, AnalysisError, require

TABLE = "links.csv"
DIRECTIONS = {True: "up", False: "down"}
COLOURS = LinearSegmentedColormap.from_list("busy", ["#DDE6EE", "#56B4E9", "#0072B2", "#882255"])
WIDTHS = (0.5, 3.0)  # in points, of an idle and a busy line
MOST_LINES_THICK = 150  # with more lines, all are thinner
# Colours of the edges of links that dropped or marked frames; drops take precedence.
SEAMS = {
    "frames_marked": ("frames marked (ECN)", "#E69F00"), "frames_dropped": ("frames dropped", "#000000"),
}
SEAM_POINTS = 1.6  # additional width, both sides together
SERVER = "#000000"
ROW_INCHES = 1.9
MOST_BESIDE = 16  # maximum number of switches in a row for two panels side by side


@figure_kind(
    name="links", order=4, summary="the load of the cluster's links", tables=(TABLE,),
    options=("only",), report=InReport(6, "How busy the links are", needs_jobs=False),
    captions={"links": "Share of the time in which links send, mean over seeds."},
)  # fmt: skip
def draw(results, wanted):
    rows, axes = read(results, wanted.only)
    if star_links.is_star(rows):
        pages = star_links.draw(rows, axes)
    else:
        pages = draw_maps(rows, axes, results.folder / TABLE)
    return Drawn({"links": pages}, {"links": curves.records(rows)})


def read(results, only):
    """(rows, axes): for each direction of a link the `utilisation`, its share of sending time
    between the start of the first job or flow and the last frame of the run; means over seeds,
    within `only`."""
    path = results.folder / TABLE
    links = results.table(TABLE)
    require(links, ["busy_us", "last_sent_us", "frames_marked", "frames_dropped"], path)
    if links["busy_us"].isna().any():
        raise AnalysisError(f"{path}: busy_us: found nothing; allowed: a table of the simulator")
    last_us = links.groupby(["point", SEED])["last_sent_us"].max()
    time_us = (last_us - starts_of(results)).rename("time_us").reset_index()
    links = links.merge(time_us, on=["point", SEED])
    links = links.assign(utilisation=(links["busy_us"] / links["time_us"]).fillna(0))
    axes, links = layout.narrowed_table(results, links, only)
    axes = [axis for axis in axes if axis.is_varied] or list(axes[:1])
    means = links.groupby([axis.key for axis in axes] + ["link"], sort=False)
    return means[["utilisation", "frames_marked", "frames_dropped"]].mean().reset_index(), axes


def starts_of(results):
    """Start time of the first job or flow of each run."""
    starts = []
    for table in {"jobs.csv", "flows.csv"}.intersection(results.tables):
        rows = results.table(table)
        require(rows, ["start_us"], results.folder / table)
        starts.append(rows[["point", SEED, "start_us"]])
    return pandas.concat(starts).groupby(["point", SEED])["start_us"].min()


def draw_maps(rows, axes, path):
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
    across = 1 if is_wide else len(DIRECTIONS)
    down = len(page) * len(DIRECTIONS) // across
    size = (style.TWO_COLUMNS_INCHES, ROW_INCHES * down + panels.AROUND_INCHES)
    figure, cells = pyplot.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    cells = cells.reshape(len(page), len(DIRECTIONS))
    for (facet, links, cluster), beside in zip(page, cells):
        for panel, is_up in zip(beside, DIRECTIONS):
            title = ", ".join(filter(None, [style.facet_title(facet, axes), DIRECTIONS[is_up]]))
            panels.set_title(panel, title)
            draw_panel(panel, links, cluster, is_up)
    scale = ScalarMappable(Normalize(0, 1), COLOURS)
    bar = figure.colorbar(scale, ax=cells, shrink=0.8, aspect=12 * down, pad=0.01)
    bar.set_label("Share of the time\nin which a link sends")
    bar.outline.set_visible(False)
    style.frame(figure, *legend_of(page), note_of(page))
    return figure


def draw_panel(panel, links, cluster, is_up):
    panel.set_axis_off()
    shown = drawn_links(links, cluster, is_up)
    segments = [[cluster.positions[start], cluster.positions[end]] for start, end in shown.index]
    thin = min(1, MOST_LINES_THICK / len(shown)) if len(shown) else 1
    busy = shown["utilisation"].clip(0, 1)
    least, most = WIDTHS
    widths = (least + (most - least) * busy.to_numpy()) * thin
    colours = COLOURS(busy.to_numpy())
    draw_lines(panel, segments, colours, widths)
    for column, (_, colour) in SEAMS.items():
        has = (shown[column] > 0).to_numpy()
        with_seam = list(compress(segments, has))
        draw_lines(panel, with_seam, colour, widths[has] + SEAM_POINTS * max(thin, 0.5))
        draw_lines(panel, with_seam, colours[has], widths[has])
    draw_nodes(panel, cluster)


def draw_lines(panel, segments, colours, widths):
    panel.add_collection(LineCollection(segments, colors=colours, linewidths=widths))


def drawn_links(links, cluster, is_up):
    """The links of one direction by their ends, the busiest last. Links of hosts that share a node
    are one, with the utilisation of the busiest."""
    directions = [cluster.directions[link] for link in links["link"]]
    ends = pandas.DataFrame(
        [(one.start, one.end, one.is_up) for one in directions], columns=["start", "end", "is_up"],
        index=links.index,
    )
    in_direction = links.join(ends)[ends["is_up"] == is_up]
    columns = ["utilisation", "frames_marked", "frames_dropped"]
    return in_direction.groupby(["start", "end"])[columns].max().sort_values("utilisation")


def draw_nodes(panel, cluster):
    heights = [height for _, height in cluster.positions.values()]
    texts = {node: text for row in cluster.rows for node, text in texts_of(row).items()}
    for node, (x, height) in cluster.positions.items():
        if height > 0:
            draw_box(panel, (x, height), texts[node], "#FFFFFF", "#000000", "round,pad=0.25")
        elif node in cluster.gathered:
            colours = (SERVER, "#FFFFFF") if is_server(node) else ("#EEEEEE", "#000000")
            draw_box(panel, (x, height), str(len(cluster.gathered[node])), *colours, "square,pad=0.2")
        elif is_server(node):
            panel.plot(x, height, "s", color=SERVER, markersize=3.5, zorder=5)
        else:
            panel.plot(x, height, "o", color="#777777", markersize=2.5, zorder=4)
    for height, row in enumerate(cluster.rows, start=1):
        names = {name_of(node) for node in row}
        label = names.pop() if len(names) == 1 else "switches"
        panel.text(-0.01, height, label, ha="right", va="center", fontsize=6)
    panel.text(-0.01, 0, "hosts", ha="right", va="center", fontsize=6)
    panel.set_xlim(0, 1)
    panel.set_ylim(min(heights) - 0.2, max(heights) + 0.25)


def draw_box(panel, position, text, face, colour, style_of_box):
    box = {"boxstyle": style_of_box, "fc": face, "lw": 0.5}
    panel.text(
        *position, text, ha="center", va="center", fontsize=5.5, color=colour, bbox=box, zorder=5
    )


def texts_of(row):
    """{switch: text in its box}: its number if the whole row has the same name otherwise."""
    alike = len({name_of(node) for node in row}) == 1
    return {node: number_of(node) if alike else node for node in row}


def number_of(node):
    return node.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") or " "


def name_of(node):
    return node.rstrip("0123456789") or node


def legend_of(page):
    shown = [
        (name, Line2D([], [], color=colour, linewidth=SEAM_POINTS))
        for column, (name, colour) in SEAMS.items()
        if any((links[column] > 0).any() for _, links, _ in page)
    ]
    if any(is_server(node) for *_, cluster in page for node in cluster.positions):
        server = Line2D([], [], color=SERVER, marker="s", linestyle="", markersize=3.5)
        shown.append(("parameter server", server))
    return [handle for _, handle in shown], [name for name, _ in shown]


def note_of(page):
    if any(cluster.gathered for *_, cluster in page):
        return "boxes below: this number of hosts or servers; the link shows the busiest of their links"
    return ""

# SPDX-License-Identifier: BSD-3-Clause
"""The links of a single switch: utilisation by kind of link. Each kind has a panel with a group of
bars for each value of the x axis."""

from analysis import layout
from analysis.kinds import cluster_map, panels, style

KIND = "kind of link"
# Keys: whether the host is a parameter server, and whether the link leads to the switch.
KINDS = {
    (False, True): "Hosts to switch",
    (False, False): "Switch to hosts",
    (True, True): "Parameter servers to switch",
    (True, False): "Switch to parameter servers",
}
BUSIEST = "busiest"
MARKS = {
    "frames_dropped": ("frames dropped", "x", "#000000"),
    "frames_marked": ("frames marked (ECN)", "v", "#E69F00"),
}  # fmt: skip
COLUMNS = 2
GROUP_WIDTH = 0.84
TOP = 1.12  # upper end of the y axis, with room for marks


def is_star(rows):
    """Whether all links of links_figure.read() connect hosts to the same switch."""
    ends = [link.split(">") for link in rows["link"].unique()]
    switches = {end for pair in ends for end in pair if not cluster_map.END_HOST.match(end)}
    return len(switches) == 1 and all(
        sum(map(bool, map(cluster_map.END_HOST.match, pair))) == 1 for pair in ends
    )


def read(rows, axes):
    """(kinds, Layout) of the rows of links_figure.read(): for each kind of link the mean
    `utilisation` of links that sent anything, the `busiest` one, and the total of frames."""
    rows = rows.assign(**{KIND: [kind_of(link) for link in rows["link"]]})
    rows[BUSIEST] = rows["utilisation"]
    rows["utilisation"] = rows["utilisation"].where(rows["utilisation"] > 0)
    shape = layout.layout(tuple(axes), ())
    columns = {"utilisation": "mean", BUSIEST: "max", **dict.fromkeys(MARKS, "sum")}
    kinds = rows.groupby([*shape.keys, KIND], sort=False).agg(columns).reset_index()
    return kinds.fillna({"utilisation": 0}), shape


def kind_of(link):
    start, _, end = link.partition(">")
    is_up = cluster_map.END_HOST.match(start) is not None
    return KINDS[cluster_map.is_server(start if is_up else end), is_up]


def draw(rows, axes):
    """Yields the pages."""
    kinds, shape = read(rows, axes)
    present = [kind for kind in KINDS.values() if (kinds[KIND] == kind).any()]
    cells = [
        (facet, kind, points[points[KIND] == kind])
        for facet, points in layout.facets_of(kinds, shape.panels) for kind in present
    ]
    for page in panels.pages_of(cells, COLUMNS):
        yield draw_page(page, shape)


def draw_page(page, shape):
    figure, pairs = panels.grid(len(page), COLUMNS, with_ratio=False)
    handles = {}
    for (facet, kind, rows), (axes, _) in zip(page, pairs):
        facet_title = style.facet_title(facet, shape.panels)
        panels.set_title(axes, ", ".join(filter(None, [kind, facet_title])))
        axes.set_ylim(0, TOP)
        handles |= draw_panel(axes, rows, shape)
    x_label = style.axis_label(shape.x) if shape.x is not None else ""
    panels.label(figure, pairs, x_label, "Share of the time", "")
    note = "bars: mean over the links that send, lines: busiest link"
    title = style.legend_title(shape.lines)
    style.frame(figure, list(handles.values()), list(handles), note, title)
    return figure


def draw_panel(axes, rows, shape):
    """Legend handles by name."""
    groups = [] if shape.x is None else list(shape.x.values)
    lines = panels.lines_of(rows, shape)
    width = GROUP_WIDTH / len(lines)
    handles = {}
    for number, (name, look, bars) in enumerate(lines):
        offset = (number - (len(lines) - 1) / 2) * width
        centres = bars[shape.x.key].map(groups.index) if groups else 0
        bars = bars.assign(x=centres + offset)
        handles[name] = draw_bars(axes, bars, width * 0.92, look)
        handles |= draw_marks(axes, bars)
    panels.categories(axes, [style.value_name(shape.x, group) for group in groups] or [""])
    return {name: handle for name, handle in handles.items() if name}


def draw_bars(axes, bars, width, look):
    drawn = axes.bar(
        bars["x"], bars["utilisation"], width, color=look.colour, hatch=look.hatch,
        edgecolor="white" if look.hatch else look.colour, linewidth=0,
    )
    axes.hlines(
        bars[BUSIEST], bars["x"] - width / 2, bars["x"] + width / 2, color="#222222",
        linewidth=0.8,
    )
    return drawn


def draw_marks(axes, bars):
    """Draws a mark above each bar whose links marked or dropped frames."""
    handles = {}
    for height, (column, (name, marker, colour)) in enumerate(MARKS.items()):
        found = bars[bars[column] > 0]
        if not found.empty:
            tops = found[BUSIEST] + 0.035 + 0.045 * height
            (handles[name],) = axes.plot(
                found["x"], tops, marker, color=colour, markersize=3, clip_on=False,
            )
    return handles

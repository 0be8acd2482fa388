# SPDX-License-Identifier: BSD-3-Clause
"""The average JCT of one variant or system relative to another one: one panel per facet, all with
the same layout."""

from analysis import curves, layout
from analysis.curves import QUOTIENT
from analysis.kinds import Drawn, curve_panels, figure_kind, panels, style


@figure_kind(name="ratio", command="plot --ratio", captions={"ratio": ""}, tables=("jobs.csv",))
def draw(read, wanted):
    jobs = read.jobs()
    compared, pair, shape = layout.pair_layout(
        read.with_system(jobs), read.seeds, wanted.choice, wanted.ratio
    )
    points = curves.quotients(jobs, shape, compared.key, pair, wanted.spread)
    pages = {"ratio": draw_points(shape, points, compared, pair, wanted.spread)}
    has_points = points["seeds"].sum() > 0
    note = "" if has_points else "no seed has finished jobs of both lines, so the figure is empty"
    numbers = curves.to_json(read, shape, points, wanted.spread) | {"ratio": wanted.ratio}
    return Drawn(pages, numbers, note)


def draw_points(shape, points, compared, pair, spread):
    """Yields the pages for curves.quotients() of two values of an Axis in a Layout."""
    facets = layout.facets_of(points, shape.panels)
    columns = panels.columns_for(len(facets))
    over, under = (style.value_name(compared, value) for value in pair)
    quotient = f"JCT, {over} / {under}"
    ends = curve_panels.ratio_limits(points[[QUOTIENT.mean, QUOTIENT.low, QUOTIENT.high]])
    for page in panels.pages_of(facets, columns):
        yield draw_page(shape, page, columns, ends, quotient, curve_panels.note_of(points, spread))


def draw_page(shape, page, columns, ends, quotient, note):
    figure, cells = panels.grid(len(page), columns, with_ratio=False)
    shown = {}
    for (facet, rows), (axes, _) in zip(page, cells):
        panels.set_title(axes, style.facet_title(facet, shape.panels))
        panels.numeric_x(axes, shape.x)
        axes.axhline(1, color="#000000", linewidth=0.6, zorder=1)
        axes.set_ylim(*ends)
        shown |= curve_panels.draw(axes, rows, shape, QUOTIENT)
    panels.label(figure, cells, style.axis_label(shape.x), quotient, "")
    return panels.framed(figure, shown, shape, curve_panels.handle_of, note)

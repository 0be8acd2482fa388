# SPDX-License-Identifier: BSD-3-Clause
"""The figure of one variant's or system's average JCT over another's: a panel for each facet, all
alike."""

from analysis import jct_figure, layout, panels, style
from analysis.curves import QUOTIENT

MARGIN = 0.06  # of the y axis, at either end


def draw(shape, points, compared, pair):
    """Yields the pages of the figure of curves.quotients() of two values of an Axis in a Layout."""
    facets = layout.facets_of(points, shape.panels)
    columns = panels.columns_for(len(facets))
    over, under = (style.value_name(compared, value) for value in pair)
    quotient = f"JCT, {over} / {under}"
    ends = ends_of_y(points)
    for page in panels.pages_of(facets, columns):
        yield draw_page(shape, page, columns, ends, quotient, jct_figure.note_of(points))


def draw_page(shape, page, columns, ends, quotient, note):
    figure, cells = panels.grid(len(page), columns, with_ratio=False)
    for (facet, rows), (axes, _) in zip(page, cells):
        panels.set_title(axes, style.facet_title(facet, shape.panels))
        axes.axhline(1, color="#000000", linewidth=0.6, zorder=1)
        jct_figure.draw_facet_curves(axes, rows, shape, QUOTIENT)
        axes.set_ylim(*ends)
        panels.numeric_x(axes, shape.x)
    panels.label(figure, cells, style.axis_label(shape.x), quotient, "")
    legend = jct_figure.handles_of([axes for axes, _ in cells])
    style.frame(figure, *legend, note, style.legend_title(shape.lines))
    return figure


def ends_of_y(points):
    """From the least to the largest of all panels, with 1, where the two are equal."""
    least = min(1.0, points[QUOTIENT.low].min())
    most = max(1.0, points[QUOTIENT.high].max())
    margin = MARGIN * (most - least) or MARGIN
    return least - margin, most + margin

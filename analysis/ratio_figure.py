# SPDX-License-Identifier: BSD-3-Clause
"""The figure of one variant's or system's average JCT over another's: a panel for each facet, all
alike."""

from analysis import curve_panels, error_bars, jct_figure, layout, panels, style
from analysis.curves import QUOTIENT


def draw(shape, points, compared, pair, spread=error_bars.INTERVAL):
    """Yields the pages of the figure of curves.quotients() of two values of an Axis in a Layout."""
    facets = layout.facets_of(points, shape.panels)
    columns = panels.columns_for(len(facets))
    over, under = (style.value_name(compared, value) for value in pair)
    quotient = f"JCT, {over} / {under}"
    ends = curve_panels.ratio_limits(points[[QUOTIENT.mean, QUOTIENT.low, QUOTIENT.high]])
    for page in panels.pages_of(facets, columns):
        yield draw_page(shape, page, columns, ends, quotient, jct_figure.note_of(points, spread))


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
    handles = panels.legend_of(shown, shape, curve_panels.handle_of)
    style.frame(figure, handles.values(), list(handles), note, style.legend_title(shape.lines))
    return figure

# SPDX-License-Identifier: BSD-3-Clause
"""The figure of a sweep over loss: average JCT and goodput side by side, a row per facet."""

from matplotlib import pyplot

from analysis import error_bars, layout
from analysis.curves import GOODPUT, JCT
from analysis.kinds import curve_panels, panels, style

ROW_INCHES = 2.3
MARGIN = 1.1  # factor at each end of the JCT axis
MOST_BELOW = 2  # maximum factor by which an error bar extends that axis below the smallest mean


def draw(shape, points, spread=error_bars.INTERVAL):
    """Yields the pages for curves.points() in a Layout over loss."""
    for page in panels.pages_of(layout.facets_of(points, shape.panels), 1, ROW_INCHES):
        yield draw_page(shape, page, curve_panels.note_of(points, spread))


def draw_page(shape, page, note):
    size = (style.TWO_COLUMNS_INCHES, ROW_INCHES * len(page) + panels.AROUND_INCHES)
    figure, rows = pyplot.subplots(
        len(page), 2, figsize=size, layout="constrained", squeeze=False
    )
    shown = {}
    for (facet, points), (jct, goodput) in zip(page, rows):
        panels.set_title(jct, style.facet_title(facet, shape.panels))
        for axes, measure in ((jct, JCT), (goodput, GOODPUT)):
            axes.set_ylabel(measure.label)
            axes.set_xlabel(style.axis_label(shape.x))
            panels.numeric_x(axes, shape.x)
        positive = points[points[JCT.mean] > 0]
        if not positive.empty:
            points = positive  # a logarithmic axis has no 0
            jct.set_ylim(*ends_of_y(points))
            panels.logarithmic(jct.yaxis)
            goodput.set_ylim(0, curve_panels.top_of(points, GOODPUT) * panels.HEADROOM)
        for axes, measure in ((jct, JCT), (goodput, GOODPUT)):
            shown |= curve_panels.draw(axes, points, shape, measure)
    return panels.framed(figure, shown, shape, curve_panels.handle_of, note)


def ends_of_y(points):
    """The ends of the JCT axis, which spans orders of magnitude. An error bar that reaches 0 is cut
    off below the means."""
    means = points[JCT.mean]
    low = points[JCT.low].where(points[JCT.low] > means.min() / MOST_BELOW)
    return min(means.min(), low.min()) / MARGIN, curve_panels.top_of(points, JCT) * MARGIN

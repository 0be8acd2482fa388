# SPDX-License-Identifier: BSD-3-Clause
"""The figure of a sweep over loss: average JCT and goodput side by side, a row for each facet."""

from matplotlib import pyplot
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from analysis import jct_figure, layout, panels, style
from analysis.curves import GOODPUT, JCT

ROW_INCHES = 2.3


def draw(shape, points):
    """Yields the pages of the figure of curves.points() in a Layout over loss."""
    for page in panels.pages_of(layout.facets_of(points, shape.panels), 1, ROW_INCHES):
        yield draw_page(shape, page, jct_figure.note_of(points))


def draw_page(shape, page, note):
    size = (style.TWO_COLUMNS_INCHES, ROW_INCHES * len(page) + panels.AROUND_INCHES)
    figure, rows = pyplot.subplots(
        len(page), 2, figsize=size, layout="constrained", squeeze=False
    )
    for (facet, points), (jct, goodput) in zip(page, rows):
        panels.set_title(jct, style.facet_title(facet, shape.panels))
        for axes, measure in ((jct, JCT), (goodput, GOODPUT)):
            jct_figure.draw_facet_curves(axes, points, shape, measure)
            axes.set_ylabel(measure.label)
            axes.set_xlabel(style.axis_label(shape.x))
            panels.numeric_x(axes, shape.x)
        if (points[JCT.mean] > 0).any():
            logarithmic_y(jct)
            goodput.set_ylim(0, points[GOODPUT.high].max() * panels.HEADROOM)
    handles = jct_figure.handles_of(rows[:, 0])
    style.frame(figure, *handles, note, style.legend_title(shape.lines))
    return figure


def logarithmic_y(axes):
    """Loss stretches a JCT by orders of magnitude. A JCT of 0 is left out."""
    axes.set_yscale("log", nonpositive="mask")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())

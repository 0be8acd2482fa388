# SPDX-License-Identifier: BSD-3-Clause
"""The figure of a sweep over loss: average JCT and goodput side by side, a row for each facet."""

from matplotlib import pyplot
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from analysis import curves, jct_figure, panels, style

GOODPUT_LABEL = "Goodput of a worker (Gbps)"
ROW_INCHES = 2.3
HEADROOM = 1.08


def save(results, points):
    """Draws the points of curves.loss_points as loss.png and loss.pdf; the path of the first."""
    png, pdf = results.folder / "loss.png", results.folder / "loss.pdf"
    layout = curves.layout(results.axes)
    facets = curves.facets_of(points, layout.facets)
    with pyplot.rc_context(style.PAPER):
        style.save(draw(layout, facets, style.looks_of(results.systems(points))), png, pdf)
    return png


def draw(layout, facets, looks):
    size = (style.TWO_COLUMNS_INCHES, ROW_INCHES * len(facets) + 0.3)
    figure, rows = pyplot.subplots(
        len(facets), 2, figsize=size, layout="constrained", squeeze=False
    )
    for (facet, points), (jct, goodput) in zip(facets, rows):
        jct.set_title(style.facet_title(facet, layout.facets))
        draw_curves(jct, points, layout.x, looks, "jct_ms", "low_ms", "high_ms")
        draw_curves(goodput, points, layout.x, looks, "goodput_gbps", "low_gbps", "high_gbps")
        logarithmic_y(jct)
        goodput.set_ylim(0, points["high_gbps"].max() * HEADROOM)
        for axes, label in ((jct, jct_figure.JCT_LABEL), (goodput, GOODPUT_LABEL)):
            axes.set_ylabel(label)
            axes.set_xlabel(style.axis_label(layout.x))
            panels.numeric_x(axes, layout.x)
    handles = jct_figure.handles_of([(jct, goodput) for jct, goodput in rows])
    style.frame(figure, *handles, jct_figure.spread_note(facets))
    return figure


def draw_curves(axes, points, x, looks, mean, low, high):
    points = points.assign(x=points[x.key].map(dict(zip(x.values, x.numbers)))).sort_values("x")
    for system, (colour, marker) in looks.items():
        curve = points[points["system"] == system]
        if curve.empty:
            continue
        axes.errorbar(
            curve["x"], curve[mean], yerr=[curve[mean] - curve[low], curve[high] - curve[mean]],
            elinewidth=0.8, color=colour, marker=marker, label=style.system_name(system),
            clip_on=False,
        )


def logarithmic_y(axes):
    """Loss stretches a JCT by orders of magnitude."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())

# SPDX-License-Identifier: BSD-3-Clause
"""The curves of a published result, drawn like by ina plot."""

from analysis import curves, kinds, layout
from analysis.kinds import jct

MEASURES = {measure.name: measure for measure in (curves.JCT, curves.ITERATION)}


def draw(read, wanted):
    """The pages of a figure of results; `wanted`: its description in published.py."""
    choice = layout.Choice(wanted.get("x"), wanted.get("lines"), wanted.get("panels"))
    if "kind" in wanted:
        asked = kinds.Wanted(choice, links=tuple(wanted.get("links", ())))
        (pages,) = kinds.plotted()[wanted["kind"]].draw(read, asked).pages.values()
        return pages
    jobs = read.jobs()
    shape = layout.layout(read.with_system(jobs), read.seeds, choice)
    measure = MEASURES[wanted.get("measure", curves.JCT.name)]
    return jct.draw_measure(shape, curves.points(jobs, shape), measure)

# SPDX-License-Identifier: BSD-3-Clause
"""The curves of a published result, as ina plot draws them."""

from analysis import curves, jct_figure, kinds, layout

MEASURES = {measure.name: measure for measure in (curves.JCT, curves.ITERATION)}


def draw(read, wanted):
    """The pages of a figure of read results; `wanted` as published.py has it."""
    choice = layout.Choice(wanted.get("x"), wanted.get("lines"), wanted.get("panels"))
    if "kind" in wanted:
        asked = kinds.Wanted(choice, links=tuple(wanted.get("links", ())))
        (pages,) = kinds.KINDS[wanted["kind"]](read, asked).pages.values()
        return pages
    jobs = read.jobs()
    shape = layout.layout(read.with_system(jobs), read.seeds, choice)
    measure = MEASURES[wanted.get("measure", curves.JCT.name)]
    return jct_figure.draw(shape, curves.points(jobs, shape), measure)

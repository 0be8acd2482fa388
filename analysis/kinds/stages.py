# SPDX-License-Identifier: BSD-3-Clause
"""Chip resources used by a data-plane program: a panel per resource, a bar per stage."""

import json
from pathlib import Path

from matplotlib import pyplot

from analysis.kinds import style
from analysis.results import AnalysisError, read_bytes

SHOWN = ["stateful ALUs", "map RAMs", "SRAM blocks"]  # as in DSA's Fig. 2
USED_COLOUR = "#0072B2"
BUDGET_COLOUR = "#DDDDDD"
BAR_WIDTH = 0.7
PANEL_INCHES = 0.95
HEADROOM = 1.15


def draw_report(report):
    """Draws the figure of a file written by `ina-switch-report report --json`."""
    report = Path(report)
    content = read_bytes(report, "allowed: a file of switch report --json")
    try:
        content = json.loads(content)
        title = content["title"]
        resources = [checked(one) for one in content["resources"] if one["name"] in SHOWN]
        if not isinstance(title, str) or not resources:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise AnalysisError(f"{report}: not a file of switch report --json") from None
    with pyplot.rc_context(style.PAPER):
        return draw(title, resources)


def checked(resource):
    """A resource, after checks of its numbers."""
    used, budget = resource["used"], resource["budget"]
    if not used or not all(type(one) is int and one >= 0 for one in [*used, budget]):
        raise ValueError
    return resource


def draw(title, resources):
    size = (style.TWO_COLUMNS_INCHES, PANEL_INCHES * len(resources) + 0.7)
    figure, panels = pyplot.subplots(
        len(resources), sharex=True, squeeze=False, figsize=size, layout="constrained"
    )
    figure.suptitle(title, fontsize=8)
    for axes, resource in zip(panels[:, 0], resources):
        draw_panel(axes, resource)
    panels[-1, 0].set_xlabel("Stage (blue, and the number: in use; grey: free)")
    figure.align_ylabels()
    return figure


def draw_panel(axes, resource):
    used, budget = resource["used"], resource["budget"]
    stages = range(len(used))
    budgets = axes.bar(stages, [budget] * len(used), color=BUDGET_COLOUR, width=BAR_WIDTH)
    axes.bar(stages, used, color=USED_COLOUR, width=BAR_WIDTH)
    axes.bar_label(budgets, [str(count) for count in used], fontsize=6, padding=1)
    axes.grid(visible=False)
    axes.set_ylim(0, HEADROOM * budget)
    axes.set_yticks([0, budget])
    axes.set_xticks(stages)
    axes.set_ylabel(resource["name"].replace(" ", "\n"))

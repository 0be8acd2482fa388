# SPDX-License-Identifier: BSD-3-Clause
"""The figure of what a data-plane program takes of a chip: a panel per resource, a bar per stage."""

import json
from pathlib import Path

from matplotlib import pyplot

from analysis import style
from analysis.results import AnalysisError

SHOWN = ["stateful ALUs", "map RAMs", "SRAM blocks"]  # as in DSA's Fig. 2
USED_COLOUR = "#0072B2"
BUDGET_COLOUR = "#DDDDDD"
BAR_WIDTH = 0.7
PANEL_INCHES = 0.95
HEADROOM = 1.15


def save(report, png):
    """Draws the file that `ina-switch-report report --json` wrote."""
    try:
        content = json.loads(Path(report).read_text(encoding="utf-8"))
    except OSError as error:
        raise AnalysisError(f"{report}: {error.strerror}") from None
    except ValueError as error:
        raise AnalysisError(f"{report}: {error}") from None
    resources = [one for one in content["resources"] if one["name"] in SHOWN]
    with pyplot.rc_context(style.PAPER):
        figure = draw(content["title"], resources)
        try:
            style.save(figure, Path(png))
        except (OSError, ValueError) as error:
            raise AnalysisError(f"{png}: {error}") from None
    return png


def draw(title, resources):
    size = (style.TWO_COLUMNS_INCHES, PANEL_INCHES * len(resources) + 0.7)
    figure, panels = pyplot.subplots(len(resources), sharex=True, figsize=size, layout="constrained")
    figure.suptitle(title, fontsize=8)
    for axes, resource in zip(panels, resources):
        draw_panel(axes, resource)
    panels[-1].set_xlabel("Stage (blue, and the number: in use; grey: free)")
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

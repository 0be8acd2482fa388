# SPDX-License-Identifier: BSD-3-Clause
"""Published results beside simulated ones as Markdown: a table of verdicts, and one for each result."""

import re

from analysis import markdown
from analysis.reproduce import reproduction
from hw.files import output

ABOUT = """\
Simulated: the mean over seeds ± half of its 95 % interval; without one there is one seed, for nothing is random. Verdicts are computed:

- reproduced: within what is accepted of the published number, or in the published order;
- as the bound: what arithmetic gives for these packets and links, where the published number differs or there is none;
- trend only: neither, but on the published side;
- not reproduced: none of these; for comparison: nothing was published; not simulated: a simulator cannot show it;
- other set-up: `--set` changed the scenarios, so that there is no verdict;
- near the edge: a part of the interval would have another verdict.

The ids `...-choices` and `D1-memory` measure one published number under many assumptions, so that sums over all rows count it
several times."""
COLUMNS = ("what", "published", "simulated", "bound", "verdict", "reason")


def table(judged, command):
    """The text; `command`: what made it."""
    parts = [
        output.MARKDOWN_MARK,
        "# Published results beside simulated ones",
        f"Made by `{command}`, whose page has setups, figures, and what is accepted, too.",
        ABOUT,
        summary(judged),
        *(section(one) for one in judged),
    ]
    return "\n\n".join(parts) + "\n"


def summary(judged):
    """How many rows of each result came out how."""
    columns, counts = reproduction.tally(judged)
    lines = [
        [one.result.id, one.result.title, *(str(count or "") for count in row)]
        for one, row in zip(judged, counts)
    ]
    sums = (str(sum(column)) for column in zip(*counts))
    return in_markdown(["id", "result", *columns], [*lines, ["", "all", *sums]])


def section(judged):
    result = judged.result
    rows = [cells_of(row) for row in judged.rows]
    return f"## {result.id}: {result.title}\n\n{in_markdown(COLUMNS, rows)}"


def cells_of(judged):
    row = judged.row
    unit = row.get("unit", "")
    return [
        row["what"],
        "; ".join(filter(None, (reproduction.published_text(row), row.get("source")))),
        reproduction.estimate_text(judged.found, unit),
        reproduction.with_unit(row.get("bound"), unit),
        judged.verdict + ("" if judged.is_certain else " (near the edge)"),
        judged.why or row.get("reason", ""),
    ]


def in_markdown(header, rows):
    return markdown.table([*map(escaped, header)], [[*map(escaped, cells)] for cells in rows])


def escaped(text):
    """What Markdown would take for its own, or for HTML."""
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", text)

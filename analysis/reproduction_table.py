# SPDX-License-Identifier: BSD-3-Clause
"""Published results beside simulated ones as Markdown: a table of verdicts, and one for each result."""

import re

from analysis import output, reproduction, reproduction_page, verdicts

ABOUT = """\
Simulated: the mean over seeds ± half of its 95 % interval; without one there is one seed, for nothing is random. Verdicts are computed:

- reproduced: within what is accepted of the published number, or in the published order;
- as the bound: what arithmetic gives for these packets and links, where the published number differs or there is none;
- trend only: neither, but on the published side;
- not reproduced: none of these; for comparison: nothing was published; not simulated: a simulator cannot show it;
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
    found = [[row.verdict for row in one.rows] for one in judged]
    columns = [name for name in verdicts.VERDICTS if any(name in rows for rows in found)]
    lines = [
        [one.result.id, one.result.title, *(str(rows.count(name) or "") for name in columns)]
        for one, rows in zip(judged, found)
    ]
    sums = (str(sum(rows.count(name) for rows in found)) for name in columns)
    return in_markdown(["id", "result", *columns], [*lines, ["", "all", *sums]])


def section(judged):
    result = judged.result
    rows = [cells_of(row) for row in judged.rows]
    return f"## {result.id}: {result.title}\n\n{in_markdown(COLUMNS, rows)}"


def cells_of(judged):
    row = judged.row
    unit = row.get("unit", "")
    number = row.get("stated") or reproduction.with_unit(row.get("published"), unit)
    return [
        row["what"],
        "; ".join(filter(None, (number, row.get("source")))),
        reproduction_page.estimate_text(judged.found, unit),
        reproduction.with_unit(row.get("bound"), unit),
        judged.verdict + ("" if judged.is_certain else " (near the edge)"),
        judged.why or row.get("reason", ""),
    ]


def in_markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(escaped, cells))} |" for cells in lines)


def escaped(text):
    """What Markdown would take for its own, or for HTML."""
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", text)

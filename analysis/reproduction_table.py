# SPDX-License-Identifier: BSD-3-Clause
"""Published results beside simulated ones as Markdown: a table of verdicts, and one for each result."""

import re

from analysis import output, reproduction, reproduction_page, verdicts

COLUMNS = ("what", "published", "simulated", "bound", "verdict", "reason")


def table(judged, command):
    """The text; `command`: what made it."""
    parts = [
        output.MARKDOWN_MARK,
        "# Published results beside simulated ones",
        f"Made by `{command}`. Simulated: the mean over seeds ± half of its 95 % interval; without one "
        "there is one seed, for nothing is random.",
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

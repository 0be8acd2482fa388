# SPDX-License-Identifier: BSD-3-Clause
"""Published and simulated results as Markdown: a table of verdicts, and one for each result."""

import re

from analysis import markdown
from analysis.reproduce import reproduction, summary
from hw.files import output

COLUMNS = ("what", "published", "simulated", "bound", "verdict", "what decides it")


def table(judged, command):
    """The text; `command`: the command that made it."""
    parts = [
        output.MARKDOWN_MARK,
        "# Published results next to simulated ones",
        f"Made by `{command}`. The page of this command also has setups, figures and accepted ranges.",
        sentences(judged),
        counts(judged),
        legend(),
        *(section(one) for one in judged),
    ]
    return "\n\n".join(parts) + "\n"


def sentences(judged):
    """The summary, one finding per line."""
    return "\n".join(f"{number}. {one}" for number, one in enumerate(summary.sentences(judged), 1))


def legend():
    lines = [f"- {verdict}: {meaning}" for verdict, meaning in summary.VERDICTS.items()]
    return "\n".join(["Verdicts are computed:", "", *lines]) + f"\n\n{summary.INTERVALS}"


def counts(judged):
    """Number of rows per verdict for each result; the total counts each published number once."""
    columns, numbers = reproduction.tally(judged)
    lines = [
        [one.result.id, one.result.title, *(str(count or "") for count in row)]
        for one, row in zip(judged, numbers)
    ]
    found = [row.verdict for row in reproduction.counted(judged)]
    sums = (str(found.count(name)) for name in columns)
    return in_markdown(["id", "result", *columns], [*lines, ["", "each number once", *sums]])


def section(judged):
    result = judged.result
    rows = [cells_of(line) for row in judged.rows for line in (row, *row.choices)]
    return f"## {result.id}: {result.title}\n\n{in_markdown(COLUMNS, rows)}"


def cells_of(judged):
    row = judged.row
    unit = row.get("unit", "")
    published = (reproduction.published_text(row), row.get("source"))
    return [
        reproduction.what_of(judged),
        "" if "choice" in row else "; ".join(filter(None, published)),
        reproduction.estimate_text(judged.found, unit),
        reproduction.with_unit(row.get("bound"), unit),
        judged.verdict + ("" if judged.is_certain else " (near the edge)"),
        reproduction.reason_of(judged),
    ]


def in_markdown(header, rows):
    return markdown.table([*map(escaped, header)], [[*map(escaped, cells)] for cells in rows])


def escaped(text):
    """The text with characters escaped that have a meaning in Markdown or HTML."""
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", text)

# SPDX-License-Identifier: BSD-3-Clause
"""Markdown for pages that reviewers read."""


def table(header, rows):
    """A table of texts, which are not escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)

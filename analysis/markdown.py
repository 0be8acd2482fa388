# SPDX-License-Identifier: BSD-3-Clause
"""Markdown for pages that a reviewer reads."""


def table(header, rows):
    """Of texts, which stand in it as they are."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)

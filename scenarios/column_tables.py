#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Renews the tables of columns in docs/reference/results.md from the output of `ina-sim columns`:

    build/release/bin/ina-sim columns | python3 scenarios/column_tables.py

Each table is between <!-- columns of TABLE --> and <!-- end -->, such as <!-- columns of jobs.csv -->.
"""

import json
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "results.md"
TABLE = re.compile(r"(<!-- columns of ([^>]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
HEAD = "| column | meaning |\n|---|---|\n"


def row(column) -> str:
    return f"| `{column['name']}` | {column['help']} |\n"


def with_tables(text: str, columns) -> str:
    """The page with the tables of these columns."""
    return TABLE.sub(
        lambda match: match.group(1) + HEAD + "".join(map(row, columns[match.group(2)])), text
    )


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(), json.load(sys.stdin)))

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes libFuzzer's dictionary of scenario files: the keys, names and units of the schema.

Usage: make_dictionary.py SCHEMA FILE
"""

import json
import re
import sys
from pathlib import Path


def words(node):
    """Keys and names with quotes, as in a file. Units have none, since they end a string."""
    if isinstance(node, list):
        for child in node:
            yield from words(child)
    if not isinstance(node, dict):
        return
    yield from (json.dumps(name) for name in node.get("properties", {}))
    yield from (json.dumps(name) for name in node.get("enum", []))
    units = re.search(r"\(([A-Za-z|]+)\)\$$", str(node.get("pattern", "")))
    yield from units.group(1).split("|") if units else ()
    for child in node.values():
        yield from words(child)


def main(schema: Path, target: Path):
    entries = sorted(set(words(json.loads(schema.read_text()))))
    target.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

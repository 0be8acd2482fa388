#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fills a folder with the seeds of a fuzz target: copies of files, of a *.hex vector its bytes, of
bad.json each scenario.

Usage: make_corpus.py FOLDER FILE...
"""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path


def seeds(path: Path) -> Iterator[tuple[str, bytes]]:
    """The seeds in a file, each with its name."""
    name = f"{path.parent.name}-{path.name}"
    if path.name == "bad.json":
        for entry in json.loads(path.read_text()):
            text = entry["text"] if "text" in entry else json.dumps(entry["scenario"])
            yield f"bad-{entry['name']}.json", text.encode()
    elif path.suffix == ".hex":
        yield name, bytes.fromhex("".join(line.partition("#")[0] for line in path.open()))
    else:
        yield name, path.read_bytes()


def main(folder: Path, files: list[Path]):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in files:
        for name, content in seeds(path):
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])

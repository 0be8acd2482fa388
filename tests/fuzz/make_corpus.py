#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fills a folder with the seeds of a fuzz target, from corpus.json and from the given files.

A seed in corpus.json is a text whose characters are its bytes, an array of lines, or a JSON object.
A *.hex file contains packets under their names in brackets, and bad.json contains scenarios. Any
other file is one seed.

Usage: make_corpus.py FOLDER TARGET FILE...
"""

import json
import re
import shutil
import sys
from pathlib import Path

CORPUS = Path(__file__).with_name("corpus.json")


def content(seed) -> bytes:
    if isinstance(seed, dict):
        return json.dumps(seed, separators=(",", ":")).encode()
    text = seed if isinstance(seed, str) else "".join(f"{line}\n" for line in seed)
    return text.encode("latin-1")


def packets(text) -> dict[str, bytes]:
    without_comments = re.sub("#.*", "", text)
    return {name: bytes.fromhex(digits) for name, digits in re.findall(r"\[(.+)\]([^\[]*)", without_comments)}


def scenarios(text) -> dict[str, bytes]:
    return {
        entry["name"]: content(entry["text"] if "text" in entry else entry["scenario"])
        for entry in json.loads(text)
    }


def seeds(path: Path) -> dict[str, bytes]:
    """The seeds in a file, by name."""
    if path.suffix == ".hex":
        return packets(path.read_text())
    if path.name == "bad.json":
        return scenarios(path.read_text())
    return {f"{path.parent.name}-{path.name}": path.read_bytes()}


def main(folder: Path, target: str, files: list[Path]):
    made = {name: content(seed) for name, seed in json.loads(CORPUS.read_text()).get(target, {}).items()}
    for path in files:
        made |= seeds(path)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, seed in made.items():
        (folder / name).write_bytes(seed)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], [Path(name) for name in sys.argv[3:]])

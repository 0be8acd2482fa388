#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fills a folder with the seeds of a fuzz target: copies of files, of a *.hex vector its bytes.

Usage: make_corpus.py FOLDER FILE...
"""

import shutil
import sys
from pathlib import Path


def content(path: Path) -> bytes:
    if path.suffix != ".hex":
        return path.read_bytes()
    return bytes.fromhex("".join(line.partition("#")[0] for line in path.open()))


def main(folder: Path, files: list[Path]):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in files:
        (folder / f"{path.parent.name}-{path.name}").write_bytes(content(path))


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])

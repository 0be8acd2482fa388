# SPDX-License-Identifier: BSD-3-Clause
"""Output of `plot` for a result folder."""

import json

from analysis.__main__ import main


def numbers_of(folder, kind, *options):
    file = folder.parent / "numbers.json"
    assert main(["plot", str(folder), "--kind", kind, "--format", "png", "--json", str(file), *options]) == 0
    return json.loads(file.read_text())


def refusal(folder, capsys, *options):
    before = sorted(folder.iterdir())
    assert main(["plot", str(folder), *options]) == 2
    assert sorted(folder.iterdir()) == before
    out, line = capsys.readouterr()
    assert out == "" and line.count("\n") == 1
    return line

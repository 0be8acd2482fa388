# SPDX-License-Identifier: BSD-3-Clause
"""Exit statuses have the same meanings in the manual, in Python and in C++."""

import ast
import re
from pathlib import Path

import pytest

from analysis import __main__
from hw.commands import statuses
from hw.commands.errors import status_of

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = {name: value for name, value in vars(statuses).items() if isinstance(value, int)}


def test_the_manual_lists_each_status():
    page = (ROOT / "docs" / "reference" / "exit-statuses.md").read_text()
    cells = re.findall(r"^\| ([\d, ]+) \|", page, re.MULTILINE)
    listed = [int(number) for cell in cells for number in cell.split(", ")]
    assert listed == sorted({0, *NUMBERS.values(), *statuses.INTERRUPTIONS})


def test_cplusplus_has_the_same_numbers():
    text = (ROOT / "hw" / "files" / "exit_status.hpp").read_text()
    found = dict(re.findall(r"inline constexpr int k(\w+) = (\d+);", text))
    assert {name: int(number) for name, number in found.items()} == {
        "WrongInput": statuses.WRONG_INPUT,
        "FailedRun": statuses.FAILED_RUN,
        "EnvironmentError": statuses.ENVIRONMENT_ERROR,
    }


def test_no_other_file_has_numbers_of_its_own():
    pattern = re.compile(r"(?:STATUS_|k)(?:TROUBLE|USAGE|VIOLATION|EnvironmentError|WrongInput|FailedRun)\w* = \d")
    sources = [
        path
        for folder in ("hw", "ns3-modules", "scenarios", "switch-models", "tests")
        for ending in ("cpp", "cc", "hpp", "h")
        for path in (ROOT / folder).rglob(f"*.{ending}")
    ]
    assert sources
    found = [path.name for path in sources if pattern.search(path.read_text(errors="replace"))]
    assert found == ["exit_status.hpp"]


def constants_of(path):
    """The integer constants with upper-case names that a file assigns."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            if type(node.value.value) is int:
                yield from (one.id for one in node.targets if getattr(one, "id", "").isupper())


def test_one_python_file_defines_them():
    own = {*NUMBERS, "TROUBLE", "BAD_INPUT", "USAGE"}
    folders = ("analysis", "hw", "scenarios", "tests", "traces")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    found = [path.relative_to(ROOT) for path in files if own & set(constants_of(path))]
    assert found == [Path("hw/commands/statuses.py")]


@pytest.mark.parametrize("command", ["analysis", "hw"])
def test_a_mistake_of_ours_has_a_status_of_its_own_with_a_traceback(monkeypatch, capsys, command):
    def mistake(*_):
        raise ZeroDivisionError("planted")

    if command == "analysis":
        monkeypatch.setattr(__main__, "run", mistake)
        status = __main__.main([])
    else:
        status = status_of(mistake)
    assert status == statuses.BUG
    assert "ZeroDivisionError: planted" in capsys.readouterr().err

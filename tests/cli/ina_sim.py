# SPDX-License-Identifier: BSD-3-Clause
"""Runs the simulator's program, whose path is in the environment variable INA_SIM."""

import contextlib
import csv
import functools
import json
import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SCENARIOS = REPOSITORY / "scenarios"

# With equal links, a collision hits all workers of a task or none, and times can be computed.
EQUAL_LINKS = {"/topology/link/delay_spread": "0s"}
TABLES = ("jobs.csv", "iterations.csv", "switch.csv", "links.csv")


def program() -> str:
    return os.environ["INA_SIM"]


def ina(*arguments, **options):
    """Runs the program. Returns the finished process, whose output is text."""
    return subprocess.run(
        [program(), *map(str, arguments)], capture_output=True, text=True, check=False, **options
    )


@functools.cache
def column_list() -> dict:
    """The documented columns of each table with their meaning, without the columns that identify the point."""
    return json.loads(ina("columns").stdout)


def columns_of(table) -> list[str]:
    return [column["name"] for column in column_list()[table]]


def set_options(keys: dict) -> list[str]:
    return [option for key, value in keys.items() for option in ("--set", f"{key}={value}")]


def run(scenario, out, keys=None, *arguments) -> Path:
    """Runs a scenario with `keys` set. The run must succeed. Returns the folder of its results."""
    done = ina("run", scenario, "--out", out, *set_options(keys or {}), *arguments)
    assert done.returncode == 0, done.stderr
    return Path(out) / Path(scenario).stem


def rows(folder, table="jobs.csv") -> list[dict]:
    with open(folder / table, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def experiments(file) -> list[dict]:
    """The experiments in a file that `ina run --json` wrote."""
    content = json.loads(Path(file).read_text(encoding="utf-8"))
    assert list(content) == ["written_by", "experiments"]
    assert content["written_by"] == "ina run --json"
    return content["experiments"]


@contextlib.contextmanager
def broken_output(full):
    """An output that can be opened but accepts no data: a full disk, or a pipe without a reader."""
    if full:
        with open("/dev/full", "wb", buffering=0) as file:
            yield file
        return
    reader, writer = os.pipe()
    os.close(reader)
    try:
        yield writer
    finally:
        os.close(writer)


def tables(folder) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in TABLES}

# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command and the programs, which are in the folder that INA_PROGRAMS names."""

import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAMS = Path(os.environ["INA_PROGRAMS"])
SMALL = HERE / "small.json"
SYSTEMS = ("switchml", "atp", "dsa")
IS_ROOT = os.geteuid() == 0


def command(verb, *arguments):
    return [
        *(sys.executable, "-P", "-m", "hw.testbed", verb, "--programs", str(PROGRAMS)),
        *map(str, arguments),
    ]


def environment(temporary):
    return {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}


def ina_testbed(temporary, verb, *arguments, prefix=()):
    return subprocess.run(
        [*prefix, *command(verb, *arguments)],
        env=environment(temporary),
        capture_output=True,
        text=True,
        check=False,
    )


def start_testbed(temporary, verb, *arguments):
    return subprocess.Popen(
        command(verb, *arguments),
        env=environment(temporary),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def program(name, *arguments):
    return subprocess.run(
        [PROGRAMS / name, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def rows(folder, table):
    with open(folder / table, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def set_keys(**keys):
    return [
        word
        for key, value in keys.items()
        for word in ("--set", f"/{key}={value if isinstance(value, str) else json.dumps(value)}")
    ]


def children_of(process):
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(child) for child in children]


def wait_for(condition):
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.01)


def is_gone(pid):
    return not Path(f"/proc/{pid}").exists()


def assert_nothing_is_left_after(number, process, after_s=0.0):
    """After the signal, so long after all four processes of a small run began."""
    wait_for(lambda: len(children_of(process)) == 4)  # switch, server, two workers
    children = children_of(process)
    time.sleep(after_s)
    process.send_signal(number)
    assert process.wait(60) == 128 + number
    assert process.stderr.read() == b""
    process.stderr.close()
    assert all(map(is_gone, children))


def refusal_of_namespaces():
    """Why there are no namespaces here; nothing if there are."""
    own = ["--net", "--mount"] if IS_ROOT else ["--user", "--map-root-user", "--net", "--mount"]
    done = subprocess.run(
        ["unshare", *own, "ip", "link", "add", "type", "veth"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr.strip()


REFUSAL = refusal_of_namespaces()
needs_namespaces = pytest.mark.skipif(
    REFUSAL != "", reason=f"no network namespaces: {REFUSAL}"
)

# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command and the programs, which are in the folder that INA_PROGRAMS names."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hw.commands.inputs import Limits

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAMS = Path(os.environ["INA_PROGRAMS"])
SMALL = HERE / "small.json"
TABLES = ("jobs.csv", "iterations.csv", "switch.csv", "links.csv")
FRAGMENTS = 2 * 2 * -(-20000 // 62)  # per worker of small.json: iterations, layers, fragments
# Computes for 20 ms; for a profile with partitions of 50 kB.
LAYER = {"parameters": 5000, "forward": "10ms", "backward": "10ms"}
LISTED = json.loads((ROOT / "analysis/systems.json").read_text(encoding="utf-8"))
AGGREGATING = tuple(system["name"] for system in LISTED if system["has_aggregators"])
# The largest possible frames, 1516 bytes, and enough memory for the slots.
LARGEST_FRAMES = {
    "system": "switchml",
    "switchml/values_per_packet": 366,
    "switch/memory_bytes": "1MB",
}
# A variant whose runs end at their time limit.
ENDLESS = {"faults": {"links": [{"loss": 1.0}]}, "time_limit": "100ms"}
AMONG_WORKERS = tuple(system["name"] for system in LISTED if system["format"] == "flow")
SYSTEMS = tuple(system["name"] for system in LISTED if system["name"] not in AMONG_WORKERS)
LIMITS = Limits(least_timeout_ps=20 * 10**9, most_packets=256)
IS_ROOT = os.geteuid() == 0
PATIENCE_S = 600  # long enough to detect a hang; no test depends on speed


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


def assert_refused(done, words):
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert words in done.stderr


class Switch:
    """A switch without connections."""

    def __init__(self, folder, cluster, *options):
        socket = f"socket={folder}/memif.sock,socket-abstract=no"
        ports = [
            f"--port={host}=net_memif{host},role=server,id={host},{socket}" for host in range(3)
        ]
        self.report = folder / "report.json"
        self.popen = subprocess.Popen(
            [PROGRAMS / "ina-switch", "--cluster", cluster, *ports, *options]
            + [f"--report={self.report}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self, number=signal.SIGTERM):
        self.popen.send_signal(number)
        stdout, stderr = self.popen.communicate(timeout=PATIENCE_S)
        return self.popen.returncode, stdout, stderr


def rows(folder, table):
    with open(folder / table, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def set_keys(**keys):
    return [
        word
        for key, value in keys.items()
        for word in ("--set", f"/{key}={value if isinstance(value, str) else json.dumps(value)}")
    ]


def run_small(temporary, out, *options, **keys):
    """Runs small.json with other keys on the testbed. Returns the folder of its results."""
    done = ina_testbed(temporary, "run", SMALL, *set_keys(**keys), "--out", out, *options)
    assert done.returncode == 0, done.stderr
    return out / "small"


def simulate_small(out, **keys):
    """Runs small.json with other keys in the simulator. Returns the folder of its results."""
    done = program("ina-sim", "run", SMALL, *set_keys(**keys), "--out", out)
    assert done.returncode == 0, done.stderr
    return out / "small"


def frames_of(folder, column="frames_sent"):
    return {row["link"]: int(row[column]) for row in rows(folder, "links.csv")}


def assert_columns_alike(*folders):
    for table in TABLES:
        first = {(folder / table).read_text().splitlines()[0] for folder in folders}
        assert len(first) == 1, table


def children_of(process):
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(child) for child in children]


def wait_for(condition):
    limit = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.01)


def is_gone(pid):
    """Whether a process has ended. Includes orphans that no process waits for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def kill(process):
    """Kills a testbed, and waits until its processes are gone too."""
    children = children_of(process)
    process.kill()
    process.wait()
    process.stderr.close()
    for child in children:
        wait_for(lambda child=child: is_gone(child))


def assert_nothing_is_left_after(number, process, after_s=0.0, printed=""):
    """Sends the signal, `after_s` seconds after all four processes of a small run have begun."""
    wait_for(lambda: len(children_of(process)) == 4)  # switch, server, two workers
    children = children_of(process)
    time.sleep(after_s)
    process.send_signal(number)
    assert process.wait(PATIENCE_S) == 128 + number
    assert process.stderr.read().decode() == printed
    process.stderr.close()
    assert all(map(is_gone, children))


def refusal_of_namespaces():
    """Reason why there are no namespaces here; nothing if there are."""
    own = ["--net", "--mount"] if IS_ROOT else ["--user", "--map-root-user", "--net", "--mount"]
    done = subprocess.run(
        ["unshare", *own, "ip", "link", "add", "type", "veth"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr.strip()


REFUSAL = refusal_of_namespaces()
PROCESSORS = len(os.sched_getaffinity(0))
needs_two = pytest.mark.skipif(PROCESSORS < 2, reason="no 2 processors")
needs_namespaces = pytest.mark.skipif(
    REFUSAL != "", reason=f"no network namespaces: {REFUSAL}"
)

# SPDX-License-Identifier: BSD-3-Clause
"""The programs on tap interfaces, which bridges join pair by pair in a namespace of their own."""

import json
import os
import time

import pytest

from hw.testbed.namespaces import SWITCH, Namespaces, call
from hw.testbed.plan import members
from hw.testbed.processes import Processes
from hw.testbed.tests.support import PROGRAMS, needs_namespaces

pytestmark = needs_namespaces
PATIENCE_S = 60
# Bridges that learn nothing: reminders and SwitchML's updates have their sender's address as their
# destination, and would be dropped by one that knows where that is.
BRIDGE = """
ip link add "b$1" type bridge forward_delay 0 mcast_snooping 0
for end in "s$1" "h$1"; do
    ip link set "$end" master "b$1"
    bridge link set dev "$end" learning off
done
ip link set "b$1" up
"""


@pytest.fixture
def space():
    spaces = Namespaces(f"tap-{os.getpid()}")
    with spaces.made([]):
        yield spaces


def start(processes, space, name, program, *arguments):
    options = ["--cluster", "cluster.json", "--report", f"{name}.json", "--together"]
    return processes.start(name, space.command(SWITCH, [PROGRAMS / program, *options, *arguments]))


def test_every_sum_is_exact(tmp_path, cluster, space):
    parts = members(json.loads(cluster.read_text()))
    with Processes(tmp_path) as processes:
        ports = [f"--port={host}=net_tap{host},iface=s{link}" for link, host, _ in parts]
        start(processes, space, "switch", "ina-switch", *ports)
        for link, host, program in parts:
            port = f"net_tap0,iface=h{link}"
            start(processes, space, link, program, "--host", str(host), "--port", port)
        limit = time.monotonic() + PATIENCE_S
        assert processes.wait_until(processes.all, "ready", limit) == []
        for link, _, _ in parts:
            call(space.command(SWITCH, ["sh", "-ec", BRIDGE, "sh", link]))
        for process in processes.all:
            process.tell(f"start {time.monotonic_ns()}")
        workers = [process for process in processes.all if process.name.startswith("host")]
        assert processes.wait_until(workers, "done", limit) == []
        for process in reversed(processes.all):
            process.end()
    for link, _, program in parts:
        report = json.loads((tmp_path / f"{link}.json").read_text())
        assert report["foreign_frames"] == 0
        assert program != "ina-worker" or len(report["iterations"]) == 2

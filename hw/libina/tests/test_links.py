# SPDX-License-Identifier: BSD-3-Clause
"""Workers whose switch starts after them, or is killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hw.testbed.tests.support import (
    PATIENCE_S,
    PROGRAMS,
    SMALL,
    Switch,
    ina_testbed,
    program,
    set_keys,
)

HERE = Path(__file__).resolve().parent
SYSTEMS = ("switchml", "ring")  # without servers, which would have to be restarted as well


@pytest.fixture(params=SYSTEMS)
def cluster(tmp_path, request):
    plan = program("ina-sim", "plan", SMALL, *set_keys(system=request.param))
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(json.loads(plan.stdout)[0]["runs"][0]["cluster"]))
    return path


@contextlib.contextmanager
def workers(cluster, *what):
    started = [start_worker(cluster, host, *what) for host in range(2)]
    try:
        yield started
    finally:
        for worker in started:
            worker.kill()
            worker.communicate()


def start_worker(cluster, host, *what):
    socket = f"{cluster.parent}/memif.sock,socket-abstract=no"
    ours = {
        "INA_CLUSTER": cluster,
        "INA_HOST": host,
        "INA_DEVICE": f"net_memif{host},role=client,id={host},socket={socket}",
        "INA_LIBRARY": PROGRAMS.parent / "lib" / "libina.so",
        "INA_YIELDS": "1",
        "PYTHONPATH": HERE.parent / "python",
    }
    return subprocess.Popen(
        [sys.executable, HERE / "link_worker.py", *map(str, what)],
        env={**os.environ, **{key: str(value) for key, value in ours.items()}},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def all_say(workers, word):
    for worker in workers:
        assert worker.stdout.readline() == f"{word}\n", worker.stderr.read()


def all_end_well(workers):
    for worker in workers:
        _, stderr = worker.communicate(timeout=PATIENCE_S)
        assert (worker.returncode, stderr) == (0, "")


def kill(switch):
    """A killed switch leaves its sockets behind."""
    switch.end(signal.SIGKILL)


def test_a_worker_waits_for_its_switch_and_may_try_again_after_a_time_out(tmp_path, cluster):
    with workers(cluster, "starts_before_the_switch") as started:
        all_say(started, "refused")
        switch = Switch(tmp_path, cluster)
        all_end_well(started)
    assert switch.end()[0] == 0


def test_workers_of_a_switch_that_is_killed_are_told_and_go_on_with_the_next_one(
    tmp_path, cluster
):
    switches = 5  # several, because a driver that loses a link in use crashes only sometimes
    with workers(cluster, "outlives_switches", switches) as started:
        for _ in range(switches):
            switch = Switch(tmp_path, cluster)
            all_say(started, "joined")
            kill(switch)
            all_say(started, "down")
        switch = Switch(tmp_path, cluster)
        all_end_well(started)
    assert switch.end()[0] == 0


def test_a_wait_without_a_limit_ends_when_the_switch_is_killed(tmp_path, cluster):
    with workers(cluster, "waits_for_a_sum_that_nobody_else_submits") as started:
        switch = Switch(tmp_path, cluster)
        all_say(started, "joined")
        kill(switch)
        all_end_well(started)


def test_finalize_takes_no_longer_than_its_limit(temporary):
    """The network's time-out is a minute, so lingering would take 16 minutes."""
    script = """
import ina, numpy, time
ina.init(seconds=None)
ina.allreduce(numpy.ones(9, numpy.int32))
begin = time.monotonic()
ina.finalize(3)
assert time.monotonic() - begin < 120
"""
    options = ("--min-timeout", "60s", *set_keys(system="switchml"))
    done = ina_testbed(temporary, "exec", SMALL, *options, "--", sys.executable, "-c", script)
    assert (done.returncode, done.stderr) == (0, "")

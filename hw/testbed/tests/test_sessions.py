# SPDX-License-Identifier: BSD-3-Clause
"""Workers that are started by hand, several times, against one switch and one server."""

import contextlib
import errno
import json
import signal
import socket
import subprocess
import time

import pytest

from hw.testbed.tests.support import PATIENCE_S, PROGRAMS, SMALL, Switch, program, set_keys

HOSTS_OF_WORKERS = (0, 1)
SERVER = 2


@pytest.fixture(params=["switchml", "atp", "dsa", "ps", "ring"])
def cluster(tmp_path, request):
    tmp_path.chmod(0o700)  # as the folder of memif sockets has to be
    limits = ("--least-timeout", "20ms", "--most-packets", "256")
    plan = program("ina-sim", "plan", SMALL, *set_keys(system=request.param), *limits)
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(json.loads(plan.stdout)[0]["runs"][0]["cluster"]))
    return path


def start(name, cluster, host):
    device = f"net_memif0,role=client,id={host},socket={cluster.parent}/memif.sock,socket-abstract=no"
    return subprocess.Popen(
        [PROGRAMS / name, "--cluster", cluster, "--host", str(host), "--port", device],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process):
    process.send_signal(signal.SIGTERM)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    return process.returncode, stdout, stderr


@contextlib.contextmanager
def switch_of(cluster):
    switch = Switch(cluster.parent, cluster)
    try:
        wait_for_socket(cluster)
        yield switch
    finally:
        switch.popen.kill()
        switch.popen.communicate()


@contextlib.contextmanager
def server_of(cluster):
    """None if the system has no servers."""
    if json.loads(cluster.read_text())["system"] not in ("atp", "dsa", "ps"):
        yield None
        return
    server = start("ina-ps", cluster, SERVER)
    try:
        yield server
        assert end(server)[0] == 0
    finally:
        if server.poll() is None:
            server.kill()
            server.communicate()


def wait_for_socket(cluster):
    """The switch is ready when it listens."""
    limit = time.monotonic() + PATIENCE_S
    while not is_listened_to(cluster.parent / "memif.sock"):
        assert time.monotonic() < limit
        time.sleep(0.05)


def is_listened_to(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
        try:
            one.connect(str(path))
        except OSError as error:
            return error.errno == errno.EPROTOTYPE  # there is a listener, of another type
    return True


def run_workers(cluster):
    workers = [start("ina-worker", cluster, host) for host in HOSTS_OF_WORKERS]
    for worker in workers:
        for line in ("iteration\n", "iteration\n", "done\n"):
            assert worker.stdout.readline() == line, worker.communicate()[1]
    for worker in workers:
        status, _, stderr = end(worker)
        assert status == 0
        assert all(" waiting for " in line for line in stderr.splitlines()), stderr


def test_workers_may_run_again_against_the_same_switch_and_server(cluster):
    with switch_of(cluster), server_of(cluster):
        for _ in range(3):
            run_workers(cluster)


def test_workers_may_run_again_when_the_switch_was_killed_and_started_again(cluster):
    with switch_of(cluster) as switch, server_of(cluster):
        run_workers(cluster)
        switch.popen.kill()
        switch.popen.wait()
        with switch_of(cluster):
            run_workers(cluster)
            run_workers(cluster)

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
    tmp_path.chmod(0o700)  # required of the folder of memif sockets
    limits = ("--least-timeout", "20ms", "--most-packets", "256")
    plan = program("ina-sim", "plan", SMALL, *set_keys(system=request.param), *limits)
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(json.loads(plan.stdout)[0]["runs"][0]["cluster"]))
    return path


def start(name, cluster, host, link=None):
    """`link`: owner of the link, if not the host itself."""
    number = host if link is None else link
    device = f"net_memif0,role=client,id={number},socket={cluster.parent}/memif.sock,socket-abstract=no"
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


def has_server(cluster):
    return json.loads(cluster.read_text())["system"] in ("atp", "dsa", "ps")


@contextlib.contextmanager
def server_of(cluster):
    """The job's server; None if the system has no servers."""
    if not has_server(cluster):
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
    """Waits until the switch listens, and thus is ready."""
    wait_for_listener(cluster.parent / "memif.sock")


def wait_for_listener(path):
    limit = time.monotonic() + PATIENCE_S
    while not is_listened_to(path):
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
    follow([start("ina-worker", cluster, host) for host in HOSTS_OF_WORKERS])


def follow(workers):
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


def test_a_server_at_the_link_of_another_host_is_told(cluster):
    if not has_server(cluster):
        pytest.skip("a system without servers")
    with switch_of(cluster):
        server = start("ina-ps", cluster, SERVER, link=0)
        _, stderr = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 2
    assert stderr == f"ina-ps: found the link of host 0; allowed: the link of host {SERVER}\n"


def test_workers_may_run_again_when_the_switch_was_killed_and_started_again(cluster):
    with switch_of(cluster) as switch, server_of(cluster):
        run_workers(cluster)
        switch.popen.kill()
        switch.popen.wait()
        with switch_of(cluster):
            run_workers(cluster)
            run_workers(cluster)


RACKS = {"hosts": 4, "racks": 2, "parameter_servers": 1}


class Racks:
    """Two racks over memif. The workers' switch is a client of the root, at which the server is."""

    def __init__(self, folder):
        self.folder = folder
        limits = ("--least-timeout", "20ms", "--most-packets", "256")
        plan = program("ina-sim", "plan", SMALL, *set_keys(system="dsa", topology=RACKS), *limits)
        self.file = folder / "cluster.json"
        self.file.write_text(json.dumps(json.loads(plan.stdout)[0]["runs"][0]["cluster"]))

    def device(self, number, role, switch):
        socket = f"socket={self.folder}/{switch}.sock,socket-abstract=no"
        return f"net_memif{number},role={role},id={number},{socket}"

    def start(self, name, *arguments):
        return subprocess.Popen(
            [PROGRAMS / name, "--cluster", self.file, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def start_root(self):
        root = self.start(
            *("ina-switch", "--switch", "rack1"),
            f"--port=rack0={self.device(9, 'server', 'root')}",
            f"--port=4={self.device(4, 'server', 'root')}",
        )
        wait_for_listener(self.folder / "root.sock")
        return root

    def start_leaf(self):
        return self.start(
            *("ina-switch", "--switch", "rack0"),
            f"--port=rack1={self.device(9, 'client', 'root')}",
            *(f"--port={host}={self.device(host, 'server', 'leaf')}" for host in (0, 1)),
        )

    def start_host(self, name, host, switch):
        device = self.device(host, "client", switch)
        return self.start(name, "--host", str(host), "--port", device)

    def run_workers(self):
        follow([self.start_host("ina-worker", host, "leaf") for host in (0, 1)])


def test_a_switch_below_one_that_was_killed_connects_to_the_next_one(tmp_path):
    tmp_path.chmod(0o700)
    racks = Racks(tmp_path)
    with contextlib.ExitStack() as stack:
        root = killed_at_the_end(stack, racks.start_root())
        killed_at_the_end(stack, racks.start_leaf())
        killed_at_the_end(stack, racks.start_host("ina-ps", 4, "root"))
        racks.run_workers()
        root.kill()
        root.communicate()
        killed_at_the_end(stack, racks.start_root())
        racks.run_workers()


def killed_at_the_end(stack, process):
    stack.callback(process.communicate)
    stack.callback(process.kill)
    return process

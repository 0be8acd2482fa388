# SPDX-License-Identifier: BSD-3-Clause
"""The programs on their own: refused input, output, and end."""

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from hw.testbed.tests.support import (
    IS_ROOT,
    PATIENCE_S,
    PROGRAMS,
    Switch,
    assert_refused,
    program,
)

SWITCH_PORTS = [f"--port={host}=net_memif{host}" for host in range(3)]


@pytest.mark.parametrize(
    "name, arguments, words",
    [
        ("ina-worker", ["--host", 0], "--port is required"),
        ("ina-worker", ["--host", 2, "--port", "net_memif0"], "host 2 is not a worker"),
        ("ina-ps", ["--host", 0, "--port", "net_memif0"], "host 0 is not a parameter server"),
        ("ina-worker", ["--host", "-1", "--port", "net_memif0"], 'found "-1"; allowed: a whole number'),
        ("ina-worker", ["--host", "0-1", "--port", "net_memif0"], 'found "0-1"; allowed: a whole number'),
        ("ina-switch", [*SWITCH_PORTS, "--cores", "-1"], 'found "-1"; allowed: a whole number'),
        ("ina-control-plane", ["--host", 0], "--host"),
        ("ina-switch", ["--port", "net_memif0"], "allowed: HOST=DEVICE"),
        ("ina-switch", SWITCH_PORTS[:2], "--port: none to host 2; allowed: one more, 2=DEVICE"),
        ("ina-worker", ["--host", 0, "--port", "net_bogus0"], "net_bogus0"),
        ("ina-worker", ["--host", 0, "--port", "ffff:ff:1f.7"], "ffff:ff:1f.7: no such device"),
        ("ina-worker", ["--host", 0, "--port", "net_af_packet0,iface=none0"], "none0"),
        (
            "ina-worker",
            ["--host", 0, "--port", "net_memif0,socket=/nowhere/m.sock,socket-abstract=no"],
            "/nowhere: No such file or directory; allowed: a folder that only this user can enter",
        ),
    ],
)
def test_programs_refuse_bad_options_in_one_line(cluster, name, arguments, words):
    done = program(name, "--cluster", cluster, *arguments)
    assert_refused(done, words)


@pytest.mark.parametrize("device", ["", " ", ",", ",iface=lo", "eth_memif0,role=server", "vmbus:0"])
def test_a_port_without_a_device_is_refused_before_dpdk_looks_for_one(cluster, device):
    done = program("ina-worker", "--cluster", cluster, "--host", 0, "--port", device)
    assert_refused(done, f'ina-worker: device "{device}": ')


@pytest.mark.parametrize("port", ["", "0", "0="])
def test_a_switch_port_without_a_device_is_refused(cluster, port):
    done = program("ina-switch", "--cluster", cluster, *SWITCH_PORTS[1:], "--port", port)
    assert_refused(done, f"--port {port}; allowed: HOST=DEVICE, SWITCH=DEVICE")


@pytest.mark.parametrize("role", ["server", "client"])
@pytest.mark.parametrize(
    "socket", ["", ",socket={}/m.sock", ",socket={}/m.sock,socket-abstract=yes"]
)
def test_sockets_that_every_user_can_reach_are_refused(tmp_path, cluster, role, socket):
    """DPDK's default is an abstract socket, which has no file and no owner."""
    device = f"net_memif0,role={role}{socket.format(tmp_path)}"
    done = program("ina-worker", "--cluster", cluster, "--host", 0, "--port", device)
    assert_refused(done, "an abstract socket, which every local user can reach; allowed: ")


@pytest.mark.parametrize("mode", [0o755, 0o1777])
def test_a_switch_refuses_a_folder_that_others_can_enter(tmp_path, cluster, mode):
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(mode)
    switch = Switch(folder, cluster)
    _, stderr = switch.popen.communicate(timeout=PATIENCE_S)
    assert switch.popen.returncode == 2
    assert f"other users can enter {folder} (mode {mode:o}); allowed: " in stderr
    assert list(folder.iterdir()) == []


def started_switch(folder, cluster):
    switch = Switch(folder, cluster, "--together")
    assert switch.popen.stdout.readline() == "ready\n", switch.popen.stderr.read()
    return switch


def sockets_in(folder):
    return {path.name: path.stat().st_ino for path in folder.iterdir() if path.is_socket()}


def test_a_switch_starts_where_another_one_was_killed(tmp_path, cluster):
    started_switch(tmp_path, cluster).end(signal.SIGKILL)
    assert sockets_in(tmp_path).keys() == {"memif.sock", "memif.sock.dpdk"}
    before = {path.name for path in tmp_path.iterdir() if not path.is_socket()}
    assert started_switch(tmp_path, cluster).end() == (0, "", "")
    assert {path.name for path in tmp_path.iterdir()} == before


def test_a_second_switch_leaves_the_first_one_its_sockets(tmp_path, cluster):
    first = started_switch(tmp_path, cluster)
    before = sockets_in(tmp_path)
    second = Switch(tmp_path, cluster)
    _, stderr = second.popen.communicate(timeout=PATIENCE_S)
    assert second.popen.returncode == 2
    assert stderr == (
        f"ina-switch: {tmp_path}/memif.sock: another server listens at this socket; "
        "allowed: one server per socket\n"
    )
    assert sockets_in(tmp_path) == before
    assert first.end() == (0, "", "")


@pytest.mark.parametrize("name", ["memif.sock", "memif.sock.dpdk"])
def test_a_file_in_the_place_of_a_socket_is_kept(tmp_path, cluster, name):
    (tmp_path / name).write_text("mine")
    switch = Switch(tmp_path, cluster)
    _, stderr = switch.popen.communicate(timeout=PATIENCE_S)
    assert switch.popen.returncode == 2
    assert f"{tmp_path}/{name}: found a file that is not a socket; allowed: a free name" in stderr
    assert (tmp_path / name).read_text() == "mine"


def test_the_control_plane_refuses_what_is_no_event_in_one_line(cluster):
    command = [PROGRAMS / "ina-control-plane", "--cluster", cluster]
    done = subprocess.run(command, input="now\n", capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == '{"do":"wait","until_ps":null}\n'
    assert len(done.stderr.splitlines()) == 1
    assert 'standard input: found "now"; allowed: ' in done.stderr


@pytest.mark.parametrize(
    "name, options",
    [
        ("ina-worker", ["--host", 0, "--port", "net_memif0", "--report"]),
        ("ina-switch", ["--port", "0=net_memif0", "--report"]),
        ("ina-switch", [*SWITCH_PORTS, "--journal"]),
    ],
)
def test_files_of_others_are_kept_and_nothing_is_begun(cluster, tmp_path, name, options):
    mine = tmp_path / "mine"
    mine.write_text("mine")
    done = program(name, "--cluster", cluster, *options, mine)
    assert_refused(done, f"{options[-1]}: {mine} contains something that {options[-1]} did not write")
    assert mine.read_text() == "mine"


def free_hugepages():
    return sum(
        int(file.read_text())
        for file in Path("/sys/kernel/mm/hugepages").glob("*/free_hugepages")
    )


@pytest.mark.skipif(free_hugepages() != 0, reason="this machine has hugepages")
def test_hugepages_are_refused_where_there_are_none(cluster):
    port = ("--host", 0, "--port", "net_memif0", "--hugepages")
    assert_refused(program("ina-worker", "--cluster", cluster, *port), "--hugepages: found no free hugepages")


@pytest.mark.parametrize(
    "device, capability",
    [("net_af_packet0,iface=lo", "CAP_NET_RAW"), ("net_tap0", "CAP_NET_ADMIN")],
)
def test_ports_without_permission_are_refused(cluster, device, capability):
    """Runs the program without the capability, even as root."""
    limited = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if IS_ROOT else []
    done = subprocess.run(
        [*limited, PROGRAMS / "ina-worker", "--cluster", cluster, "--host=0", f"--port={device}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert_refused(done, f"{device}: no permission; allowed: a process with {capability}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_the_end_and_the_report_is_written(tmp_path, cluster, number):
    switch = Switch(tmp_path, cluster, "--together", "--stats")
    assert switch.popen.stdout.readline() == "ready\n"
    switch.popen.stdin.write(f"start {time.monotonic_ns()}\n")
    switch.popen.stdin.flush()
    assert " s: port to 0: " in switch.popen.stderr.readline()  # the switch runs
    status, output, _ = switch.end(number)
    assert (status, output) == (0, "")
    assert json.loads(switch.report.read_text())["written_by"] == "ina hw --report"


@pytest.mark.parametrize("order", ["register 0 1", "register 1 1 0", "register 0 1 7", "remove 1"])
def test_an_order_of_no_job_or_root_of_the_cluster_is_the_end(tmp_path, cluster, order):
    switch = Switch(tmp_path, cluster, "--together")
    assert switch.popen.stdout.readline() == "ready\n"
    switch.popen.stdin.write(f"start {time.monotonic_ns()}\n{order}\n")
    switch.popen.stdin.flush()
    _, stderr = switch.popen.communicate(timeout=PATIENCE_S)
    assert switch.popen.returncode == 2
    assert stderr == (
        f'ina-switch: standard input: found "{order}"; allowed: remove JOB, register JOB ID ROOT, down, up, '
        "of 1 jobs and the switches that may be their roots\n"
    )


def test_a_signal_before_the_start_is_the_end_without_a_report(tmp_path, cluster):
    switch = Switch(tmp_path, cluster, "--together")
    assert switch.popen.stdout.readline() == "ready\n"
    assert switch.end(signal.SIGTERM) == (0, "", "")
    assert not switch.report.exists()


def test_stats_come_every_second(tmp_path, cluster):
    switch = Switch(tmp_path, cluster, "--stats")
    lines = [switch.popen.stderr.readline() for _ in range(9)]  # lines of three ports, three times
    assert switch.end(signal.SIGTERM)[0] == 0
    pattern = re.compile(
        r"(\d+\.\d{3}) s: port to (\d): "
        r"sent 0 frames, 0 bytes; received 0, 0; malformed 0\n"
    )
    printed = [pattern.fullmatch(line).groups() for line in lines]
    assert [host for _, host in printed] == ["0", "1", "2"] * 3
    times = [float(at) for at, _ in printed[::3]]
    assert all(later - earlier > 0.998 for earlier, later in zip(times, times[1:], strict=False))

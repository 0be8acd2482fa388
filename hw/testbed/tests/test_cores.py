# SPDX-License-Identifier: BSD-3-Clause
"""A switch on two processors."""

import os
import re
from pathlib import Path

import pytest

from hw.commands.inputs import Inputs, Programs
from hw.testbed.links import Memif
from hw.testbed.run import run
from hw.testbed.tests.support import (
    AGGREGATING,
    IS_ROOT,
    LIMITS,
    PROCESSORS,
    PROGRAMS,
    SMALL,
    SYSTEMS,
    Switch,
    assert_refused,
    ina_testbed,
    needs_namespaces,
    needs_two,
    program,
    rows,
    set_keys,
    wait_for,
)

TWO_JOBS = {
    "topology": {"hosts": 4, "parameter_servers": 2},
    "jobs/count": 2,
    "jobs/iterations": 3,
}
LOST = [0, 3, 4, 50, 51, 52, 200]


def run_on_two(temporary, out, *arguments):
    return ina_testbed(temporary, "run", SMALL, "--switch-cores", 2, "--out", out, *arguments)


@needs_two
@pytest.mark.parametrize("links", ["memif", pytest.param("veth", marks=needs_namespaces)])
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_sum_of_two_jobs_is_exact_in_spite_of_loss(tmp_path, temporary, system, links):
    keys = set_keys(system=system, faults={"links": [{"loss": 0.02}]}, **TWO_JOBS)
    if links == "veth":
        keys += ["--links", "veth"]
    done = run_on_two(temporary, tmp_path, *keys)
    assert done.returncode == 0, done.stderr
    jobs = rows(tmp_path / "small", "jobs.csv")
    assert [(job["iterations"], job["rejected_frames"]) for job in jobs] == [("3", "0")] * 2
    assert sum(int(link["frames_lost"]) for link in rows(tmp_path / "small", "links.csv")) > 0


@needs_two
@pytest.mark.parametrize("system", (*SYSTEMS, "ring"))
def test_every_sum_is_exact_in_spite_of_all_faults_at_once(tmp_path, temporary, system):
    fault = {
        "loss": 0.005,
        "burst": {"start": 0.002, "end": 0.3},
        "corruption": 0.005,
        "duplication": 0.01,
        "reordering": 0.01,
        "reordering_delay": "1ms",
    }
    keys = set_keys(system=system, faults={"links": [fault]}, **TWO_JOBS)
    done = run_on_two(temporary, tmp_path, *keys)
    assert done.returncode == 0, done.stderr
    links = rows(tmp_path / "small", "links.csv")
    for what in ("lost", "corrupted", "duplicated", "delayed"):
        assert sum(int(link[f"frames_{what}"]) for link in links) > 0


@needs_two
@pytest.mark.parametrize("system", SYSTEMS)
def test_frames_are_lost_by_their_numbers_whichever_core_they_come_to(tmp_path, temporary, system):
    faults = {"links": [{"link": "host0", "direction": "to_switch", "lost_frames": LOST}]}
    done = run_on_two(temporary, tmp_path, *set_keys(system=system, faults=faults))
    assert done.returncode == 0, done.stderr
    lost = {link["link"]: link["frames_lost"] for link in rows(tmp_path / "small", "links.csv")}
    assert int(lost.pop("host0>switch")) == len(LOST)
    assert set(lost.values()) == {"0"}


@needs_two
@pytest.mark.parametrize("system", AGGREGATING)
def test_both_cores_have_their_part_of_the_aggregators(system):
    """The command itself verifies at the end of every run that no aggregator is left occupied."""
    inputs = Inputs(Programs(PROGRAMS), [SMALL], [f"/system={system}"], None, LIMITS)
    ((planned,),) = (plan["runs"] for plan in inputs.plans())
    outcome = run(inputs.programs, Memif(), planned, switch_cores=2)
    switch = outcome.reports["switch"]
    by_core = [core["allocated"] for core in switch["cores"]]
    assert len(by_core) == 2
    assert sum(by_core) == sum(job["allocated"] for job in switch["jobs"])
    assert min(by_core) > sum(by_core) / 4


@needs_two
def test_commands_run_on_it_too(temporary):
    words = ("--switch-cores", 2, *set_keys(system="atp"), "--", "true")
    done = ina_testbed(temporary, "exec", SMALL, *words)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("cores", [0, PROCESSORS + 1, 1000])
def test_other_numbers_of_cores_than_processors_are_refused(cluster, cores):
    done = program("ina-switch", "--cluster", cluster, "--port=0=net_memif0", "--cores", cores)
    assert_refused(done, f"--cores {cores}: this process may use {PROCESSORS} processor")


@pytest.mark.parametrize("cores", ["two", "-1", "1.5"])
def test_cores_must_be_a_number(cluster, cores):
    done = program("ina-switch", "--cluster", cluster, "--port=0=net_memif0", f"--cores={cores}")
    assert_refused(done, "--cores")


@needs_two
def test_a_journal_is_of_one_core(tmp_path, cluster):
    options = ("--cores", 2, "--journal", tmp_path / "journal")
    done = program("ina-switch", "--cluster", cluster, "--port=0=net_memif0", *options)
    assert_refused(done, "--journal with --cores 2")
    assert not (tmp_path / "journal").exists()


@pytest.mark.skipif(not IS_ROOT, reason="AF_PACKET needs root")
@pytest.mark.parametrize(
    "cores, allowed", [(1, "1"), pytest.param(2, "1 or 2", marks=needs_two)]
)
def test_sockets_that_no_core_would_read_are_refused(tmp_path, cluster, cores, allowed):
    socket = f"role=server,socket={tmp_path}/memif.sock,socket-abstract=no"
    ports = [f"--port={host}=net_memif{host},id={host},{socket}" for host in (1, 2)]
    ports.append("--port=0=net_af_packet0,iface=lo,qpairs=3")
    done = program("ina-switch", "--cluster", cluster, *ports, "--cores", cores)
    assert_refused(done, f"net_af_packet0: qpairs=3 for {cores} core")
    assert done.stderr.endswith(f"; allowed: {allowed}\n")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--switch-cores", "2", "--replay"], "--replay: --switch-cores 2; allowed: 1"),
        (["--switch-cores", "0"], "--switch-cores"),
        (["--switch-cores", "two"], "--switch-cores"),
        (
            ["--switch-cores", str(PROCESSORS + 1)],
            f"--switch-cores {PROCESSORS + 1}: this process may use {PROCESSORS} processor",
        ),
    ],
)
def test_the_command_refuses_in_one_line(tmp_path, temporary, arguments, words):
    done = ina_testbed(temporary, "run", SMALL, *arguments, "--out", tmp_path / "out")
    assert_refused(done, words)
    assert not (tmp_path / "out").exists()


@needs_two
def test_it_tells_how_frames_come_to_their_cores_and_counts_by_core(tmp_path, cluster):
    switch = Switch(tmp_path, cluster, "--stats", "--cores=2")
    printed = switch.popen.stderr.readline()
    assert printed == "ina-switch: 2 cores: 3 ports with 1 queue each way, steered in software\n"
    names = {re.search(r" s: (.*): sent ", switch.popen.stderr.readline())[1] for _ in range(6)}
    assert switch.end()[0] == 0
    assert names == {f"core {core}, port to {host}" for core in range(2) for host in range(3)}


def sleeps(folder, cluster, *options):
    """Whether the switch sleeps a thousand times before it has used half a second of processor
    time, however long that takes. The order of the two events does not depend on the load."""
    switch = Switch(folder, cluster, "--stats", *options)
    while " s: " not in switch.popen.stderr.readline():  # until it runs
        pass
    most_naps, most_ticks = naps_of(switch) + 1000, ticks_of(switch) + os.sysconf("SC_CLK_TCK") // 2
    wait_for(lambda: naps_of(switch) > most_naps or ticks_of(switch) > most_ticks)
    slept = naps_of(switch) > most_naps
    assert switch.end()[0] == 0
    return slept


def naps_of(switch):
    statuses = Path(f"/proc/{switch.popen.pid}/task").glob("*/status")
    counts = (re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", one.read_text()) for one in statuses)
    return sum(int(count[1]) for count in counts)


def ticks_of(switch):
    """Processor time in ticks of the kernel's clock."""
    fields = Path(f"/proc/{switch.popen.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])  # user and system


@pytest.mark.parametrize("cores", [1, pytest.param(2, marks=needs_two)])
def test_it_never_sleeps_where_it_is_told_to_poll(tmp_path, cluster, cores):
    assert sleeps(tmp_path, cluster, f"--cores={cores}")
    assert not sleeps(tmp_path, cluster, f"--cores={cores}", "--poll")

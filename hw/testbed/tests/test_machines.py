# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios on several machines, which are namespaces with an SSH server each."""

import json
import os
import random
import shlex
import signal
import subprocess
import time

import pytest

from hw.commands.inputs import Programs
from hw.testbed.inventory import read_inventory
from hw.testbed.machines import Machines
from hw.testbed.probe import links_to_probe, probe_by_programs
from hw.testbed.tests.laboratory import DAY_S, Laboratory, missing
from hw.testbed.tests.support import ENDLESS as NEVER_DONE
from hw.testbed.tests.support import (
    AMONG_WORKERS,
    LAYER,
    PATIENCE_S,
    PROGRAMS,
    ROOT,
    SMALL,
    SYSTEMS,
    TABLES,
    assert_columns_alike,
    assert_refused,
    ina_testbed,
    rows,
    run_small,
    set_keys,
    start_testbed,
    wait_for,
)

MISSING = missing()
pytestmark = pytest.mark.skipif(MISSING != "", reason=f"no laboratory of namespaces: {MISSING}")

# The namespaces share the processors of one machine.
SHARED = ("--min-timeout", "20ms", "--max-window", "256")
QUICKSTART = ROOT / "scenarios/quickstart.json"
ENDLESS = set_keys(**{"jobs/iterations": 1_000_000, "time_limit": "10000s"})


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory):
    """For small.json. Tests leave it as it is."""
    offsets = {"server-host0": DAY_S, "server-switch": 3 * DAY_S}
    with Laboratory(tmp_path_factory.mktemp("lab"), workers=2, offsets_s=offsets) as one:
        yield one


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """For the quickstart: eight workers, a server and a switch."""
    with Laboratory(tmp_path_factory.mktemp("large")) as one:
        yield one


@pytest.fixture
def own(tmp_path):
    """A laboratory that the test may damage."""
    with Laboratory(tmp_path / "lab", workers=2) as one:
        yield one


def run_in(laboratory, temporary, out, *options, file=SMALL):
    lab = ("--machines", laboratory.inventory)
    return ina_testbed(temporary, "run", file, *lab, *SHARED, "--out", out, *options)


@pytest.fixture
def start_endless(temporary):
    """Starts a run, and waits until its workers compute."""
    processes = []

    def start(laboratory, out):
        switch = laboratory.machines["server-switch"]

        def frames():
            return int(switch.output("cat", "/sys/class/net/host0/statistics/rx_packets"))

        before = frames()
        lab = ("--machines", laboratory.inventory)
        keys = (*ENDLESS, *set_keys(system="atp"))
        process = start_testbed(temporary, "run", SMALL, *lab, *SHARED, "--out", out, *keys)
        processes.append(process)

        def frames_arrive():
            assert process.poll() is None, process.stderr.read()
            return frames() > before + 100

        wait_for(frames_arrive)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stderr.close()


def end_of(process):
    """The status and the lines of standard error of a command that ends by itself."""
    status = process.wait(PATIENCE_S)
    return status, process.stderr.read().decode().splitlines()


def assert_clean(laboratory, *but):
    """Nothing runs or lies around on the machines."""
    for name, machine in laboratory.machines.items():
        if name not in but:
            wait_for(lambda machine=machine: machine.processes() == [])
            wait_for(lambda machine=machine: machine.output("ls", "/var/tmp").split() == ["home"])


def assert_runs(laboratory, temporary, out):
    done = run_in(laboratory, temporary, out, *set_keys(system="dsa"))
    assert done.returncode == 0, done.stderr
    assert_clean(laboratory)


@pytest.mark.parametrize("system", (*SYSTEMS, *AMONG_WORKERS))
def test_quickstart_runs_under_every_system(tmp_path, temporary, large, system):
    keys = set_keys(variants={"A": {"system": system}}, time_limit="3600s", **{"jobs/count": 1})
    done = run_in(large, temporary, tmp_path, *keys, "--seeds", "1", file=QUICKSTART)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "quickstart"
    (job,) = rows(folder, "jobs.csv")
    assert (job["system"], job["workers"], job["status"]) == (system, "8", "finished")
    assert job["rejected_frames"] == "0"
    assert "clocks within" in done.stdout
    assert_clean(large)


def test_results_have_the_form_of_those_of_one_machine(tmp_path, temporary, laboratory):
    one = run_small(temporary, tmp_path / "one", system="dsa")
    options = (*set_keys(system="dsa"), "--seeds", "1-2")
    done = run_in(laboratory, temporary, tmp_path / "several", *options)
    assert done.returncode == 0, done.stderr
    done = run_in(laboratory, temporary, tmp_path / "several", *options)
    assert_refused(done, "already contains these runs")
    several = tmp_path / "several" / "small"
    assert_columns_alike(one, several)
    for table in TABLES:
        assert 2 * len(rows(one, table)) == len(rows(several, table))
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in (one, several)]
    assert manifests[0].keys() == manifests[1].keys()
    testbed = manifests[1]["testbed"]
    assert testbed["links"] == "machines"
    assert testbed["machines"]["server-switch"] == ["switch"]


def test_clocks_a_day_apart_make_no_difference(tmp_path, temporary, laboratory):
    done = run_in(laboratory, temporary, tmp_path, *set_keys(system="switchml"))
    assert done.returncode == 0, done.stderr
    (job,) = rows(tmp_path / "small", "jobs.csv")
    assert 0 < float(job["jct_us"]) < 3600e6
    assert "clocks within" in done.stdout
    (point,) = json.loads((tmp_path / "small" / "manifest.json").read_text())["points"]
    assert set(point["clocks"]) == set(laboratory.machines) - {"server-ps0"}
    for clock in point["clocks"].values():
        assert set(clock) == {"error_us", "drift_ppm", "drift_error_ppm"}
        assert abs(clock["drift_ppm"]) <= clock["drift_error_ppm"]  # all have the same clock


def test_scenario_values_apply_without_limits(tmp_path, temporary, laboratory):
    lab = ("--machines", laboratory.inventory)
    done = ina_testbed(temporary, "run", SMALL, *lab, "--out", tmp_path, *set_keys(system="ps"))
    assert done.returncode == 0, done.stderr
    testbed = json.loads((tmp_path / "small" / "manifest.json").read_text())["testbed"]
    assert (testbed["least_timeout_ps"], testbed["most_packets"]) == (None, None)


@pytest.mark.parametrize(
    "fault",
    [
        {"fault": "worker_pauses", "worker": 0, "duration": "150ms"},
        {"fault": "worker_returns", "worker": 1, "duration": "150ms"},
        {"fault": "server_restarts", "duration": "150ms"},
        {"fault": "switch_reboots", "duration": "150ms"},
    ],
    ids=lambda fault: fault["fault"],
)
def test_faults_of_nodes_strike_processes_on_machines(tmp_path, temporary, laboratory, fault):
    """The job computes for at least 160 ms, so the fault strikes while it runs."""
    nodes = [{"at": "30ms", "job": 0} | fault]
    if fault["fault"] == "switch_reboots":
        del nodes[0]["job"]
    profile = {"partition_bytes": "50kB", "layers": [LAYER]}
    keys = {"jobs/iterations": 8, "jobs/profile": profile, "faults": {"nodes": nodes}}
    done = run_in(laboratory, temporary, tmp_path, *set_keys(system="dsa", **keys))
    assert done.returncode == 0, done.stderr
    (job,) = rows(tmp_path / "small", "jobs.csv")
    assert (job["status"], float(job["end_us"]) > 180e3) == ("finished", True)
    assert_clean(laboratory)


def test_a_run_that_fails_does_not_disturb_the_next_one(tmp_path, temporary, laboratory):
    keys = set_keys(system="atp", variants={"bad": NEVER_DONE, "good": {}})
    done = run_in(laboratory, temporary, tmp_path, *keys)
    assert done.returncode == 3
    assert "not ended after 0.1 s: server-host0: host0, server-host1: host1" in done.stderr
    assert "1 run failed; 1 of 2 runs finished" in done.stderr
    assert [job["variant"] for job in rows(tmp_path / "small", "jobs.csv")] == ["good"]
    assert_clean(laboratory)


def test_pinned_processes_poll(tmp_path, start_endless, laboratory):
    content = laboratory.content()
    processor = min(os.sched_getaffinity(0))
    content["machines"]["server-ps0"]["processes"]["ps0"]["cores"] = [processor]
    laboratory.write_inventory(content)
    try:
        process = start_endless(laboratory, tmp_path / "out")
        machine = laboratory.machines["server-ps0"]
        (command,) = [line for line in machine.processes() if "ina-ps" in line]
        assert "--poll" in command.split()
        number = machine.output("pgrep", "-x", "ina-ps").strip()
        assert machine.output("taskset", "-pc", number).split()[-1] == str(processor)
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)
    finally:
        laboratory.write_inventory()


# ---- interrupts and faults


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_after_a_signal(tmp_path, temporary, start_endless, laboratory, number):
    process = start_endless(laboratory, tmp_path / "out")
    process.send_signal(number)
    status, lines = end_of(process)
    if number == signal.SIGKILL:
        assert status == -number
    else:
        assert (status, lines) == (128 + number, ["ina: small: stopped with 0 of 1 run finished"])
    assert_clean(laboratory)
    assert_runs(laboratory, temporary, tmp_path / "again")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("after_s", [0.2, 0.5, 0.8, 1.1, 1.5, 2.0])
def test_nothing_is_left_whenever_the_interrupt_comes(tmp_path, temporary, laboratory, after_s):
    lab = ("--machines", laboratory.inventory)
    process = start_testbed(temporary, "run", SMALL, *lab, *SHARED, *ENDLESS, "--out", tmp_path / "out")
    time.sleep(after_s)
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE_S)
    process.stderr.close()
    assert_clean(laboratory)
    assert not (tmp_path / "out").exists()


def test_an_unreachable_machine_is_named(tmp_path, temporary, own):
    own.machines["server-host1"].kill()
    done = run_in(own, temporary, tmp_path / "out")
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (4, "")
    assert line.startswith("ina: server-host1: ssh server-host1: ")
    assert_clean(own, "server-host1")


def test_a_wrong_key_is_named(tmp_path, temporary, own):
    config = (own.folder / "ssh_config").read_text()
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", own.folder / "other"], check=True)
    (own.folder / "ssh_config").write_text(config.replace(f"{own.folder}/user_key", f"{own.folder}/other"))
    done = run_in(own, temporary, tmp_path / "out")
    assert done.returncode == 4
    (line,) = done.stderr.splitlines()
    assert line.startswith("ina: server-")
    assert "Permission denied (publickey).; not reached either: server-" in line


def test_an_unknown_host_key_is_refused(tmp_path, temporary, own):
    known = (own.folder / "known_hosts").read_text().splitlines()
    (own.folder / "known_hosts").write_text("\n".join(known[1:]) + "\n")
    done = run_in(own, temporary, tmp_path / "out")
    assert done.returncode == 4
    (line,) = done.stderr.splitlines()
    assert "Host key verification failed" in line
    assert (own.folder / "known_hosts").read_text().splitlines() == known[1:]


def test_a_full_disk_is_named(tmp_path, temporary, own):
    own.machines["server-host1"].call("sh", "-c", "head -c 31M /dev/zero >/var/tmp/home/full")
    done = run_in(own, temporary, tmp_path / "out")
    assert (done.returncode, done.stdout) == (4, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("ina: server-host1: ")
    assert "No space left on device" in line
    assert_clean(own)
    own.machines["server-host1"].call("rm", "/var/tmp/home/full")
    assert_runs(own, temporary, tmp_path / "again")


def kill_session_of_sshd(laboratory, name):
    """Kills the process of the SSH server that has the connection."""
    laboratory.machines[name].call("pkill", "-KILL", "-f", "^sshd: root")


def pull_data_cable(laboratory, name):
    laboratory.machines[name].call("ip", "link", "set", "data", "down")


def pull_management_cable(laboratory, name):
    laboratory.machines[name].call("ip", "link", "set", "mgmt", "down")


def kill_machine(laboratory, name):
    laboratory.machines[name].kill()


def kill_process(laboratory, name):
    laboratory.machines[name].call("pkill", "-KILL", "-x", "ina-worker")


def kill_agent(laboratory, name):
    laboratory.machines[name].call("pkill", "-KILL", "-f", "^/usr/bin/python3 -I -c import base64")


@pytest.mark.parametrize(
    "strike, words",
    [
        (kill_session_of_sshd, "the connection ended"),
        (pull_data_cable, "has no carrier any more"),
        (pull_management_cable, "server-host1: "),
        (kill_machine, "server-host1: "),
        (kill_process, "server-host1: host1 ended unexpectedly, with status -9"),
        (kill_agent, "the connection ended"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_fault_ends_the_run_with_one_line(tmp_path, temporary, start_endless, own, strike, words):
    process = start_endless(own, tmp_path / "out")
    began = time.monotonic()
    strike(own, "server-host1")
    status, lines = end_of(process)
    print(f"{strike.__name__}: {time.monotonic() - began:.1f} s: {lines}")
    assert status in (3, 4)
    at = "server-" if strike == pull_data_cable else "server-host1: "  # the switch may notice first
    named = [line for line in lines if at in line and "host1" in line]
    assert len(named) == 1, lines
    assert words in named[0]
    others = [line for line in lines if line not in named]
    assert all(line.startswith("ina: small: ") for line in others), lines
    if strike == pull_management_cable:
        own.machines["server-host1"].call("ip", "link", "set", "mgmt", "up")
    if strike == kill_agent:  # the next command removes its folder
        wait_for(lambda: own.machines["server-host1"].processes() == [])
        assert_runs(own, temporary, tmp_path / "again")
    assert_clean(own, *(["server-host1"] if strike == kill_machine else []))


def test_half_of_the_processes_die(tmp_path, temporary, start_endless, own):
    process = start_endless(own, tmp_path / "out")
    for name, program in (("server-host1", "ina-worker"), ("server-ps0", "ina-ps")):
        own.machines[name].call("sh", "-c", f"pkill -KILL -x {program} || true")  # it may have ended
    status, lines = end_of(process)
    assert status == 4
    assert "ended unexpectedly, with status -9" in lines[0]
    assert_clean(own)
    assert_runs(own, temporary, tmp_path / "again")


# ---- commands


def execute(laboratory, temporary, *words, options=()):
    lab = ("--machines", laboratory.inventory)
    return ina_testbed(temporary, "exec", SMALL, *lab, *SHARED, *set_keys(system="atp"), *options, "--", *words)


def test_commands_run_on_the_machines_of_their_workers(temporary, laboratory):
    done = execute(laboratory, temporary, "sh", "-c", 'echo "$(hostname) $INA_RANK"; test -f "$INA_CLUSTER"')
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["[0] server-host0 0", "[1] server-host1 1"]
    assert_clean(laboratory)


def test_commands_reduce_together(tmp_path, temporary, laboratory):
    folder = tmp_path / "program"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "sum.py").write_text(
        "import ina, numpy\n"
        "ina.init()\n"
        "print(int(ina.allreduce(numpy.full(5000, ina.rank() + 1, dtype=numpy.int32)).sum()))\n"
        "ina.finalize()\n"
    )
    words = ("/usr/bin/python3", "below/sum.py")
    done = execute(laboratory, temporary, *words, options=("--copy", folder))
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["[0] 15000", "[1] 15000"]
    assert_clean(laboratory)
    refused = execute(laboratory, temporary, *words)
    assert refused.returncode == 2  # python3 does not find the file
    assert "can't open file" in refused.stderr


def test_a_failing_command_ends_all_with_their_children(temporary, laboratory):
    script = 'sleep 1000 & setsid sleep 1000 & [ "$INA_RANK" = 0 ] && exit 7; wait'
    done = execute(laboratory, temporary, "bash", "-c", script)
    assert done.returncode == 7
    assert done.stderr == "ina: server-host0: host0 ended with status 7\n"
    assert_clean(laboratory)


def test_words_arrive_as_they_are(temporary, laboratory):
    """Nothing is interpreted by a shell on the way."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    draw = random.Random(seed)
    alphabet = "aZ0 \t'\"\\$`;&|<>()*?[]{}~#!%^=-\u00e4\u4e2d\r"
    words = ["".join(draw.choices(alphabet, k=draw.randrange(30))) for _ in range(20)]
    script = "import json, sys; print(json.dumps(sys.argv[1:]))"
    done = execute(laboratory, temporary, "/usr/bin/python3", "-c", script, *words)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        assert json.loads(line.partition("] ")[2]) == words, shlex.join(words)


# ---- the check


def check(laboratory, temporary):
    return ina_testbed(temporary, "check", "--machines", laboratory.inventory)


def test_the_check_finds_nothing_in_a_good_laboratory(temporary, laboratory):
    before = [machine.output("ip", "-d", "link") for machine in laboratory.machines.values()]
    done = check(laboratory, temporary)
    findings = [line for line in done.stdout.splitlines() if "its clock only within" not in line]
    assert findings[:-1] == []
    assert findings[-1].startswith("4 machines: ")
    assert_clean(laboratory)
    assert before == [machine.output("ip", "-d", "link") for machine in laboratory.machines.values()]


def test_each_finding_is_a_line_with_a_remedy(tmp_path, temporary, own):
    content = own.content()
    machines = content["machines"]
    ports = machines["server-switch"]["processes"]["switch"]["ports"]
    ports["host0"], ports["host1"] = ports["host1"], ports["host0"]
    machines["server-host1"]["processes"]["host1"]["cores"] = [1000]
    machines["server-host0"]["programs"] = "/var/tmp/none"
    own.write_inventory(content)
    own.machines["server-ps0"].call("ip", "link", "set", "data", "mtu", "1500")
    done = check(own, temporary)
    assert done.returncode == 4
    lines = done.stdout.splitlines()
    for words in (
        "server-switch: switch to host0 (server-switch, host1): is cabled to host1 (server-host1, data), "
        "not to host0 (server-host0, data); mend: swap the cables",
        "server-host1: no core 1000; mend: in ",
        "server-host0: /var/tmp/none: not the same build: ina-worker, ina-ps, ina-switch; mend: scp ",
        "server-ps0: data has an MTU of 1500; needed: 1502; mend: ssh ",
        "frames of 1516 bytes from ps0 (server-ps0, data) do not arrive",
    ):
        assert [line for line in lines if words in line], (words, lines)
    assert all("; mend: " in line for line in lines[:-1])
    own.write_inventory()
    (mtu,) = [line.partition("; mend: ")[2] for line in lines if "has an MTU of" in line]
    subprocess.run(mtu, shell=True, check=True)  # as printed
    assert "MTU" not in check(own, temporary).stdout


def test_the_check_reports_machines_that_cannot_be_reached(temporary, own):
    content = own.content()
    content["machines"]["server-host0"]["processes"]["host0"]["port"] = "mgmt"
    content["machines"]["server-host1"]["processes"]["host1"]["port"] = "absent"
    own.write_inventory(content)
    pull_management_cable(own, "server-ps0")
    done = check(own, temporary)
    assert done.returncode == 4
    for words in (
        "server-ps0: ssh server-ps0: ",
        "server-host0: mgmt is the port that SSH uses; mend: in ",
        "server-host1: no port absent; mend: in ",
    ):
        assert words in done.stdout
    assert "not probed: switch to ps0 (a machine was not reached" in done.stdout


def probed_by_programs(laboratory):
    """The findings of the probe for ports of DPDK, of which the laboratory has none."""
    inventory = read_inventory(laboratory.inventory)
    with Machines(inventory, list(inventory.machines)) as machines:
        machines.require()
        pairs, others = links_to_probe(inventory, {})
        assert (pairs, len(others)) == ([], 3)
        findings, not_probed = probe_by_programs(machines, Programs(PROGRAMS.resolve()), others)
    assert not_probed == []
    return list(map(str, findings))


def test_ports_of_dpdk_are_probed_by_the_programs(own):
    assert probed_by_programs(own) == []
    assert_clean(own)
    content = own.content()
    ports = content["machines"]["server-switch"]["processes"]["switch"]["ports"]
    ports["host0"], ports["host1"] = ports["host1"], ports["host0"]
    own.write_inventory(content)
    findings = probed_by_programs(own)
    assert findings[0].startswith(
        "server-host0: host0 (server-host0, data): found the link of host 1; allowed: the link of "
        "host 0, on the link to switch to host0 (server-switch, host1); mend: swap the cables, or "
    )
    assert len(findings) == 2
    own.write_inventory()
    own.machines["server-ps0"].call("ip", "link", "set", "data", "down")
    findings = probed_by_programs(own)
    assert [finding for finding in findings if finding.startswith("server-ps0: ps0 (server-ps0, data): ")]
    assert_clean(own)


# ---- wrong input


@pytest.mark.parametrize(
    "options, words",
    [
        (("--links", "veth"), "--links veth: with --machines; allowed: one of the two"),
        (("--switch-cores", "2"), "--switch-cores 2: with --machines"),
        (("--replay",), "--replay: with --machines"),
        (("--max-window", "9"), "--max-window: without --min-timeout; allowed with --machines: both"),
    ],
)
def test_options_of_one_machine_are_refused(tmp_path, temporary, laboratory, options, words):
    lab = ("--machines", laboratory.inventory, "--out", tmp_path / "out")
    done = ina_testbed(temporary, "run", SMALL, *lab, *options)
    assert_refused(done, words)
    assert not (tmp_path / "out").exists()


def test_an_inventory_without_a_process_is_refused(tmp_path, temporary, laboratory):
    done = run_in(laboratory, temporary, tmp_path / "out", *set_keys(topology={"hosts": 3}, **{"jobs/workers": 3}))
    assert_refused(done, "lab.json: no host2; allowed: an entry in /machines/*/processes")

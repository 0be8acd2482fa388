# SPDX-License-Identifier: BSD-3-Clause
"""Runs on several machines with a hardware switch. The client of the control plane only records its
calls, and a software switch, which the testbed knows nothing about, forwards in place of the chip."""

import json
import os
import subprocess

import pytest

from hw.testbed.tests.laboratory import Laboratory, missing
from hw.testbed.tests.support import (
    PROGRAMS,
    ROOT,
    SMALL,
    assert_refused,
    command,
    environment,
    program,
    rows,
    set_keys,
)

MISSING = missing()
pytestmark = pytest.mark.skipif(MISSING != "", reason=f"no laboratory of namespaces: {MISSING}")

HOSTS = {"host0": 0, "host1": 1, "ps0": 2}
KEYS = {"switch": {"memory_bytes": "4063232B"}, "switchml/slots": 512, "dsa": {"policy": "priority"}}
LIMITS = ("--least-timeout", "20ms", "--most-packets", "256")
CLIENT = """
import atexit, json, os, sys
from hw.p4.control.tests.fake_bfrt import Fake

FAKE = Fake()
for name in ("ClientInterface", "Target", "KeyTuple", "DataTuple"):
    globals()[name] = getattr(FAKE, name)


def note():
    with open(os.environ["FAKE_LOG"], "w") as file:
        registers = {
            name.rpartition(".")[2]: sorted({fields[1][0][2] for fields in table.values()})
            for name, table in FAKE.content().items()
        }
        json.dump({"said": FAKE.said, "tables": list(FAKE.tables_content()), "registers": registers}, file)


atexit.register(note)
"""


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory):
    with Laboratory(tmp_path_factory.mktemp("lab"), workers=2) as one:
        plug = {"speed": "100Gbps", "fec": "rs"}
        ports = {name: plug | {"dev_port": 128 + 4 * host} for name, host in HOSTS.items()}
        (one.folder / "cabling.json").write_text(json.dumps({"ports": ports}))
        content = one.content()
        del content["machines"]["server-switch"]
        content["tofinos"] = {"switch": {"bfrt": "switch:50052", "cabling": "cabling.json"}}
        one.write_inventory(content)
        package = one.folder / "sde" / "bfrt_grpc"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "client.py").write_text(CLIENT)
        yield one


@pytest.fixture
def chip(tmp_path, laboratory):
    """Starts a software switch at the ports."""
    running = []

    def start(keys):
        planned = program("ina-sim", "plan", SMALL, *set_keys(**keys), *LIMITS)
        assert planned.returncode == 0, planned.stderr
        cluster = tmp_path / "cluster.json"
        cluster.write_text(json.dumps(json.loads(planned.stdout)[0]["runs"][0]["cluster"]))
        ports = [
            f"--port={number}=net_af_packet{number},iface={name},framecnt=1024,qpairs=1"
            for name, number in HOSTS.items()
            if number < 2 or keys["system"] != "switchml"
        ]
        words = [PROGRAMS / "ina-switch", "--cluster", cluster, *ports]
        machine = laboratory.machines["server-switch"]
        running.append(subprocess.Popen(machine.command(*words), stderr=subprocess.DEVNULL))

    yield start
    for process in running:
        process.terminate()
        process.wait()


def run_with(laboratory, temporary, out, keys, verb="run", words=()):
    given = environment(temporary)
    given |= {"PYTHONPATH": f"{ROOT}{os.pathsep}{laboratory.folder}/sde", "FAKE_LOG": str(out) + ".log"}
    outs = ("--out", out) if verb == "run" else ()
    options = ("--machines", laboratory.inventory, "--min-timeout", "20ms", "--max-window", "256", *outs)
    return subprocess.run(
        command(verb, SMALL, *options, *set_keys(**keys), *words),
        env=given,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("system", ["switchml", "atp", "dsa"])
def test_jobs_are_loaded_before_the_run_and_cleared_after_it(tmp_path, temporary, laboratory, chip, system):
    keys = KEYS | {"system": system}
    chip(keys)
    done = run_with(laboratory, temporary, tmp_path / "out", keys)
    assert done.returncode == 0, done.stderr
    (job,) = rows(tmp_path / "out" / "small", "jobs.csv")
    assert (job["status"], job["fallbacks"], job["preemptions"]) == ("finished", "", "")
    links = {row["link"]: row for row in rows(tmp_path / "out" / "small", "links.csv")}
    assert int(links["host0>switch"]["frames_sent"]) > 0
    assert links["host0>switch"]["frames_received"] == ""
    log = json.loads((tmp_path / "out.log").read_text())
    added = [name.rpartition(".")[2] for verb, name in log["said"] if verb == "add"]
    assert "members" in added
    assert log["tables"] == []  # no entries are left
    assert all(values in (["0"], ["65535"]) for values in log["registers"].values()), log["registers"]


def test_jobs_are_cleared_after_a_run_that_fails(tmp_path, temporary, laboratory):
    """No switch forwards, so the workers never end."""
    done = run_with(laboratory, temporary, tmp_path / "out", KEYS | {"system": "dsa", "time_limit": "100ms"})
    assert done.returncode == 3
    assert "not ended after" in done.stderr
    assert "server-host0: host0, server-host1: host1" in done.stderr
    assert json.loads((tmp_path / "out.log").read_text())["tables"] == []


def test_scenarios_that_the_chip_cannot_run_are_refused(tmp_path, temporary, laboratory):
    done = run_with(laboratory, temporary, tmp_path / "out", KEYS | {"system": "ring"})
    assert_refused(done, "switch: /system: ")
    faults = {"links": [{"loss": 0.1}]}
    done = run_with(laboratory, temporary, tmp_path / "out", KEYS | {"system": "dsa", "faults": faults})
    assert_refused(done, "/faults/links: ")
    assert not (tmp_path / "out").exists()


def test_commands_need_sessions_which_a_chip_alone_does_not_register(tmp_path, temporary, laboratory):
    words = ("--", "true")
    done = run_with(laboratory, temporary, tmp_path / "out", KEYS | {"system": "dsa"}, "exec", words)
    assert_refused(done, "/tofinos; allowed with a command: a software switch, or ina switch serve")

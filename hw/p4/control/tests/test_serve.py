# SPDX-License-Identifier: BSD-3-Clause
"""The command `ina switch serve`, with a registrar that is a script and a switch that only
remembers. The program ina-sim is in the folder that INA_PROGRAMS names."""

import json
import os
import signal
from pathlib import Path

import pytest

from hw.p4.control.__main__ import main

HERE = Path(__file__).resolve().parent
CABLING = HERE.parent / "example-cabling.json"
DEVICE = "net_af_packet0,iface=enp4s0"
CPU_PORT = {"dev_port": 192, "device": DEVICE}
JOB_KEYS = {"switchml": "switchml.job", "atp": "headers.atp.job", "dsa": "headers.dsa.job"}


@pytest.fixture
def cabling(tmp_path):
    def write(registrar):
        path = tmp_path / "cabling.json"
        path.write_text(json.dumps(json.loads(CABLING.read_text()) | {"registrar": registrar}))
        return path

    return write


@pytest.fixture
def programs(tmp_path):
    """A folder with ina-sim and a registrar of these lines of Python."""

    def write(*lines):
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "ina-sim").symlink_to(Path(os.environ["INA_PROGRAMS"]).resolve() / "ina-sim")
        script = folder / "ina-registrar"
        start = ["#!/usr/bin/python3", "import json, os, signal, sys", f"folder = {str(tmp_path)!r}"]
        script.write_text("\n".join([*start, *lines]) + "\n")
        script.chmod(0o755)
        return folder

    return write


@pytest.fixture(autouse=True)
def handlers():
    """The command sets its own."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def run(verb, folder, cabling, *settings):
    words = [word for setting in settings for word in ("--set", setting)]
    files = ["--cabling", str(cabling), "--programs", str(folder), "--address", "switch:1"]
    return main([verb, str(HERE / "two-jobs.json"), *words, *files])


REGISTER = "print('register {} {}', flush=True); assert sys.stdin.readline() == 'done\\n'"
TERM = ("os.kill(os.getppid(), signal.SIGTERM)", "signal.pause()")


def ids_of(fake, system):
    (name,) = [name for name in fake.tables_content() if name.endswith(".members")]
    keys = fake.tables_content()[name]
    return {value for key in keys for field, value, _ in key if field == JOB_KEYS[system]}


@pytest.mark.parametrize("system", JOB_KEYS)
def test_jobs_have_the_ids_that_the_registrar_asks_for(fake, programs, cabling, capfd, system):
    folder = programs(
        *(REGISTER.format(*ids) for ids in ((0, 0), (1, 1), (0, 2), (0, 4), (1, 3))),
        "json.dump(sys.argv[1:], open(folder + '/argv', 'w'))",
        "json.dump(json.load(open(sys.argv[2])), open(folder + '/cluster', 'w'))",
        *TERM,
    )
    assert run("serve", folder, cabling(CPU_PORT), f"/system={system}") == 0
    assert ids_of(fake, system) == {4, 3}
    out, err = capfd.readouterr()
    assert out.splitlines()[-1] == "job 1: a session with id 3"
    assert err == ""
    options = json.loads((folder.parent / "argv").read_text())
    assert (options[0], options[2:]) == ("--cluster", ["--port", DEVICE])
    assert json.loads((folder.parent / "cluster").read_text())["system"] == system


def test_a_nic_gets_hugepages(fake, programs, cabling):
    folder = programs("json.dump(sys.argv[3:], open(folder + '/argv', 'w'))", *TERM)
    assert run("serve", folder, cabling(CPU_PORT | {"device": "0000:01:00.0"})) == 0
    options = json.loads((folder.parent / "argv").read_text())
    assert options == ["--port", "0000:01:00.0", "--hugepages"]


def test_the_first_session_of_a_job_changes_nothing_at_the_switch(fake, programs, cabling):
    folder = programs(REGISTER.format(0, 0), *TERM)
    assert run("serve", folder, cabling(CPU_PORT), "/system=dsa") == 0
    assert [name.rpartition(".")[2] for verb, name in fake.said if verb == "add"].count("members") == 1


@pytest.mark.parametrize("system", JOB_KEYS)
def test_an_id_that_comes_round_again_finds_no_sums_of_its_former_session(fake, programs, cabling, system):
    """Under ATP and DSA other ids leave aggregators as they are."""
    again = [REGISTER.format(0, 0), REGISTER.format(0, 2)]
    folder = programs(*again, *again[:1], *TERM)
    assert run("serve", folder, cabling(CPU_PORT), f"/system={system}") == 0
    registers = {"switchml": "seen", "atp": "tasks", "dsa": "tasks"}[system]
    added = [name.rpartition(".")[2] for verb, name in fake.said if verb == "add"]
    changes = [list(part) for part in split(added, "members")]
    assert [registers in part for part in changes] == [True, system == "switchml", True]


def split(names, last):
    """The parts of a list that end with a name."""
    part = []
    for name in names:
        part.append(name)
        if name == last:
            yield part
            part = []


@pytest.mark.parametrize(
    "lines, status, words",
    [
        (["sys.exit(0)"], 1, "ina: ina-registrar ended unexpectedly, with status 0"),
        (["os.kill(os.getpid(), signal.SIGKILL)"], 1, "ended unexpectedly, with status -9"),
        (["sys.exit('ina-registrar: no link')"], 1, "ina-registrar: no link"),
        (["print('hello', flush=True)", *TERM[1:]], 1, 'ina-registrar: "hello\\n"; allowed: register JOB ID'),
        ([REGISTER.format(7, 7)], 2, "ina: /jobs/7: not loaded; allowed: 0, 1"),
        ([REGISTER.format(0, 1)], 2, "ina: /jobs/0: id 1; allowed: 0 to 65535, except"),
    ],
)
def test_ends_with_the_registrar_and_with_what_it_cannot_obey(fake, programs, cabling, capfd, lines, status, words):
    assert run("serve", programs(*lines), cabling(CPU_PORT)) == status
    assert words in capfd.readouterr().err


def test_a_registration_that_fails_ends_the_command(fake, programs, cabling, capfd):
    fake.fails["add", "members"] = [None, RuntimeError("Connection lost")]
    assert run("serve", programs(REGISTER.format(0, 2)), cabling(CPU_PORT)) == 1
    assert "Connection lost; job 0 has to be registered again" in capfd.readouterr().err


def test_refuses_a_cabling_without_a_registrar(fake, programs, capfd):
    assert run("serve", programs(), CABLING) == 2
    assert f"{CABLING}: no registrar; allowed for switch serve: an entry with dev_port and device" in (
        capfd.readouterr().err
    )
    assert fake.said == []


def test_refuses_several_switches(fake, programs, cabling, capfd):
    assert run("serve", programs(), cabling(CPU_PORT), "/topology/racks=2") == 2
    assert "/topology: 2 switches; allowed for switch serve: 1" in capfd.readouterr().err


def test_says_that_the_registrar_is_not_built(fake, programs, cabling, capfd):
    folder = programs()
    (folder / "ina-registrar").unlink()
    assert run("serve", folder, cabling(CPU_PORT)) == 1
    assert "ina-registrar: not built; allowed: a build with DPDK" in capfd.readouterr().err
    assert fake.said == []


FRONT_PORT = {"dev_port": 168, "speed": "100Gbps", "fec": "rs", "device": DEVICE}


@pytest.mark.parametrize("system", JOB_KEYS)
@pytest.mark.parametrize("registrar", [CPU_PORT, FRONT_PORT], ids=["cpu-port", "front-port"])
def test_load_installs_the_route_to_the_registrar(fake, programs, cabling, system, registrar):
    assert run("load", programs(), cabling(registrar), f"/system={system}") == 0
    (name,) = [name for name in fake.tables if name.endswith(".routes")]
    route = fake.tables[name].entries[(("ethernet.destination", 0x02000000FFFE, None),)]
    assert route[1] == (("port", "val", str(registrar["dev_port"])),)
    ports = {key[0][1] for key in fake.tables["$PORT"].entries}
    assert (registrar["dev_port"] in ports) == ("speed" in registrar)


@pytest.mark.parametrize(
    "registrar, words",
    [
        (192, "/registrar: 192; allowed: an object with dev_port, device, optionally speed, fec"),
        ({"dev_port": 192}, "/registrar: no device; allowed:"),
        (CPU_PORT | {"device": ""}, '/registrar/device: ""; allowed: a DPDK device'),
        (CPU_PORT | {"dev_port": 512}, "/registrar/dev_port: 512; allowed: 0 to 511"),
        (CPU_PORT | {"dev_port": True}, "/registrar/dev_port: true; allowed: 0 to 511"),
        (CPU_PORT | {"speed": "25Gbps"}, "/registrar: no fec; allowed:"),
        (CPU_PORT | {"auto_negotiation": "on"}, "/registrar/auto_negotiation: "),
        (FRONT_PORT | {"dev_port": 192}, "/registrar/dev_port: 192; allowed: 0-63, 128-191"),
        (FRONT_PORT | {"dev_port": 128}, "/registrar/dev_port: 128; allowed: lanes that no other port has; host0 has 128 to 131"),
        (CPU_PORT | {"dev_port": 130}, "/registrar/dev_port: 130; allowed: lanes that no other port has; host0 has 128 to 131"),
    ],
)  # fmt: skip
def test_refuses_a_registrar(fake, programs, cabling, capfd, registrar, words):
    assert run("load", programs(), cabling(registrar)) == 2
    assert words in capfd.readouterr().err
    assert fake.said == []

# SPDX-License-Identifier: BSD-3-Clause
"""The command `ina switch serve`, with a script as registrar and a switch that only records its
contents. The program ina-sim is in the folder that INA_PROGRAMS names."""

import json
import os
import signal
from pathlib import Path

import pytest

from hw.commands.errors import CommandError
from hw.p4.control.__main__ import main
from hw.p4.control.cabling import Plug, Registrar
from hw.p4.control.forwarding import REGISTRAR
from hw.p4.control.job import Cluster, Job
from hw.p4.control.linking import linked
from hw.p4.control.tests.fake_bfrt import Fake

HERE = Path(__file__).resolve().parent
CABLING = HERE.parent / "example-cabling.json"
DEVICE = "net_af_packet0,iface=enp4s0"
CPU_PORT = {"dev_port": 192, "device": DEVICE}
JOB_KEYS = {"switchml": "switchml.job", "atp": "headers.atp.job", "dsa": "headers.dsa.job"}


@pytest.fixture
def cabling(tmp_path):
    def write(registrar, name="cabling", **ports):
        """`ports`: additional ports, by peer; `registrar`: None if there is none."""
        content = json.loads(CABLING.read_text())
        content["ports"] |= ports
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(content | ({"registrar": registrar} if registrar else {})))
        return path

    return write


@pytest.fixture
def programs(tmp_path):
    """A folder with ina-sim and a registrar made of these lines of Python."""

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
    """Under ATP and DSA, registrations under other ids leave aggregators unchanged."""
    again = [REGISTER.format(0, 0), REGISTER.format(0, 2)]
    folder = programs(*again, *again[:1], *TERM)
    assert run("serve", folder, cabling(CPU_PORT), f"/system={system}") == 0
    registers = {"switchml": "seen", "atp": "tasks", "dsa": "tasks"}[system]
    added = [name.rpartition(".")[2] for verb, name in fake.said if verb == "add"]
    changes = [list(part) for part in split(added, "members")]
    assert [registers in part for part in changes] == [True, system == "switchml", True]


def split(names, last):
    """Splits a list after each occurrence of a name."""
    part = []
    for name in names:
        part.append(name)
        if name == last:
            yield part
            part = []


@pytest.mark.parametrize(
    "lines, status, words",
    [
        (["sys.exit(0)"], 4, "ina: ina-registrar ended unexpectedly, with status 0"),
        (["os.kill(os.getpid(), signal.SIGKILL)"], 4, "ended unexpectedly, with status -9"),
        (["print('ina-registrar: no link', file=sys.stderr)", "sys.exit(4)"], 4, "ina-registrar: no link"),
        (["print('hello', flush=True)", *TERM[1:]], 4, 'ina-registrar: "hello\\n"; allowed: register JOB ID'),
        ([REGISTER.format(7, 7)], 2, "ina: /jobs/7: not loaded; allowed: 0, 1"),
        ([REGISTER.format(0, 1)], 2, "ina: /jobs/0: id 1; allowed: 0 to 65535, except"),
    ],
)
def test_ends_with_the_registrar_and_with_what_it_cannot_obey(fake, programs, cabling, capfd, lines, status, words):
    assert run("serve", programs(*lines), cabling(CPU_PORT)) == status
    assert words in capfd.readouterr().err


def test_a_registration_that_fails_ends_the_command(fake, programs, cabling, capfd):
    fake.fails["add", "members"] = [None, RuntimeError("Connection lost")]
    assert run("serve", programs(REGISTER.format(0, 2)), cabling(CPU_PORT)) == 4
    assert "Connection lost; job 0 has to be registered again" in capfd.readouterr().err


def test_refuses_a_cabling_without_a_registrar(fake, programs, capfd):
    assert run("serve", programs(), CABLING) == 2
    assert f"{CABLING}: no registrar; allowed for switch serve: an entry with dev_port and device" in (
        capfd.readouterr().err
    )
    assert fake.said == []


# Job 0 has a worker in each rack. Its server is in rack 2, at the root of its tree.
THREE_RACKS = ("/topology/racks=3", "/topology/placement=spread", "/topology/parameter_servers=1",
               '/jobs=[{"workers": 3, "profile": "dnn-a"}]')  # fmt: skip
UP, TO_RACK_0, TO_RACK_1 = 132, 132, 140
TRUNKS = {0: {"rack2": UP}, 1: {"rack2": UP}, 2: {"rack0": TO_RACK_0, "rack1": TO_RACK_1}}


def serve_racks(folder, cabling, racks, registrars, settings=()):
    """Rack 2 is the switch `fake`; the other racks have addresses of their own."""
    words = [word for setting in (*THREE_RACKS, *settings) for word in ("--set", setting)]
    for rack in racks:
        plug = {"speed": "100Gbps", "fec": "rs"}
        ports = {name: plug | {"dev_port": port} for name, port in TRUNKS[rack].items()}
        registrar = CPU_PORT if rack in registrars else None
        words += ["--switch", f"rack{rack}", "--address", f"rack{rack}:1"]
        words += ["--cabling", str(cabling(registrar, f"rack{rack}", **ports))]
    return main(["serve", str(HERE / "two-jobs.json"), *words, "--programs", str(folder)])


@pytest.fixture
def racks(fake):
    fake.others = {"rack0:1": Fake(), "rack1:1": Fake()}
    return [*fake.others.values(), fake]


@pytest.mark.parametrize("system", JOB_KEYS)
def test_a_job_gets_its_ids_at_every_switch_of_its_tree(racks, programs, cabling, capfd, system):
    folder = programs(REGISTER.format(0, 0), REGISTER.format(0, 3), *TERM)
    assert serve_racks(folder, cabling, (0, 1, 2), {2}, [f"/system={system}"]) == 0
    assert [ids_of(one, system) for one in racks] == [{3}] * 3
    assert capfd.readouterr().out.splitlines()[-1] == "job 0: a session with id 3"


def test_leaves_send_registration_messages_to_the_root_that_has_the_registrar(fake, racks, programs, cabling):
    assert serve_racks(programs(*TERM), cabling, (2, 0, 1), {2}, ["/system=atp"]) == 0
    assert paths_of(racks[0]) == {(128, 0, REGISTRAR), (UP, REGISTRAR, 0)}
    assert paths_of(racks[1]) == {(144, 2, REGISTRAR), (UP, REGISTRAR, 2)}
    from_leaves = {(TO_RACK_0, 0, REGISTRAR), (TO_RACK_1, 2, REGISTRAR)}
    own = {(160, 4, REGISTRAR), (176, 5, REGISTRAR)}
    assert paths_of(fake) == from_leaves | own | {(192, REGISTRAR, host) for host in (0, 2, 4, 5)}
    assert [route_to_registrar(one) for one in racks] == [UP, UP, 192]


def paths_of(fake):
    """(ingress port, host, host) of the registration messages that pass."""
    (name,) = [name for name in fake.tables_content() if name.endswith(".registration_paths")]
    paths = [tuple(value for _, value, _ in key) for key in fake.tables[name].entries]
    return {(port, source & 0xFFFF, destination & 0xFFFF) for port, source, destination in paths}


def route_to_registrar(fake):
    (name,) = [name for name in fake.tables if name.endswith(".routes")]
    _, fields = fake.tables[name].entries[(("ethernet.destination", 0x02000000FFFE, None),)]
    return int(dict((name, value) for name, _, value in fields)["port"])


@pytest.mark.parametrize(
    "some, registrars, settings, words",
    [
        ((0, 2), {2}, [], "--switch: rack0, rack2; allowed: each switch that a job passes: rack0, rack1, rack2"),
        ((0, 1, 2, 2), {2}, [], "2 registrars; allowed: one for all switches: at the root of every job's tree"),
        ((0, 1, 2), {0, 2}, [], "2 registrars; allowed: one for all switches: at the root of every job's tree"),
        ((0, 1, 2), {}, [], "rack2.json: no registrar; allowed for switch serve: an entry with dev_port and device"),
        ((0, 1, 2), {1}, [], "/jobs/0: a tree whose root is not the registrar's switch; allowed: the registrar at"),
    ],
)  # fmt: skip
def test_refuses_switches_that_one_registrar_cannot_serve(racks, programs, cabling, capfd, some, registrars, settings, words):
    assert serve_racks(programs(), cabling, some, registrars, settings) == 2
    assert words in capfd.readouterr().err
    assert [one.said for one in racks] == [[]] * 3


def test_refuses_a_leaf_with_two_ports_to_the_root():
    ups = [Plug(port, "100Gbps", "none") for port in (8, 4)]
    leaf = Cluster("atp", tuple(Job(number, (), (), 0, 0, up=up) for number, up in enumerate(ups)))
    root = Cluster("atp", (Job(0, (), (), 0, 0), Job(1, (), (), 0, 0)), Registrar(192, None, DEVICE))
    with pytest.raises(CommandError, match="^/jobs: trees that leave a leaf by ports 4, 8; allowed: one port to the"):
        linked([root, leaf], 2)


def test_refuses_several_switches_without_their_names(fake, programs, cabling, capfd):
    assert run("serve", programs(), cabling(CPU_PORT), "/topology/racks=2") == 2
    assert "--switch: nothing; allowed: rack0, rack1" in capfd.readouterr().err


@pytest.mark.parametrize("missing", ["--cabling", "--address"])
def test_refuses_an_option_that_is_not_given_for_each_switch(fake, programs, cabling, capfd, missing):
    own = {"--cabling": str(cabling(CPU_PORT)), "--address": "switch:1"}
    words = [word for option, value in own.items() if option != missing for word in (option, value)]
    words += ["--switch", "rack0", "--switch", "rack1", *words, "--programs", str(programs())]
    words += ["--cabling", own["--cabling"]] if missing == "--cabling" else []
    assert main(["serve", str(HERE / "two-jobs.json"), *words]) == 2
    words = f"{missing}: 1 for 2 switches; allowed: --switch, --cabling and --address for each"
    assert words in capfd.readouterr().err


def test_says_that_the_registrar_is_not_built(fake, programs, cabling, capfd):
    folder = programs()
    (folder / "ina-registrar").unlink()
    assert run("serve", folder, cabling(CPU_PORT)) == 4
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

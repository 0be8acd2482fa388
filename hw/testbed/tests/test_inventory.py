# SPDX-License-Identifier: BSD-3-Clause
"""Reads inventories of machines, and compares the reader with the schema."""

import copy
import json
import random
import re
import string

import pytest

from hw.commands.errors import CommandError
from hw.testbed.inventory import read_inventory
from hw.testbed.lab import check_complete
from hw.testbed.machines import ssh_command
from hw.testbed.tests.support import ROOT

jsonschema = pytest.importorskip("jsonschema", reason="no jsonschema: python3-jsonschema")

SCHEMA = json.loads((ROOT / "hw/testbed/lab.schema.json").read_text(encoding="utf-8"))
GOOD = {
    "$schema": "lab.schema.json",
    "ssh_config": "config",
    "folder": "/srv/ina",
    "machines": {
        "a": {
            "ssh": "ssh://root@[fe80::1]:2222",
            "programs": "/opt/ina/bin",
            "driver": "vfio-pci",
            "hugepages": 128,
            "processes": {
                "host0": {"port": "0000:01:00.0", "cores": [2]},
                "ps0": {"port": "enp1s0f0.12"},
            },
        },
        "b": {
            "ssh": "b",
            "processes": {"switch": {"ports": {"host0": "0000:02:00.0", "ps0": "eth3"}, "cores": [1, 2]}},
        },
    },
    "tofinos": {"leaf0": {"bfrt": "10.0.0.1:50052", "cabling": "config"}},
}
HOST = "machines/a/processes/host0"
SWITCH = "machines/b/processes/switch"
REMOVED = object()


@pytest.fixture
def write(tmp_path):
    (tmp_path / "config").touch()

    def write(content):
        path = tmp_path / "lab.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def changed(pointer, value):
    content = copy.deepcopy(GOOD)
    *parents, last = pointer.split("/")
    there = content
    for key in parents:
        there = there[key]
    if value is REMOVED:
        del there[last]
    else:
        there[last] = value
    return content


def test_a_good_inventory_is_read(write):
    inventory = read_inventory(write(GOOD))
    jsonschema.validate(GOOD, SCHEMA)
    assert inventory.machine_of("ps0").name == "a"
    assert inventory.machine_of("switch").processes["switch"].cores == (1, 2)
    assert (inventory.folder, inventory.tofinos["leaf0"].bfrt) == ("/srv/ina", "10.0.0.1:50052")


def test_the_inventories_of_the_manual_are_read(write, tmp_path):
    page = (ROOT / "docs/how-to/several-machines.md").read_text(encoding="utf-8")
    rack, tofino = map(json.loads, re.findall(r"```json\n(.*?)```", page, flags=re.DOTALL))
    jsonschema.validate(rack, SCHEMA)
    check_complete(read_inventory(write(rack)), {"host7": [], "ps0": [], "switch": ["host0", "ps0"]})
    del rack["machines"]["server9"]
    (tmp_path / "cabling.json").touch()
    jsonschema.validate(rack | tofino, SCHEMA)
    inventory = read_inventory(write(rack | tofino))
    check_complete(inventory, {"host7": [], "ps0": [], "switch": ["host0", "ps0"]})


# Values that both the reader and the schema refuse.
BAD = [
    ("machines", {}, "/machines: {}; allowed: an object with a machine for each name"),
    ("machines", REMOVED, "no machines; allowed: an object with machines, optionally "),
    ("other", 1, '"other"; allowed: an object with machines, optionally $schema, ssh_config, folder, tofinos'),
    ("$schema", 1, "/$schema: 1; allowed: a text"),
    ("folder", "srv", '/folder: "srv"; allowed: an absolute path'),
    ("folder", "/srv/a b", '/folder: "/srv/a b"; allowed: an absolute path'),
    ("ssh_config", "", '/ssh_config: ""; allowed: the path of a file'),
    ("machines/a b", {}, "/machines/a b: "),
    ("machines/a/ssh", "-oProxyCommand=true", "/machines/a/ssh: "),
    ("machines/a/ssh", "a;reboot", '/machines/a/ssh: "a;reboot"; allowed: a destination of ssh'),
    ("machines/a/ssh", REMOVED, "/machines/a: no ssh; allowed: an object with ssh, processes"),
    ("machines/a/password", "x", '/machines/a: "password"; allowed: an object with ssh, processes, optionally'),
    ("machines/a/processes", {}, "/machines/a/processes: {}; allowed: an object with host0"),
    ("machines/a/programs", "bin", '/machines/a/programs: "bin"; allowed: an absolute path'),
    ("machines/a/driver", "a b", '/machines/a/driver: "a b"; allowed: the name of a driver'),
    ("machines/a/hugepages", 0, "/machines/a/hugepages: 0; allowed: a whole number from 1 to 1048576"),
    ("machines/a/hugepages", "64", '/machines/a/hugepages: "64"; allowed: a whole number'),
    (f"{HOST}/port", "eth0,iface=x", f"/{HOST}/port: "),
    (f"{HOST}/port", "..", f'/{HOST}/port: ".."; allowed: an interface'),
    (f"{HOST}/port", REMOVED, f"/{HOST}: no port; allowed: an object with port, optionally cores"),
    (f"{HOST}/ports", {"a": "b"}, f'/{HOST}: "ports"; allowed: an object with port'),
    (f"{HOST}/cores", [1, 2], f"/{HOST}/cores: [1, 2]; allowed: one core"),
    (f"{HOST}/cores", 1, f"/{HOST}/cores: 1; allowed: a list of numbers of processors"),
    (f"{SWITCH}/cores", [1, 1], f"/{SWITCH}/cores/1: 1; allowed: each processor once"),
    (f"{SWITCH}/cores", [-1], f"/{SWITCH}/cores/0: -1; allowed: 0 to 1023"),
    (f"{SWITCH}/ports", {}, f"/{SWITCH}/ports: {{}}; allowed: an object with the port to host0"),
    ("tofinos/leaf0/bfrt", "10.0.0.1", '/tofinos/leaf0/bfrt: "10.0.0.1"; allowed: HOST:PORT'),
    ("tofinos/leaf0/cabling", REMOVED, "/tofinos/leaf0: no cabling; allowed: an object with bfrt, cabling"),
]
# Values that only the reader refuses, since they depend on others or on files.
INCONSISTENT = [
    ("folder", "/", '/folder: "/"; allowed: a folder of its own'),
    ("folder", "/srv/../etc", '/folder: "/srv/../etc"; allowed: a folder of its own'),
    ("ssh_config", "absent", '/ssh_config: "absent"; allowed: the path of an existing file'),
    ("tofinos/leaf0/cabling", "absent", "/tofinos/leaf0/cabling: "),
    ("machines/b/ssh", "ssh://root@[fe80::1]:2222", "allowed: one machine for each destination; a has this one"),
    ("machines/b/processes/host0", {"port": "eth0"}, "allowed: each process once; /machines/a has it, too"),
    ("machines/b/processes/leaf0", {"ports": {"x": "eth0"}}, "each process once; /tofinos/leaf0 has it, too"),
    (f"{SWITCH}/ports/ps0", "0000:02:00.0", f"/{SWITCH}/ports/ps0: "),
    ("machines/a/processes/ps0/cores", [2], "/machines/a/processes/ps0/cores/0: 2; allowed: one that host0"),
]


def refusal_of(path):
    with pytest.raises(CommandError) as error:
        read_inventory(path)
    assert error.value.status == 2
    (line,) = str(error.value).splitlines()
    return line


@pytest.mark.parametrize("pointer, value, words", BAD)
def test_reader_and_schema_refuse_the_same(write, pointer, value, words):
    content = changed(pointer, value)
    path = write(content)
    line = refusal_of(path)
    assert line.startswith(f"{path}: ")
    assert words in line
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, SCHEMA)


@pytest.mark.parametrize("pointer, value, words", INCONSISTENT)
def test_inconsistent_inventories_are_refused(write, pointer, value, words):
    content = changed(pointer, value)
    assert words in refusal_of(write(content))
    jsonschema.validate(content, SCHEMA)


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", "broken at line 1, column 2; allowed: JSON"),
        ('{"machines": {}, "machines": {}}', '"machines" twice in an object'),
        ("[]", "[]; allowed: an object with machines"),
        ("[" * 10000, "allowed: JSON"),
    ],
)
def test_text_that_is_no_inventory_is_refused(write, text, words):
    assert words in refusal_of(write(text))


def test_a_missing_file_is_refused(tmp_path):
    assert "No such file or directory; allowed: an inventory of machines" in refusal_of(tmp_path / "lab.json")


def test_an_incomplete_inventory_is_refused(write):
    inventory = read_inventory(write(GOOD))
    check_complete(inventory, {"host0": [], "switch": ["host0"], "leaf0": ["host9"]})
    with pytest.raises(CommandError, match="no host7; allowed: an entry in /machines/"):
        check_complete(inventory, {"host7": []})
    with pytest.raises(CommandError, match="/processes/switch/ports: no host7; allowed: a port for each link"):
        check_complete(inventory, {"switch": ["host0", "host7"]})


def test_no_name_reaches_the_remote_shell(write):
    """Random names are refused, or are one word of the command of ssh, which comes after `--`."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    draw = random.Random(seed)
    plain = read_inventory(write(GOOD))
    constant = ssh_command(plain.machines["a"], plain)[-1]
    for _ in range(300):
        name = "".join(draw.choices(string.printable + "-$`;'\"", k=draw.randrange(1, 12)))
        for pointer in ("machines/b/ssh", f"{HOST}/port", "machines/a/programs", "folder"):
            try:
                inventory = read_inventory(write(changed(pointer, name)))
            except CommandError as error:
                assert len(str(error).splitlines()) == 1
                continue
            for machine in inventory.machines.values():
                *_, dashes, destination, text = ssh_command(machine, inventory)
                assert (dashes, destination, text) == ("--", machine.ssh, constant)
                assert not destination.startswith("-")

# SPDX-License-Identifier: BSD-3-Clause
"""What is sent to a switch, by a client that only remembers it."""

import json
import os
import sys
import types
from pathlib import Path

import pytest

from hw.p4.control import bfrt
from hw.p4.control.cabling import read_cabling
from hw.p4.control.cluster import read_cluster
from hw.p4.control.loading import entries_of
from hw.p4.control.program_text import NOBODY
from hw.plans.errors import TROUBLE, CommandError
from hw.plans.inputs import Inputs, Programs

HERE = Path(__file__).resolve().parent
SYSTEMS = ("switchml", "atp", "dsa")


class Table:
    def __init__(self, name, said):
        self.name, self.said = name, said
        self.entries = {}

    def make_key(self, fields):
        return tuple(fields)

    def make_data(self, fields, action=None):
        return action, tuple(fields)

    def entry_del(self, _target):
        self.said.append(("clear", self.name))
        self.entries.clear()

    def entry_add(self, _target, keys, data):
        assert len(keys) == len(data) <= bfrt.BATCH
        self.said.append(("add", self.name))
        for key, fields in zip(keys, data):
            is_register = key[0][0] == "$REGISTER_INDEX"
            if key in self.entries and not is_register:
                raise RuntimeError("Already exists\nand more")
            self.entries[key] = fields


    def entry_get(self, _target, keys, flags):
        assert flags == {"from_hw": True}
        for key in keys:
            fields = {name: [json.loads(value)] * 2 for name, _, value in self.entries[key][1]}
            yield types.SimpleNamespace(to_dict=lambda fields=fields: fields), key


class Fake:
    """Stands for the package bfrt_grpc, and for the switch behind it."""

    def __init__(self):
        self.said, self.tables = [], {}

    def ClientInterface(self, address, client_id, device_id):
        if address == "nobody:1":
            raise RuntimeError("Failed to connect\nand more")
        return types.SimpleNamespace(
            bind_pipeline_config=lambda program: self.said.append(("bind", program)),
            bfrt_info_get=lambda _: types.SimpleNamespace(table_get=self.table),
            tear_down_stream=lambda: None,
        )

    def table(self, name):
        return self.tables.setdefault(name, Table(name, self.said))

    def Target(self, device_id, pipe_id):
        return device_id, pipe_id

    def KeyTuple(self, name, value, mask=None):
        return name, value, mask

    def DataTuple(self, name, value=None, **kinds):
        ((kind, only),) = kinds.items() if kinds else [("val", value)]
        return name, kind, json.dumps(only)


@pytest.fixture
def fake(monkeypatch):
    fake = Fake()
    package = types.ModuleType("bfrt_grpc")
    package.client = fake
    monkeypatch.setitem(sys.modules, "bfrt_grpc", package)
    monkeypatch.setitem(sys.modules, "bfrt_grpc.client", fake)
    return fake


def entries(system):
    programs = Programs(Path(os.environ["INA_PROGRAMS"]))
    inputs = Inputs(programs, [HERE / "two-jobs.json"], [f"/system={system}"], None)
    run = inputs.plans()[0]["runs"][0]
    return entries_of(read_cluster(run, read_cabling(HERE.parent / "example-cabling.json")))


@pytest.mark.parametrize("system", SYSTEMS)
def test_loading_again_leaves_the_same(fake, system):
    switch = bfrt.Switch("switch:1", system)
    switch.load(entries(system))
    once = {name: dict(table.entries) for name, table in fake.tables.items()}
    assert fake.said[0] == ("bind", system)
    assert sum(map(len, once.values())) > 16384
    switch.load(entries(system))
    assert {name: table.entries for name, table in fake.tables.items()} == once


@pytest.mark.parametrize("system", SYSTEMS)
def test_nobody_is_admitted_while_tables_change(fake, system):
    bfrt.Switch("switch:1", system).load(entries(system))
    sent = [(verb, name.rpartition(".")[2]) for verb, name in fake.said[1:]]
    assert sent[0] == ("clear", "members")
    assert sent[-1] == ("add", "members")
    assert sent.count(("add", "members")) == 1
    assert max(at for at, (verb, _) in enumerate(sent) if verb == "clear") < min(
        at for at, (verb, _) in enumerate(sent) if verb == "add"
    )


def test_kinds_of_data_are_told_as_such(fake):
    bfrt.Switch("switch:1", "dsa").load(entries("dsa"))
    _, fields = fake.tables["$PORT"].entries[(("$DEV_PORT", 128, None),)]
    assert fields == (
        ("$SPEED", "str_val", '"BF_SPEED_100G"'),
        ("$FEC", "str_val", '"BF_FEC_TYP_RS"'),
        ("$PORT_ENABLE", "bool_val", "true"),
    )
    assert fake.tables["$pre.mgid"].entries[(("$MGID", 1, None),)][1] == (
        ("$MULTICAST_NODE_ID", "int_arr_val", "[1]"),
        ("$MULTICAST_NODE_L1_XID_VALID", "bool_arr_val", "[false]"),
        ("$MULTICAST_NODE_L1_XID", "int_arr_val", "[0]"),
    )
    key = next(iter(fake.tables["pipe.Ingress.ownership.members"].entries))
    assert key[0] == ("intrinsic.ingress_port", 128, 0x1FF)
    assert key[-1] == ("$MATCH_PRIORITY", 0, None)


def test_cells_are_read_by_index(fake):
    switch = bfrt.Switch("switch:1", "dsa")
    switch.load(entries("dsa"))
    name = "Ingress.ownership.tasks"
    free = {f"{name}.psn": [0, 0], f"{name}.job": [NOBODY, NOBODY]}
    assert switch.cell(f"pipe.{name}", 16383) == free


def test_a_client_that_fails_ends_the_command_in_one_line(fake):
    with pytest.raises(CommandError, match="^nobody:1: Failed to connect$"):
        bfrt.Switch("nobody:1", "dsa")
    switch = bfrt.Switch("switch:1", "dsa")
    twice = entries("dsa")[:1] * 2
    with pytest.raises(CommandError, match="^switch:1: Already exists$") as caught:
        switch.load(twice)
    assert caught.value.status == TROUBLE

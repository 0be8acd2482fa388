# SPDX-License-Identifier: BSD-3-Clause
"""The package bfrt_grpc, with a switch behind it that only records its contents."""

import functools
import json
import types

from hw.p4.control import bfrt


class Table:
    def __init__(self, name, fake):
        self.name, self.fake = name, fake
        self.entries = {}

    def make_key(self, fields):
        return tuple(fields)

    def make_data(self, fields, action=None):
        return action, tuple(fields)

    def entry_del(self, _target, keys=None):
        self.fake.hear("delete", self.name)
        keys = list(self.entries) if keys is None else keys
        self.fake.deleted += keys
        for key in keys:
            del self.entries[key]

    def entry_add(self, _target, keys, data):
        assert len(keys) == len(data) <= bfrt.BATCH
        self.fake.hear("add", self.name)
        twice = False
        for key, fields in zip(keys, data):
            is_register = key[0][0] == "$REGISTER_INDEX"
            if key in self.entries and not is_register:
                twice = True
            self.entries[key] = fields
        if twice:
            raise RuntimeError("Already exists\nand more")

    def entry_get(self, _target, keys, flags):
        """Reads entries. The fields of a register have one value per pipe."""
        self.fake.hear("read", self.name)
        assert flags == {"from_hw": bool(keys)}
        for key in keys or self.entries:
            action, fields = self.entries[key]
            values = {name: json.loads(value) for name, _, value in fields}
            if keys:
                yield dictionary({name: [value] * 2 for name, value in values.items()}), key
                continue
            if self.name == "$PORT":
                values |= {"$PORT_UP": True, "$CONN_ID": 7}
            yield (
                dictionary(values | {"action_name": action, "is_default_entry": False}),
                dictionary({name: match(value, mask) for name, value, mask in key}),
            )


def dictionary(content):
    return types.SimpleNamespace(to_dict=lambda: content)


def match(value, mask):
    return {"value": value} if mask is None else {"value": value, "mask": mask}


class Fake:
    """Replaces the package bfrt_grpc and the switch behind it. `others`: further switches, by
    address."""

    def __init__(self):
        self.said, self.tables, self.deleted = [], {}, []
        self.others = {}
        self.fails = {}  # errors of the next calls, by verb and table; None: no error

    def hear(self, verb, table):
        self.said.append((verb, table))
        errors = self.fails.get((verb, table.rpartition(".")[2]), [])
        if errors and (error := errors.pop(0)):
            raise error

    def content(self):
        return {name: dict(table.entries) for name, table in self.tables.items() if table.entries}

    def tables_content(self):
        return {
            name: entries
            for name, entries in self.content().items()
            if next(iter(entries))[0][0] != "$REGISTER_INDEX"
        }

    def ClientInterface(self, address, client_id, device_id):
        if address == "nobody:1":
            raise RuntimeError("Failed to connect\nand more")
        switch = self.others.get(address, self)
        return types.SimpleNamespace(
            bind_pipeline_config=lambda program: switch.said.append(("bind", program)),
            bfrt_info_get=lambda _: types.SimpleNamespace(table_get=switch.table),
            tear_down_stream=lambda: None,
        )

    def table(self, name):
        return self.tables.setdefault(name, Table(name, self))

    def Target(self, device_id, pipe_id):
        return device_id, pipe_id

    def KeyTuple(self, name, value, mask=None):
        return name, value, mask

    def DataTuple(self, name, value=None, **kinds):
        ((kind, only),) = kinds.items() if kinds else [("val", value)]
        return name, kind, json.dumps(only) if isinstance(only, list) else text_of(only)


@functools.lru_cache(maxsize=None, typed=True)
def text_of(value):
    """Cached, because registers have thousands of cells with the same few values."""
    return json.dumps(value)

# SPDX-License-Identifier: BSD-3-Clause
"""Reads and writes entries of a switch over BfRt gRPC, with the client of the vendor's SDE."""

import contextlib
from itertools import islice

from hw.commands.errors import CommandError
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.p4.control.entries import Entry, Exact, Ternary

EVERY_PIPE = 0xFFFF
BATCH = 1024
NOT_FIELDS = ("action_name", "is_default_entry")  # keys of the client's dictionaries that are not
                                                  # fields


class Switch:
    """A connection to a switch that runs `program`. All methods raise CommandError on errors."""

    def __init__(self, address, program):
        self.client = import_client()
        self.address = address
        with self.errors_reported():
            self.interface = self.client.ClientInterface(address, client_id=0, device_id=0)
            self.interface.bind_pipeline_config(program)
            self.info = self.interface.bfrt_info_get(program)
        self.target = self.client.Target(device_id=0, pipe_id=EVERY_PIPE)

    def close(self):
        self.interface.tear_down_stream()

    @contextlib.contextmanager
    def errors_reported(self):
        try:
            yield
        except Exception as error:  # the client's exceptions have no common base
            first = str(error).strip().partition("\n")[0] or type(error).__name__
            raise CommandError(f"{self.address}: {first}", ENVIRONMENT_ERROR) from error

    def read(self, table):
        """The entries of a table that is not a register array, with the writable fields."""
        with self.errors_reported():
            handle = self.info.table_get(table.name)
            found = handle.entry_get(self.target, [], {"from_hw": False})
            return [entry_of(table, key.to_dict(), data.to_dict()) for data, key, *_ in found]

    def add(self, entries):
        """Adds entries of one table."""
        if not entries:
            return
        with self.errors_reported():
            table = self.info.table_get(entries[0].table.name)
            pairs = ((key, entry) for entry in entries for key in keys_of(entry))
            while batch := list(islice(pairs, BATCH)):
                keys = [self.key(table, key) for key, _ in batch]
                bare = entries[0].is_bare
                data = None if bare else [self.data(table, entry) for _, entry in batch]
                table.entry_add(self.target, keys, data)

    def delete(self, entries):
        """Deletes entries of one table."""
        with self.errors_reported():
            for at in range(0, len(entries), BATCH):
                table = self.info.table_get(entries[at].table.name)
                keys = [self.key(table, entry.key) for entry in entries[at : at + BATCH]]
                table.entry_del(self.target, keys)

    def clear(self, table):
        with self.errors_reported():
            self.info.table_get(table.name).entry_del(self.target)

    def cell(self, array, index):
        """Contents of a cell of a register array: for each field, one value per pipe."""
        with self.errors_reported():
            table = self.info.table_get(array)
            key = self.key(table, {"$REGISTER_INDEX": Exact(index)})
            ((data, _),) = table.entry_get(self.target, [key], {"from_hw": True})
            return data.to_dict()

    def key(self, table, key):
        return table.make_key([self.match(name, match) for name, match in key.items()])

    def match(self, name, match):
        if isinstance(match, Ternary):
            return self.client.KeyTuple(name, match.value, match.mask)
        return self.client.KeyTuple(name, match.value)

    def data(self, table, entry):
        fields = [self.field(*field) for field in entry.data.items()]
        return table.make_data(fields, entry.action) if entry.action else table.make_data(fields)

    def field(self, name, value):
        if isinstance(value, list):
            kind = "bool_arr_val" if value and isinstance(value[0], bool) else "int_arr_val"
            return self.client.DataTuple(name, **{kind: value})
        if isinstance(value, bool):
            return self.client.DataTuple(name, bool_val=value)
        if isinstance(value, str):
            return self.client.DataTuple(name, str_val=value)
        return self.client.DataTuple(name, value)


def entry_of(table, key, data):
    """Makes an entry from the client's dictionaries."""
    matches = {name: match_of(match) for name, match in key.items()}
    names = table.settings or [name for name in data if name not in NOT_FIELDS]
    fields = {name: data[name] for name in names if data.get(name) is not None}
    return Entry(table, matches, data.get("action_name"), fields)


def match_of(match):
    if "mask" in match:
        return Ternary(match["value"], match["mask"])
    return Exact(match["value"])


def keys_of(entry):
    """The entry's key, or one key per cell of a register array."""
    if not entry.is_register:
        return [entry.key]
    ((name, cells),) = entry.key.items()
    return ({name: Exact(index)} for index in range(cells.first, cells.first + cells.count))


def import_client():
    try:
        import bfrt_grpc.client
    except ImportError as error:
        raise CommandError(
            f"bfrt_grpc: {error}: set PYTHONPATH to the Python packages of the vendor's SDE, "
            "or see what would be loaded by switch load --dry-run",
            ENVIRONMENT_ERROR,
        ) from None
    return bfrt_grpc.client

# SPDX-License-Identifier: BSD-3-Clause
"""Loads entries into a switch by BfRt gRPC, with the client of the vendor's SDE."""

import contextlib
from itertools import groupby, islice

from hw.p4.control.entries import Cells, Exact, Ternary
from hw.plans.errors import TROUBLE, CommandError

EVERY_PIPE = 0xFFFF
BATCH = 1024


class Switch:
    """A connection to the running `program`. Raises CommandError, here and later, if that fails."""

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
        except Exception as error:  # the client's own ones have no base of theirs
            first = str(error).strip().partition("\n")[0] or type(error).__name__
            raise CommandError(f"{self.address}: {first}", TROUBLE) from error

    def load(self, entries, more_tables=()):
        """Replaces what is in the tables of these entries, and clears the last table first, and then
        `more_tables`, by name, which may get none."""
        own = (entry.table.name for entry in entries if not is_register(entry))
        tables = dict.fromkeys([*more_tables, *own])
        with self.errors_reported():
            for name in reversed(tables):
                self.info.table_get(name).entry_del(self.target)
            for name, some in groupby(entries, key=lambda entry: entry.table.name):
                self.add(self.info.table_get(name), some)

    def add(self, table, entries):
        pairs = ((key, entry) for entry in entries for key in keys_of(entry))
        while batch := list(islice(pairs, BATCH)):
            keys = [self.key(table, key) for key, _ in batch]
            data = [self.data(table, entry) for _, entry in batch]
            table.entry_add(self.target, keys, data)

    def cell(self, array, index):
        """What a register array holds: by field, a value of each pipe."""
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


def is_register(entry):
    return any(isinstance(match, Cells) for match in entry.key.values())


def keys_of(entry):
    """The entry's key, or one for each cell of a register array."""
    if not is_register(entry):
        return [entry.key]
    ((name, cells),) = entry.key.items()
    return ({name: Exact(index)} for index in range(cells.count))


def import_client():
    try:
        import bfrt_grpc.client
    except ImportError as error:
        raise CommandError(
            f"switch load: {error}: set PYTHONPATH to the Python packages of the vendor's SDE, "
            "or see what would be loaded by --dry-run",
            TROUBLE,
        ) from None
    return bfrt_grpc.client

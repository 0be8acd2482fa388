# SPDX-License-Identifier: BSD-3-Clause
"""The tables and register arrays of a P4 program, with their names in the BfRt schema. They are
extracted from the program's source code or from the compiler's output."""

from dataclasses import dataclass, field
from functools import cache

import p4_text
from p4_interpreter.device import Device
from p4_interpreter.kinds import Bool, Struct

# Added by the compiler to tables without a default action.
NO_ACTION = "NoAction"
INGRESS = "pipe.Ingress."


@dataclass(frozen=True)
class Table:
    key: dict  # [match kind, bits] by name
    actions: dict  # {bits by data field} by name
    size: int


@dataclass
class Program:
    tables: dict = field(default_factory=dict)
    registers: dict = field(default_factory=dict)  # [cells, {bits by field}] by name


@cache
def read(name):
    """The tables and registers as the interpreter finds them."""
    return Device(p4_text.preprocessed(name)).program


def bits(kind):
    return 1 if isinstance(kind, Bool) else kind.width


def table_of(read_table):
    path = read_table.path.rpartition(".")[0].removeprefix("pipe.")
    actions = {
        f"{path}.{name}": {one.name: bits(one.kind) for one in action.parameters}
        for name, action in read_table.actions.items()
        if name != NO_ACTION
    }
    return Table({key.name: [key.match, bits(key.code.kind)] for key in read_table.keys}, actions, read_table.size)


def cell_of(register):
    """The bits of each field."""
    path = register.path.removeprefix("pipe.")
    fields = register.kind.fields if isinstance(register.kind, Struct) else [("f1", register.kind)]
    return {f"{path}.{name}": bits(kind) for name, kind in fields}


def from_text(name):
    program = read(name)
    return Program(
        {path: table_of(table) for path, table in program.tables.items() if path.startswith(INGRESS)},
        {path: [register.size, cell_of(register)] for path, register in program.registers.items()},
    )


def arrays(name):
    """The bits and the number of actions of each register array."""
    registers = read(name).registers.values()
    return [[register.size * sum(cell_of(register).values()), register.actions] for register in registers]


def cells(name):
    """Number of slot pairs or aggregators of a program."""
    return read(name).scope.find("SLOTS" if name.startswith("switchml") else "AGGREGATORS").known


def from_schema(schema):
    """The tables and register arrays of the ingress in the compiler's output."""
    program = Program()
    for table in schema["tables"]:
        if not table["name"].startswith(INGRESS):
            continue
        if table["table_type"] == "Register":
            fields = [one["singleton"] for one in table["data"]]
            widths = {one["name"]: one["type"]["width"] for one in fields}
            program.registers[table["name"]] = [table["size"], widths]
        elif table["table_type"] == "MatchAction_Direct":
            key = {
                one["name"]: [one["match_type"].lower(), one["type"]["width"]]
                for one in table["key"]
                if one["name"] != "$MATCH_PRIORITY"
            }
            actions = {
                one["name"]: {data["name"]: data["type"]["width"] for data in one["data"]}
                for one in table["action_specs"]
                if one["name"] != NO_ACTION
            }
            program.tables[table["name"]] = Table(key, actions, table["size"])
    return program

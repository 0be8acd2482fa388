# SPDX-License-Identifier: BSD-3-Clause
"""The tables and register arrays of a P4 program, with the names that the BfRt schema gives them: by the text of the
program, and by what the compiler printed."""

import re
from dataclasses import dataclass, field

import p4_text

# Of the architecture's own declarations, what keys and actions use.
ARCHITECTURE = {"PortId_t": "bit<9>", "MulticastGroupId_t": "bit<16>", "bool": "bit<1>"}
INTRINSIC = {"ingress_port": "PortId_t"}
# What the compiler adds to tables without a default action.
NO_ACTION = "NoAction"


@dataclass(frozen=True)
class Table:
    key: dict  # [match kind, bits] by name
    actions: dict  # {bits by data field} by name
    size: int


@dataclass
class Program:
    tables: dict = field(default_factory=dict)
    registers: dict = field(default_factory=dict)  # [cells, {bits by field}] by name


def block(source, start):
    """What is inside the braces that open at or after `start`."""
    first = source.index("{", start)
    depth, at = 1, first
    while depth:
        at += 1
        depth += {"{": 1, "}": -1}.get(source[at], 0)
    return source[first + 1 : at]


def blocks(source, pattern):
    """The matches of a pattern, each with the block that follows."""
    return [(found, block(source, found.end())) for found in re.finditer(pattern, source)]


class Reader:
    def __init__(self, name):
        self.source = p4_text.preprocessed(name)
        self.types = ARCHITECTURE | dict(
            reversed(pair) for pair in re.findall(r"\btypedef ([\w<>]+) (\w+);", self.source)
        )
        self.structs = {
            found[1]: {name: kind for kind, name in re.findall(r"([\w<>]+) (\w+);", body)}
            for found, body in blocks(self.source, r"\b(?:struct|header) (\w+) ")
        } | {"ingress_intrinsic_metadata_t": INTRINSIC}
        self.controls = {
            found[1]: (self.parameters(found[2]), body)
            for found, body in blocks(self.source, r"\bcontrol (\w+)\(([^{;]*?)\) ")
        }
        self.program = Program()
        self.read("Ingress", "Ingress")

    @staticmethod
    def parameters(text):
        return {part.split()[-1]: part.split()[-2] for part in text.split(",") if part.strip()}

    def bits(self, kind):
        plain = re.fullmatch(r"(?:bit|int)<(\d+)>", self.types.get(kind, kind))
        return int(plain[1]) if plain else self.bits(self.types[kind])

    def width(self, expression, scope):
        """The bits of a field, or of a slice of it."""
        cut = re.search(r"\[(\d+):(\d+)\]$", expression)
        if cut:
            return int(cut[1]) - int(cut[2]) + 1
        first, *path = expression.split(".")
        kind = scope[first]
        for name in path:
            kind = self.structs[kind][name]
        return self.bits(kind)

    def read(self, control, path):
        scope, body = self.controls[control]
        actions = {found[1]: self.parameters(found[2]) for found in re.finditer(r"\baction (\w+)\((.*?)\) \{", body, re.S)}
        for found, table in blocks(body, r"\btable (\w+) "):
            self.program.tables[f"pipe.{path}.{found[1]}"] = self.table(table, scope, actions, path)
        for kind, cells, name in re.findall(r"\bRegister<([\w<>]+), [\w<>]+>\(([\w *]+)[^;]*?\) (\w+);", body):
            fields = self.structs.get(kind) or {"f1": kind}
            widths = {f"{path}.{name}.{one}": self.bits(of) for one, of in fields.items()}
            self.program.registers[f"pipe.{path}.{name}"] = [p4_text.size(self.source, cells), widths]
        for kind, name in re.findall(r"\b(\w+)\(\) (\w+);", body):
            if kind in self.controls:
                self.read(kind, f"{path}.{name}")

    def table(self, text, scope, actions, path):
        key = {}
        for line in block(text, text.index("key =")).split(";")[:-1]:
            expression, match, name = re.fullmatch(r'\s*(\S+): (\w+)(?: @name\("(\w+)"\))?', line).groups()
            key[name or expression] = [match, self.width(expression, scope)]
        names = re.findall(r"(\w+);", block(text, text.index("actions =")))
        told = {
            f"{path}.{name}": {one: self.bits(kind) for one, kind in actions[name].items()}
            for name in names
            if name != NO_ACTION
        }
        return Table(key, told, p4_text.size(self.source, re.search(r"\bsize = ([\w *]+);", text)[1]))


def from_text(name):
    return Reader(name).program


def from_schema(schema):
    """Of what the compiler printed, the tables and register arrays of the ingress."""
    program = Program()
    for table in schema["tables"]:
        if not table["name"].startswith("pipe.Ingress."):
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

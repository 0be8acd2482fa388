# SPDX-License-Identifier: BSD-3-Clause
"""Types of P4 and their values: ints, bools, and dicts of fields."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bits:
    """bit<width>, or int<width> if signed."""

    width: int
    signed: bool = False

    @property
    def lowest(self):
        return -(1 << self.width - 1) if self.signed else 0

    @property
    def highest(self):
        return self.lowest + (1 << self.width) - 1

    def holds(self, number):
        return self.lowest <= number <= self.highest

    def wrap(self, number):
        return (number - self.lowest & (1 << self.width) - 1) + self.lowest

    def saturate(self, number):
        return min(max(number, self.lowest), self.highest)


@dataclass(frozen=True)
class Integer:
    """Type of literals. They have any size and are known at compile time."""


@dataclass(frozen=True)
class Bool:
    pass


@dataclass(frozen=True)
class Void:
    pass


@dataclass(frozen=True)
class Sequence:
    """{a, b}: the compiled elements."""

    elements: tuple


@dataclass(frozen=True)
class Struct:
    name: str
    fields: tuple  # (name, kind)

    def kind_of(self, field):
        return dict(self.fields).get(field)


@dataclass(frozen=True)
class HeaderKind(Struct):
    @property
    def bits(self):
        return sum(kind.width for _, kind in self.fields)

    def unpack(self, data):
        number, at, fields = int.from_bytes(data, "big"), self.bits, {}
        for name, kind in self.fields:
            at -= kind.width
            fields[name] = number >> at & kind.highest
        return fields

    def pack(self, header):
        number = 0
        for name, kind in self.fields:
            number = number << kind.width | header[name]
        return number.to_bytes(self.bits // 8, "big")


class Header(dict):
    """Fields of a header with a validity bit. As in a Tofino's containers, values that are written
    to an invalid header stay there."""

    def __init__(self, kind, fields, valid):
        super().__init__(fields)
        self.kind = kind
        self.valid = valid

# SPDX-License-Identifier: BSD-3-Clause
"""Entries of tables, with the names of the BfRt schema."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Exact:
    value: int

    def __str__(self):
        return hex(self.value)


@dataclass(frozen=True, order=True)
class Ternary:
    value: int
    mask: int

    def __str__(self):
        return f"{self.value:#x}&&&{self.mask:#x}" if self.mask else "*"


@dataclass(frozen=True, order=True)
class Cells:
    """Consecutive cells of a register array."""

    count: int
    first: int = 0

    def __str__(self):
        return f"{self.first:#x}..{self.first + self.count - 1:#x}"


ANY = Ternary(0, 0)


@dataclass(frozen=True)
class Table:
    name: str
    capacity: int | None = None  # maximum number of entries; None: unlimited
    known: Collection | None = None
    """The values of the key of entries that a load replaces along with those that it has itself,
    in a table that is not the program's alone; None: every entry."""
    settings: tuple = ()  # the writable fields, if the table also has others


@dataclass(frozen=True)
class Entry:
    table: Table
    key: dict
    action: str | None  # None: the table has no actions
    data: dict

    @property
    def is_register(self):
        return any(isinstance(match, Cells) for match in self.key.values())

    @property
    def is_bare(self):
        """Whether the entry is a key alone, as in a parser's value set."""
        return not (self.action or self.data)

    @property
    def first_key(self):
        return next(iter(self.key.values())).value

    def __str__(self):
        words = [self.table.name, *(f"{name}={match}" for name, match in self.key.items())]
        words += [] if self.is_bare else ["->"]
        words += [self.action] if self.action else []
        return " ".join(words + [f"{name}={shown(value)}" for name, value in self.data.items()])


def shown(value):
    if isinstance(value, list):
        return f"[{','.join(map(shown, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return hex(value) if isinstance(value, int) else value


def dry_run(entries):
    """All entries, one per line, ordered by table and key."""
    ordered = sorted(entries, key=lambda entry: (entry.table.name, tuple(entry.key.values())))
    return "".join(f"{entry}\n" for entry in ordered)

# SPDX-License-Identifier: BSD-3-Clause
"""Names in scopes, and compiled expressions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from p4_interpreter.kinds import Struct
from p4_interpreter.syntax import Refused


@dataclass(frozen=True)
class Code:
    """A compiled expression: its kind and its evaluation. `known`: its value, if it is known at
    compile time. `assign`: assigns to it, if possible."""

    kind: object
    run: Callable[[], Any]
    known: Any = None
    assign: Callable[[Any], None] | None = None


def constant(kind, value):
    return Code(kind, lambda: value, value)


class Scope:
    def __init__(self, outer=None):
        self.outer = outer
        self.names = {}

    def declare(self, name, meaning):
        if name in self.names:
            raise Refused(f"{name} is declared twice")
        self.names[name] = meaning

    def find(self, name):
        if name in self.names:
            return self.names[name]
        if self.outer is None:
            raise Refused(f"{name} is not declared")
        return self.outer.find(name)


class Variables:
    """The variables of a block. An unassigned variable is None, and computing with it fails."""

    def __init__(self, scope):
        self.scope = scope
        self.values = {}

    def declare(self, name, kind, writable=True):
        values = self.values
        values[name] = None

        def assign(value):
            values[name] = value

        self.scope.declare(name, Code(kind, lambda: values[name], assign=assign if writable else None))


def is_struct(kind):
    return isinstance(kind, Struct)

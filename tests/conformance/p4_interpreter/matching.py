# SPDX-License-Identifier: BSD-3-Clause
"""Sets of keys, in table entries and in cases of a parser's select."""

from dataclasses import dataclass

from p4_interpreter.expressions import compiled, fitted, known
from p4_interpreter.kinds import Bits, Bool
from p4_interpreter.syntax import Refused, refuse


@dataclass(frozen=True)
class Masked:
    value: int
    mask: int

    def __post_init__(self):
        object.__setattr__(self, "value", self.value & self.mask)

    def holds(self, key):
        return key & self.mask == self.value


class ValueSet:
    """Values that a control plane installs for a parser's select."""

    def __init__(self, _tree, types, arguments, scope, _device, path):
        (self.kind,), self.path = types, path
        self.size = known(arguments[0], scope)
        self.matches = []

    def install(self, key):
        """Installs a value in the form of hw/p4/control."""
        (match,) = key.values()
        self.matches.append(Masked(match.value, match.mask))
        if len(self.matches) > self.size:
            raise Refused(f"{self.path}: {len(self.matches)} values, size {self.size}")

    def clear(self):
        self.matches = []

    def holds(self, key):
        return any(match.holds(key) for match in self.matches)


@dataclass(frozen=True)
class Keyset:
    """Condition on a tuple of keys: matches by index. An index without a match accepts any key."""

    matches: tuple

    def holds(self, keys):
        for place, match in self.matches:
            if not match.holds(keys[place]):
                return False
        return True


def all_ones(kind):
    return (1 << kind.width) - 1 if isinstance(kind, Bits) else 1


def keyset_of(tree, kinds, scope):
    """`default` and a single `_` match any keys."""
    elements = tree.children
    if len(elements) == 1 and elements[0].data == "any":
        return Keyset(())
    if len(elements) != len(kinds):
        return refuse(tree, f"{len(elements)} matches for {len(kinds)} keys")
    pairs = zip(elements, kinds, strict=True)
    return Keyset(tuple((i, match_of(one, kind, scope)) for i, (one, kind) in enumerate(pairs) if one.data != "any"))


def match_of(tree, kind, scope):
    if isinstance(kind, Bits) and kind.signed:
        return refuse(tree, "a key with a sign")
    if value_set := value_set_of(tree, scope):
        return value_set if value_set.kind == kind else refuse(tree, f"{value_set.kind} for {kind}")
    numbers = [fitted(key_kind(kind), compiled(child, scope), tree).known for child in tree.children]
    if None in numbers:
        return refuse(tree, "not constant")
    return Masked(numbers[0], all_ones(kind)) if tree.data == "one" else Masked(*numbers)


def value_set_of(tree, scope):
    """The value set that a match names. None if it does not name one."""
    (first, *_) = tree.children
    found = scope.find(str(first.children[0])) if first.data == "name" else None
    return found if isinstance(found, ValueSet) else None


def key_kind(kind):
    """Matches bools as bits."""
    return Bits(1) if kind == Bool() else kind

# SPDX-License-Identifier: BSD-3-Clause
"""Tables: their constant entries, and those that a control plane installs."""

from dataclasses import dataclass

from p4_interpreter.expressions import arguments_of, compiled, known
from p4_interpreter.kinds import Bits, Bool, Struct
from p4_interpreter.matching import Keyset, Masked, all_ones, keyset_of
from p4_interpreter.scope import Code
from p4_interpreter.syntax import Refused, refuse

APPLIED = Struct("apply_result", (("hit", Bool()),))
HIT, MISS = {"hit": True}, {"hit": False}
MATCH_KINDS = ("exact", "ternary")
ANNOTATIONS = ("name", "defaultonly")


@dataclass(frozen=True)
class Key:
    name: str  # as in the BfRt schema
    code: Code
    match: str


@dataclass(frozen=True)
class Entry:
    keyset: Keyset
    action: object
    data: tuple
    priority: int


class NoAction:
    name = "NoAction"
    parameters = ()

    def run(self, values):
        pass


class Table:
    def __init__(self, tree, scope, path):
        self.path, self.scope = path, scope
        self.size, self.constant, self.entries = None, False, []
        self.met = set()  # indices of constant entries that some packet matched
        self.keys, self.actions = [], {}
        self.default = (NoAction(), ())
        self.name = str(tree.children[0])
        for one in tree.children[1:]:
            getattr(self, f"read_{one.data}")(one)
        if not self.keys or not self.actions or not self.size:
            refuse(tree, "no keys, actions or size")
        self.key_runs = [key.code.run for key in self.keys]
        self.check_size()

    # Declarations in the source code.

    def read_keys(self, tree):
        self.keys = [self.key_of(child) for child in tree.children]

    def key_of(self, tree):
        expression, match, annotation = tree.children
        code = compiled(expression, self.scope)
        if match not in MATCH_KINDS or not isinstance(code.kind, Bits | Bool):
            return refuse(tree, f"{match} of {code.kind}")
        return Key(annotated_name(annotation) if annotation else path_of(expression), code, str(match))

    def read_action_names(self, tree):
        for child in tree.children:
            for annotation in child.children[:-1]:
                if annotation.children[0] not in ANNOTATIONS:
                    refuse(annotation, "unknown annotation")
            name = str(child.children[-1])
            self.actions[name] = NoAction() if name == "NoAction" else self.scope.find(name)

    def read_default_action(self, tree):
        self.default = self.call_of(tree.children[0])

    def read_size(self, tree):
        self.size = known(tree.children[0], self.scope)

    def read_entries(self, tree):
        self.constant = True
        kinds = [key.code.kind for key in self.keys]
        for child in tree.children:
            keyset = keyset_of(child.children[0], kinds, self.scope)
            self.entries.append(Entry(keyset, *self.call_of(child.children[1]), priority=len(self.entries)))

    def call_of(self, tree):
        name, arguments = str(tree.children[0]), tree.children[1]
        if name not in self.actions:
            return refuse(tree, f"{name} is no action of the table")
        action = self.actions[name]
        trees = arguments_of(arguments) if arguments else []
        codes = action.bound(tree, trees, self.scope) if action.parameters else []
        data = tuple(code.known for code in codes)
        return refuse(tree, "not constant") if None in data else (action, data)

    # Operations of the control plane.

    def install(self, key, action_path, data):
        """Installs an entry in the form of hw/p4/control."""
        if self.constant:
            raise Refused(f"{self.path}: its entries are constant")
        matches = dict(key)
        priority = matches.pop("$MATCH_PRIORITY").value if "$MATCH_PRIORITY" in matches else 0
        if list(matches) != [one.name for one in self.keys]:
            raise Refused(f"{self.path}: keys {list(matches)}")
        pairs = zip(self.keys, matches.values(), strict=True)
        keyset = Keyset(tuple((i, self.masked(one, match)) for i, (one, match) in enumerate(pairs)))
        action = self.actions[action_path.rpartition(".")[2]]
        if list(data) != [parameter.name for parameter in action.parameters]:
            raise Refused(f"{self.path}: data {list(data)} for {action_path}")
        self.entries.append(Entry(keyset, action, tuple(data.values()), priority))
        self.check_size()

    def masked(self, key, match):
        mask = getattr(match, "mask", all_ones(key.code.kind))
        if key.match == "exact" and mask != all_ones(key.code.kind):
            raise Refused(f"{self.path}: {key.name} is matched exactly, not by {match}")
        return Masked(match.value, mask)

    def check_size(self):
        if len(self.entries) > self.size:
            raise Refused(f"{self.path}: {len(self.entries)} entries, size {self.size}")

    def clear(self):
        if not self.constant:
            self.entries = []

    # Lookup by packets.

    def compile_call(self, tree, method, arguments, _scope):
        if method != "apply" or arguments:
            return refuse(tree, f"{method} of a table")
        return Code(APPLIED, self.apply)

    def apply(self):
        entry = self.found([key() for key in self.key_runs])
        if entry is None:
            self.act(*self.default)
            return MISS
        self.met.add(entry.priority)
        self.act(entry.action, entry.data)
        return HIT

    def act(self, action, data):
        action.run(data)

    def found(self, keys):
        if self.constant:
            return next((entry for entry in self.entries if entry.keyset.holds(keys)), None)
        hits = [entry for entry in self.entries if entry.keyset.holds(keys)]
        first = min((entry.priority for entry in hits), default=None)
        hits = [entry for entry in hits if entry.priority == first]
        if len(hits) > 1:
            raise Refused(f"{self.path}: {len(hits)} entries of one priority match {keys}")
        return hits[0] if hits else None


def annotated_name(annotation):
    name, value = annotation.children
    return str(value)[1:-1] if name == "name" else refuse(annotation, "unknown annotation")


def path_of(tree):
    """The source text of a dotted name."""
    if tree.data == "name":
        return str(tree.children[0])
    if tree.data == "member":
        return f"{path_of(tree.children[0])}.{tree.children[1]}"
    return refuse(tree, "a key without a name")

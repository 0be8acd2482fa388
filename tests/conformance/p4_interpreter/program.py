# SPDX-License-Identifier: BSD-3-Clause
"""A program as declarations, and the instances of its pipeline."""

from p4_interpreter.blocks import PACKETS, Control, Parser
from p4_interpreter.expressions import compiled_as, kind_of
from p4_interpreter.kinds import HeaderKind, Struct
from p4_interpreter.matching import ValueSet
from p4_interpreter.registers import Register
from p4_interpreter.scope import Scope
from p4_interpreter.statements import Maximum
from p4_interpreter.syntax import declarations_of, refuse
from p4_interpreter.tables import Table

STAGES = ("ingress_parser", "ingress", "ingress_deparser", "egress_parser", "egress", "egress_deparser")
ZERO_METADATA = "pa_auto_init_metadata"


class Program:
    """`device` runs the program. It records the registers that a pass touched and the data for a
    resubmission."""

    def __init__(self, source, device):
        self.device = device
        self.scope = Scope()
        self.blocks, self.registers, self.tables, self.value_sets = {}, {}, {}, {}
        self.metadata_is_zero = False
        self.stages, self.is_complete = None, False
        for name, kind in PACKETS.items():
            self.scope.declare(name, kind)
        self.scope.declare("max", Maximum())
        for tree in declarations_of(source):
            getattr(self, f"declare_{tree.data}")(tree)

    def declare_constant(self, tree):
        kind, name, expression = tree.children
        code = compiled_as(kind_of(kind, self.scope), expression, self.scope)
        self.scope.declare(str(name), code if code.known is not None else refuse(tree, "not constant"))

    def declare_typedef(self, tree):
        self.scope.declare(str(tree.children[1]), kind_of(tree.children[0], self.scope))

    def declare_struct(self, tree):
        self.declare_fields(tree, Struct)

    def declare_header(self, tree):
        self.declare_fields(tree, HeaderKind)

    def declare_fields(self, tree, kind):
        annotations = [child.children[0] for child in tree.children if getattr(child, "data", None) == "annotation"]
        for annotation in annotations:
            self.metadata_is_zero |= annotation == ZERO_METADATA or refuse(tree, f"@{annotation}")
        name, *fields = tree.children[len(annotations) :]
        found = tuple((str(field.children[1]), kind_of(field.children[0], self.scope)) for field in fields)
        self.scope.declare(str(name), kind(str(name), found))

    def declare_parser(self, tree):
        self.blocks[str(tree.children[0])] = Parser, tree

    def declare_control(self, tree):
        self.blocks[str(tree.children[0])] = Control, tree

    def declare_instance(self, tree):
        """The pipeline and its switch."""
        kind, _, arguments, name, _ = tree.children
        if kind == "Pipeline" and self.stages is None:
            names = [str(argument.children[0].children[0]) for argument in arguments.children]
            blocks = [self.block(one, f"{name}.{one}") for one in names]
            self.stages = dict(zip(STAGES, blocks, strict=True))
        elif kind == "Switch" and self.stages is not None:
            self.is_complete = True
        else:
            refuse(tree, f"unknown {kind}")

    def block(self, name, path):
        make, tree = self.blocks[name]
        return make(tree, self, path)

    def keep(self, made):
        """The tables, registers and value sets by their paths in the BfRt schema."""
        for kind, kept in ((Table, self.tables), (Register, self.registers), (ValueSet, self.value_sets)):
            if isinstance(made, kind):
                kept[made.path] = made

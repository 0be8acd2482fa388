# SPDX-License-Identifier: BSD-3-Clause
"""Controls and parsers. Each instance is interpreted separately."""

from p4_interpreter.expressions import arguments_of, compiled, compiled_as, kind_of
from p4_interpreter.kinds import Void
from p4_interpreter.limits import check_state
from p4_interpreter.matching import ValueSet, keyset_of
from p4_interpreter.packets import Checksum, PacketIn, PacketOut, Resubmit
from p4_interpreter.registers import MathUnit, Register, RegisterAction
from p4_interpreter.scope import Code, Scope, Variables, is_struct
from p4_interpreter.statements import Action, compiled_block, parameters_of, statement
from p4_interpreter.syntax import Refused, refuse
from p4_interpreter.tables import Table, path_of

EXTERNS = {
    "Register": Register, "RegisterAction": RegisterAction, "MathUnit": MathUnit, "Checksum": Checksum,
    "Resubmit": Resubmit, "value_set": ValueSet,
}  # fmt: skip
PACKETS = {"packet_in": PacketIn, "packet_out": PacketOut}


class Block:
    """Base of controls and parsers: parameters, and instances of other blocks and externs."""

    def __init__(self, tree, program, path):
        self.path, self.program = path, program
        self.variables = Variables(Scope(program.scope))
        self.scope, self.values = self.variables.scope, self.variables.values
        self.parameters = parameters_of(tree.children[1], program.scope)
        for one in self.parameters:
            if one.kind in PACKETS.values():
                self.packet = one.kind()
                self.scope.declare(one.name, self.packet)
            else:
                self.variables.declare(one.name, one.kind, writable=one.goes_out)

    def instantiate(self, tree):
        kind, types, arguments, name, _ = tree.children
        if kind in self.program.blocks:
            made = self.program.block(str(kind), f"{self.path}.{name}")
        elif kind in EXTERNS:
            types = [kind_of(one, self.scope) for one in types.children] if types else []
            trees = arguments_of(arguments)
            made = EXTERNS[kind](tree, types, trees, self.scope, self.program.device, f"{self.path}.{name}")
        else:
            return refuse(tree, f"unknown {kind}")
        self.program.keep(made)
        return self.scope.declare(str(name), made)

    def give(self, *values):
        """Sets the values of the parameters, except packets."""
        names = [one.name for one in self.parameters if one.kind not in PACKETS.values()]
        for name, value in zip(names, values, strict=True):
            self.values[name] = value


class Control(Block):
    def __init__(self, tree, program, path):
        super().__init__(tree, program, path)
        self.scope.declare("NoAction", None)
        *local, body = tree.children[2:]
        for one in local:
            getattr(self, f"declare_{one.data}")(one)
        self.run = compiled_block(body, self.variables)

    def declare_instance(self, tree):
        self.instantiate(tree)

    def declare_action(self, tree):
        action = Action(tree, self.scope)
        self.scope.declare(action.name, action)

    def declare_table(self, tree):
        table = Table(tree, self.scope, f"{self.path}.{tree.children[0]}")
        self.program.keep(table)
        self.scope.declare(table.name, table)

    def compile_call(self, tree, method, arguments, scope):
        """Copies scalars in and out. Structs are shared, so a written struct must not overlap
        another argument."""
        if method != "apply" or len(arguments) != len(self.parameters):
            return refuse(tree, f"{method} with {len(arguments)} arguments")
        pairs = list(zip(self.parameters, arguments, strict=True))
        refuse_shared(tree, pairs)
        codes = [(one, self.argument(tree, one, argument, scope)) for one, argument in pairs]
        given = [(one.name, code.run) for one, code in codes if one.comes_in]
        taken = [(one.name, code.assign) for one, code in codes if one.goes_out and not is_struct(one.kind)]
        values, run = self.values, self.run

        def apply():
            for name, value in given:
                values[name] = value()
            run()
            for name, assign in taken:
                assign(values[name])

        return Code(Void(), apply)

    @staticmethod
    def argument(tree, parameter, argument, scope):
        if not parameter.comes_in:
            return refuse(tree, f"{parameter.name}: out")
        code = compiled_as(parameter.kind, argument, scope)
        return refuse(tree, f"{parameter.name} is written") if parameter.goes_out and not code.assign else code


def refuse_shared(tree, pairs):
    structs = [(one, path_of(argument).split(".")) for one, argument in pairs if is_struct(one.kind)]
    for i, (one, path) in enumerate(structs):
        for other, longer in structs[:i]:
            shared = min(len(path), len(longer))
            if path[:shared] == longer[:shared] and (one.goes_out or other.goes_out):
                refuse(tree, f"{one.name} and {other.name} share fields")


class Parser(Block):
    def __init__(self, tree, program, path):
        super().__init__(tree, program, path)
        self.states = {}
        for child in tree.children[2:]:
            if child.data == "instance":
                self.instantiate(child)
        for child in tree.children[2:]:
            if child.data == "state":
                self.declare_state(child)

    def declare_state(self, tree):
        check_state(tree, self.scope)
        name, *steps, transition = tree.children
        variables = Variables(Scope(self.scope))
        compiled_steps = [statement(step, variables) for step in steps]
        self.states[str(name)] = compiled_steps, self.transition(transition, variables.scope)

    @staticmethod
    def transition(tree, scope):
        if tree.data == "go_to":
            return lambda: str(tree.children[0])
        keys = [compiled(argument, scope) for argument in arguments_of(tree.children[0])]
        kinds, runs = [key.kind for key in keys], [key.run for key in keys]
        cases = [(keyset_of(case.children[0], kinds, scope), str(case.children[1])) for case in tree.children[1:]]

        def select():
            found = [run() for run in runs]
            return next((state for keyset, state in cases if keyset.holds(found)), "reject")

        return select

    def run(self, data):
        """Returns False if the packet is rejected. Raises PacketTooShort."""
        self.packet.begin(data)
        state = "start"
        while state not in ("accept", "reject"):
            if state not in self.states:
                raise Refused(f"{self.path}: no state {state}")
            steps, transition = self.states[state]
            for step in steps:
                step()
            state = transition()
        return state == "accept"

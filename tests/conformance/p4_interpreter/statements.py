# SPDX-License-Identifier: BSD-3-Clause
"""Compiles statements, and blocks with parameters."""

from dataclasses import dataclass

from p4_interpreter.expressions import arguments_of, compiled, compiled_as, condition, fitted, kind_of
from p4_interpreter.kinds import Void
from p4_interpreter.limits import check_action
from p4_interpreter.scope import Code, Scope, Variables, is_struct
from p4_interpreter.syntax import refuse


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: object
    direction: str | None

    @property
    def comes_in(self):
        return self.direction != "out"

    @property
    def goes_out(self):
        return self.direction in ("out", "inout")


def parameters_of(tree, scope):
    return [
        Parameter(str(one.children[2]), kind_of(one.children[1], scope), one.children[0] and str(one.children[0]))
        for one in arguments_of(tree)
    ]


def compiled_block(tree, variables):
    """`variables`: storage for the block's declarations."""
    steps = tuple(statement(child, variables) for child in tree.children)

    def run():
        for step in steps:
            step()

    return run


def statement(tree, variables):
    compile_this = {"assignment": assignment, "call_statement": call_statement, "variable": variable,
                    "conditional": conditional}.get(tree.data)  # fmt: skip
    return compile_this(tree, variables) if compile_this else refuse(tree, "unknown statement")


def assignment(tree, variables):
    target = compiled(tree.children[0], variables.scope)
    if target.assign is None or is_struct(target.kind):
        return refuse(tree, "to what cannot be assigned to")
    assign, value = target.assign, compiled_as(target.kind, tree.children[1], variables.scope).run
    return lambda: assign(value())


def call_statement(tree, variables):
    code = compiled(tree.children[0], variables.scope)
    return code.run


def variable(tree, variables):
    kind, name = kind_of(tree.children[0], variables.scope), str(tree.children[1])
    value = compiled_as(kind, tree.children[2], variables.scope).run
    variables.declare(name, kind)
    assign = variables.scope.find(name).assign
    return lambda: assign(value())


def conditional(tree, variables):
    holds = condition(tree.children[0], variables.scope).run
    branches = [branch(child, variables) for child in tree.children[1:] if child is not None]
    then, otherwise = branches if len(branches) == 2 else (*branches, lambda: None)

    def run():
        if holds():
            then()
        else:
            otherwise()

    return run


def branch(tree, variables):
    inner = Variables(Scope(variables.scope))
    return compiled_block(tree, inner) if tree.data == "block" else conditional(tree, inner)


class Action:
    """An action. Its parameters have no direction: they come from a table entry or from another
    action's call."""

    def __init__(self, tree, scope):
        self.name = str(tree.children[0])
        self.parameters = parameters_of(tree.children[1], scope)
        variables = Variables(Scope(scope))
        for parameter in self.parameters:
            if parameter.direction:
                refuse(tree, f"a parameter with direction {parameter.direction}")
            variables.declare(parameter.name, parameter.kind, writable=False)
        check_action(tree, tree.children[2], scope)
        self.data = variables.values
        self.body = compiled_block(tree.children[2], variables)

    def run(self, values):
        for parameter, value in zip(self.parameters, values, strict=True):
            self.data[parameter.name] = value
        self.body()

    def bound(self, tree, arguments, scope):
        """The arguments of a call, compiled."""
        if len(arguments) != len(self.parameters):
            return refuse(tree, f"{len(arguments)} arguments for {self.name}")
        return [compiled_as(one.kind, argument, scope) for one, argument in zip(self.parameters, arguments, strict=True)]

    def compile_invocation(self, tree, arguments, scope):
        values = [code.run for code in self.bound(tree, arguments, scope)]
        return Code(Void(), lambda: self.run([value() for value in values]))


class Maximum:
    """The function max of the architecture."""

    def compile_invocation(self, tree, arguments, scope):
        left, right = (compiled(argument, scope) for argument in arguments)
        right = fitted(left.kind, right, tree)
        one, other = left.run, right.run
        return Code(left.kind, lambda: max(one(), other()))

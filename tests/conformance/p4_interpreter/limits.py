# SPDX-License-Identifier: BSD-3-Clause
"""Texts that the compiler refuses for Tofino 1, because the chip has no unit for them."""

import lark
from p4_interpreter.expressions import COMPARISONS, SATURATING, WRAPPING, compiled
from p4_interpreter.kinds import Integer
from p4_interpreter.scope import Code
from p4_interpreter.syntax import Refused, refuse
from p4_interpreter.tables import path_of

ALU_COMPARISONS = 2
ALU_INPUTS = 2  # words of a packet
ALU_CONSTANTS = range(-(2**31) + 1, 2**31)
OPERATIONS = {*WRAPPING, *SATURATING}


def check_register_action(tree, body, scope, own):
    """`scope`: outside of the action. `own`: names of the cell and the result."""
    compared = sum(1 for _ in body.find_pred(lambda one: one.data in COMPARISONS))
    if compared > ALU_COMPARISONS:
        refuse(tree, f"{compared} comparisons; a stateful ALU makes {ALU_COMPARISONS}")
    inputs = {path for path, code in fields_in(body, scope, own) if code.known is None}
    if len(inputs) > ALU_INPUTS:
        refuse(tree, f"reads {', '.join(sorted(inputs))}; a stateful ALU reads {ALU_INPUTS} fields of a packet")
    for number in constants_in(body, scope, own):
        if number not in ALU_CONSTANTS:
            refuse(tree, f"{number}; constants of a stateful ALU are {ALU_CONSTANTS[0]} to {ALU_CONSTANTS[-1]}")


def check_action(tree, body, scope):
    """An action of a table computes a field from two operands."""
    for assignment in body.find_data("assignment"):
        operations = [one for one in assignment.children[1].iter_subtrees() if one.data in OPERATIONS and not is_constant(one, scope)]
        if len(operations) > 1:
            refuse(tree, f"{len(operations)} operations for one field; an action makes one")


def check_state(tree, scope):
    """A state of a parser sets fields only from headers that it extracts."""
    extracted = [path_of(call.children[1].children[0]) for call in tree.find_data("call") if is_extraction(call)]
    for assignment in tree.find_data("assignment"):
        for path, code in fields_in(assignment.children[1], scope, ()):
            if code.known is None and path.count(".") > 1 and not any(path.startswith(f"{one}.") for one in extracted):
                refuse(tree, f"{path} is not of a header that the state extracts")


def is_extraction(call):
    callee = call.children[0]
    return callee.data == "member" and callee.children[1] == "extract"


def is_constant(tree, scope):
    try:
        return compiled(tree, scope).known is not None
    except Refused:  # a name of the action's own
        return False


def fields_in(tree, scope, own):
    """By path: the values that the block reads and that are defined outside of it."""
    if tree.data in ("name", "member"):
        path = path_of(tree)
        if path.partition(".")[0] not in own and isinstance(code := found(path, tree, scope), Code):
            yield path, code
        return
    for child in tree.children:
        if isinstance(child, lark.Tree):
            yield from fields_in(child, scope, own)


def found(path, tree, scope):
    first = scope.find(path.partition(".")[0])
    return compiled(tree, scope) if isinstance(first, Code) else first


def constants_in(tree, scope, own):
    """The constants that the block computes with, with their signs."""
    if tree.data == "negate":
        yield -compiled(tree.children[0], scope).known
        return
    if tree.data == "number":
        yield int(tree.children[0], 0)
        return
    if tree.data in ("name", "member"):
        for _, code in fields_in(tree, scope, own):
            if code.known is not None and code.kind != Integer():
                yield code.known
        return
    for child in tree.children:
        if isinstance(child, lark.Tree):
            yield from constants_in(child, scope, own)

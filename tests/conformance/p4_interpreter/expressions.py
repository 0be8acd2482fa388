# SPDX-License-Identifier: BSD-3-Clause
"""Compiles expressions to closures. Widths are exact: as in P4, operands of different widths are
rejected."""

import operator

from p4_interpreter.kinds import Bits, Bool, HeaderKind, Integer, Sequence, Void
from p4_interpreter.scope import Code, constant, is_struct
from p4_interpreter.syntax import refuse

WRAPPING = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "bit_or": operator.or_, "bit_and": operator.and_, "bit_xor": operator.xor,
}  # fmt: skip
SATURATING = {"add_saturating": operator.add, "subtract_saturating": operator.sub}
CONTAINERS = (8, 16, 32)  # bits
COMPARISONS = {
    "equal": operator.eq, "unequal": operator.ne, "less": operator.lt, "greater": operator.gt,
    "at_most": operator.le, "at_least": operator.ge,
}  # fmt: skip


def kind_of(tree, scope):
    """The type that a tree denotes."""
    if tree.data in ("bits", "signed_bits"):
        return Bits(known(tree.children[0], scope), signed=tree.data == "signed_bits")
    if tree.data == "named":
        return scope.find(str(tree.children[0]))
    simple = {"integer": Integer(), "bool": Bool()}
    return simple[tree.data] if tree.data in simple else refuse(tree, "unknown type")


def known(tree, scope):
    """The value of a constant expression."""
    code = compiled(tree, scope)
    return refuse(tree, "not a constant") if code.known is None else code.known


def compiled(tree, scope):
    """A value that an action can move into a field."""
    if tree.data in CONDITIONS:
        return refuse(tree, "the result of a condition, which no action can move into a field; allowed: in `if`")
    compile_this = COMPILERS.get(tree.data)
    return compile_this(tree, scope) if compile_this else refuse(tree, "unknown expression")


def condition(tree, scope):
    """The condition of an `if` or another statement."""
    compile_this = CONDITIONS.get(tree.data)
    return compile_this(tree, scope) if compile_this else compiled_as(Bool(), tree, scope)


def compiled_as(kind, tree, scope):
    """An expression that must have this kind."""
    return fitted(kind, compiled(tree, scope), tree)


def fitted(kind, code, tree):
    if code.kind == kind:
        return code
    if isinstance(kind, Bits) and code.kind == Integer():
        return constant(kind, code.known) if kind.holds(code.known) else refuse(tree, f"{code.known} does not fit {kind}")
    return refuse(tree, f"{code.kind} where {kind} is asked for")


def pair(tree, scope):
    """Both operands, which must have the same kind."""
    left, right = (compiled(child, scope) for child in tree.children)
    if left.kind == Integer():
        return fitted(right.kind, left, tree), right
    return left, fitted(left.kind, right, tree)


def computed(kind, compute, *operands):
    if all(operand.known is not None for operand in operands):
        return constant(kind, compute(*(operand.known for operand in operands)))
    if len(operands) == 1:
        (only,) = (operand.run for operand in operands)
        return Code(kind, lambda: compute(only()))
    left, right = (operand.run for operand in operands)
    return Code(kind, lambda: compute(left(), right()))


def arithmetic(tree, scope):
    left, right = pair(tree, scope)
    kind, compute = left.kind, WRAPPING[tree.data]
    if kind == Integer():
        return computed(kind, compute, left, right)
    if not isinstance(kind, Bits):
        return refuse(tree, f"of {kind}")
    wrap = kind.wrap
    return computed(kind, lambda a, b: wrap(compute(a, b)), left, right)


def saturating(tree, scope):
    left, right = pair(tree, scope)
    if left.kind.width not in CONTAINERS:
        return refuse(tree, f"of {left.kind}, which fills no container, so that the chip does not saturate it")
    compute, saturate = SATURATING[tree.data], left.kind.saturate
    return computed(left.kind, lambda a, b: saturate(compute(a, b)), left, right)


def comparison(tree, scope):
    left, right = pair(tree, scope)
    if not isinstance(left.kind, Bits | Integer | Bool):
        return refuse(tree, f"of {left.kind}")
    return computed(Bool(), COMPARISONS[tree.data], left, right)


def shift_left(tree, scope):
    left, right = (compiled(child, scope) for child in tree.children)
    if {left.kind, right.kind} != {Integer()}:
        return refuse(tree, "not of constants")
    return computed(Integer(), operator.lshift, left, right)


def concatenate(tree, scope):
    left, right = (compiled(child, scope) for child in tree.children)
    for side in (left, right):
        if not isinstance(side.kind, Bits) or side.kind.signed:
            return refuse(tree, f"of {side.kind}")
    width = right.kind.width
    return computed(Bits(left.kind.width + width), lambda a, b: a << width | b, left, right)


def logical(tree, scope):
    left, right = (condition(child, scope).run for child in tree.children)
    if tree.data == "logical_and":
        return Code(Bool(), lambda: left() and right())
    return Code(Bool(), lambda: left() or right())


def logical_not(tree, scope):
    return computed(Bool(), operator.not_, condition(tree.children[0], scope))


def complement(tree, scope):
    code = compiled(tree.children[0], scope)
    if not isinstance(code.kind, Bits):
        return refuse(tree, f"of {code.kind}")
    wrap = code.kind.wrap
    return computed(code.kind, lambda a: wrap(~a), code)


def negate(tree, scope):
    code = compiled(tree.children[0], scope)
    if code.kind != Integer():
        return refuse(tree, "not of a literal")
    return constant(Integer(), -code.known)


def cast(tree, scope):
    """Casts change the width or the signedness, not both at once."""
    kind, code = kind_of(tree.children[0], scope), compiled(tree.children[1], scope)
    plain = isinstance(code.kind, Bits) and (code.kind.width == kind.width or code.kind.signed == kind.signed)
    if code.kind != Integer() and not plain:
        return refuse(tree, f"from {code.kind} to {kind}")
    return computed(kind, kind.wrap, code)


def number(tree, _scope):
    return constant(Integer(), int(tree.children[0], 0))


def name(tree, scope):
    meaning = scope.find(str(tree.children[0]))
    return meaning if isinstance(meaning, Code) else refuse(tree, f"{tree.children[0]} is no value")


def member(tree, scope):
    base, field = compiled(tree.children[0], scope), str(tree.children[1])
    kind = base.kind.kind_of(field) if is_struct(base.kind) else None
    if kind is None:
        return refuse(tree, f"{base.kind} has no {field}")
    fields = base.run

    def assign(value):
        fields()[field] = value

    return Code(kind, lambda: fields()[field], assign=assign if base.assign else None)


def slice_(tree, scope):
    base = compiled(tree.children[0], scope)
    high, low = (known(child, scope) for child in tree.children[1:])
    if not isinstance(base.kind, Bits) or not 0 <= low <= high < base.kind.width:
        return refuse(tree, f"bits {high} to {low} of {base.kind}")
    kind = Bits(high - low + 1)
    return computed(kind, lambda a: a >> low & kind.highest, base)


def list_(tree, scope):
    return Code(Sequence(tuple(compiled(child, scope) for child in arguments_of(tree.children[0]))), None)


def arguments_of(tree):
    return [child for child in tree.children if child is not None]


def call(tree, scope):
    callee, arguments = tree.children[0], arguments_of(tree.children[1])
    if callee.data == "name":
        return scope.find(str(callee.children[0])).compile_invocation(tree, arguments, scope)
    if callee.data != "member":
        return refuse(tree, "of what is no name")
    base, method = callee.children[0], str(callee.children[1])
    if base.data == "name" and not isinstance(found := scope.find(str(base.children[0])), Code):
        return found.compile_call(tree, method, arguments, scope)
    return of_header(tree, compiled(base, scope), method, arguments)


def of_header(tree, code, method, arguments):
    if not isinstance(code.kind, HeaderKind) or arguments:
        return refuse(tree, f"{method} of {code.kind}")
    header = code.run
    if method == "isValid":
        return Code(Bool(), lambda: header().valid)
    if method not in ("setValid", "setInvalid") or not code.assign:
        return refuse(tree, f"{method} of a header")
    valid = method == "setValid"

    def set_validity():
        header().valid = valid

    return Code(Void(), set_validity)


def lookahead(tree, scope):
    packet = scope.find(str(tree.children[0].children[0]))
    return packet.compile_lookahead(tree, kind_of(tree.children[1], scope))


CONDITIONS = (
    dict.fromkeys(COMPARISONS, comparison)
    | dict.fromkeys(("logical_and", "logical_or"), logical)
    | {"logical_not": logical_not}
)
COMPILERS = (
    dict.fromkeys(WRAPPING, arithmetic)
    | dict.fromkeys(SATURATING, saturating)
    | {"slice": slice_, "list": list_}
    | {one.__name__: one for one in (shift_left, concatenate, complement, negate, cast, number, name, member, call,
                                     lookahead)}
)  # fmt: skip


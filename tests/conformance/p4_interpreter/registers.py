# SPDX-License-Identifier: BSD-3-Clause
"""Register arrays and the actions of their stateful ALUs. A packet may touch an array once per
pass."""

from p4_interpreter.expressions import compiled, compiled_as, fitted, known
from p4_interpreter.kinds import Sequence, Void
from p4_interpreter.limits import check_register_action
from p4_interpreter.scope import Code, Scope, Variables, is_struct
from p4_interpreter.statements import compiled_block, parameters_of
from p4_interpreter.syntax import Refused, refuse


class Register:
    def __init__(self, tree, types, arguments, scope, device, path):
        self.path, self.device = path, device
        self.kind, self.index = types
        self.size = known(arguments[0], scope)
        self.initial = self.initially(tree, arguments[1:], scope)
        self.cells = {}
        self.actions = 0

    def initially(self, tree, arguments, scope):
        if not arguments:
            return dict.fromkeys(dict(self.kind.fields), 0) if is_struct(self.kind) else 0
        code = compiled(arguments[0], scope)
        if not is_struct(self.kind):
            return fitted(self.kind, code, tree).known
        if not isinstance(code.kind, Sequence):
            return refuse(tree, "no list of fields")
        pairs = zip(self.kind.fields, code.kind.elements, strict=True)
        return {name: fitted(kind, element, tree).known for (name, kind), element in pairs}

    def write(self, indices, content):
        """`indices`: a range. `content`: values by field; a plain cell has the field f1, as in
        BfRt."""
        content = content if is_struct(self.kind) else content["f1"]
        if len(indices) == self.size:
            self.cells, self.initial = {}, content
            return
        self.check(indices[0])
        self.check(indices[-1])
        self.cells |= dict.fromkeys(indices, content)

    def cell(self, index):
        """The content of a cell by field."""
        self.check(index)
        found = self.cells.get(index, self.initial)
        return dict(found) if is_struct(self.kind) else {"f1": found}

    def check(self, index):
        if not 0 <= index < self.size:
            raise Refused(f"{self.path}: index {index}, size {self.size}")

    def touch(self, index):
        """The cell at an index. Allowed once per pass."""
        self.check(index)
        self.device.touch(self.path)
        found = self.cells.get(index, self.initial)
        return dict(found) if is_struct(self.kind) else found


class RegisterAction:
    """Runs its function on the cell that `execute` names. The first parameter is written back to
    the cell, the second parameter is the result."""

    def __init__(self, tree, types, arguments, scope, _device, _path):
        if tree.children[4] is None:
            refuse(tree, "without a function")
        self.register = scope.find(str(arguments[0].children[0]))
        _, name, parameters, body = (None, *tree.children[4].children)
        if types[:2] != [self.register.kind, self.register.index] or name != "apply":
            refuse(tree, "is of another register or function")
        variables = Variables(Scope(scope))
        found = parameters_of(parameters, scope)
        if [one.direction for one in found] not in (["inout"], ["inout", "out"]) or found[0].kind != self.register.kind:
            refuse(tree, "other parameters than a cell and a result")
        for parameter in found:
            variables.declare(parameter.name, parameter.kind)
        check_register_action(tree, body, scope, [one.name for one in found])
        self.cell, self.result = found[0].name, found[1].name if len(found) > 1 else None
        self.kind = types[2] if self.result else Void()
        if self.result and found[1].kind != types[2]:
            refuse(tree, "another result")
        self.values = variables.values
        self.body = compiled_block(body, variables)
        self.register.actions += 1

    def compile_call(self, tree, method, arguments, scope):
        if method != "execute":
            return refuse(tree, f"{method} of a RegisterAction")
        index = compiled_as(self.register.index, arguments[0], scope).run
        return Code(self.kind, lambda: self.execute(index()))

    def execute(self, index):
        values = self.values
        values[self.cell] = self.register.touch(index)
        if self.result:
            values[self.result] = None
        self.body()
        self.register.cells[index] = values[self.cell]
        return values[self.result] if self.result else None


class MathUnit:
    """Divides by a power of two. It sees only the four most significant bits of a number, like
    the table that the compiler generates to halve numbers."""

    SEEN_BITS = 4

    def __init__(self, tree, types, arguments, scope, _device, _path):
        operation = arguments[0]
        factor = [known(argument, scope) for argument in arguments[1:]]
        is_multiplication = operation.data == "member" and operation.children[1] == "MUL"
        if not is_multiplication or len(factor) != 2 or factor[0] != 1 or factor[1].bit_count() != 1:
            refuse(tree, "other than MUL by one over a power of two")
        self.divisor = factor[1]
        self.kind = types[0]

    def compile_call(self, tree, method, arguments, scope):
        if method != "execute":
            return refuse(tree, f"{method} of a MathUnit")
        number = compiled_as(self.kind, arguments[0], scope).run
        return Code(self.kind, lambda: self.execute(number()))

    def execute(self, number):
        unseen = max(number.bit_length() - self.SEEN_BITS, 0)
        return (number >> unseen << unseen) // self.divisor

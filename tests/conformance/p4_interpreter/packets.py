# SPDX-License-Identifier: BSD-3-Clause
"""Packets in parsers and deparsers, their checksums, and the data of a resubmission."""

import struct

from p4_interpreter.expressions import compiled, known
from p4_interpreter.kinds import Bits, Bool, Header, HeaderKind, Sequence, Void
from p4_interpreter.scope import Code, is_struct
from p4_interpreter.syntax import Refused, refuse


class PacketTooShort(Exception):
    pass


def ones_complement_sum(data):
    """RFC 1071."""
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def only(tree, arguments):
    return arguments[0] if len(arguments) == 1 else refuse(tree, f"{len(arguments)} arguments")


class PacketIn:
    def __init__(self):
        self.data, self.at = b"", 0

    def begin(self, data):
        self.data, self.at = data, 0

    def payload(self):
        """The rest of the packet after the parser."""
        return self.data[self.at :]

    def peek(self, bits):
        end = self.at + bits // 8
        if bits % 8:
            raise Refused(f"{bits} bits of a packet")
        if end > len(self.data):
            raise PacketTooShort
        return self.data[self.at : end]

    def compile_call(self, tree, method, arguments, scope):
        argument = only(tree, arguments)
        if method == "advance":
            bits = known(argument, scope)
            return Code(Void(), lambda: self.advance(bits))
        target = compiled(argument, scope)
        if method != "extract" or not isinstance(target.kind, HeaderKind) or not target.assign:
            return refuse(tree, f"{method} of a packet")
        kind, header = target.kind, target.run

        def extract():
            found = header()
            found.update(kind.unpack(self.peek(kind.bits)))
            found.valid = True
            self.advance(kind.bits)

        return Code(Void(), extract)

    def advance(self, bits):
        self.at += len(self.peek(bits))

    def compile_lookahead(self, tree, kind):
        if isinstance(kind, HeaderKind):
            return Code(kind, lambda: Header(kind, kind.unpack(self.peek(kind.bits)), valid=True))
        if not isinstance(kind, Bits) or kind.signed:
            return refuse(tree, f"of {kind}")
        return Code(kind, lambda: int.from_bytes(self.peek(kind.width), "big"))


class PacketOut:
    def __init__(self):
        self.data = b""

    def compile_call(self, tree, method, arguments, scope):
        code = compiled(only(tree, arguments), scope)
        if method != "emit" or not is_struct(code.kind):
            return refuse(tree, f"{method} of a packet")
        value = code.run
        return Code(Void(), lambda: self.emit(value()))

    def emit(self, value):
        headers = [value] if isinstance(value, Header) else value.values()
        for header in headers:
            if header.valid:
                self.data += header.kind.pack(header)


class Resubmit:
    """The deparser's extern. The packet enters again with this header in front."""

    def __init__(self, _tree, _types, _arguments, _scope, device, _path):
        self.device = device

    def compile_call(self, tree, method, arguments, scope):
        code = compiled(only(tree, arguments), scope)
        if method != "emit" or not isinstance(code.kind, HeaderKind) or code.kind.bits != self.device.RESUBMITTED_BITS:
            return refuse(tree, f"{method} of {code.kind}")
        header = code.run

        def emit():
            if not header().valid:
                raise Refused("resubmits a header that is not valid")
            self.device.resubmitted = code.kind.pack(header())

        return Code(Void(), emit)


class Checksum:
    """Sums up in a parser. `verify` returns whether the checksum is wrong: the sum including it is
    not 0xffff."""

    def __init__(self, _tree, _types, _arguments, _scope, device, _path):
        self.added = b""
        device.every_pass.append(self.begin)

    def begin(self):
        self.added = b""

    def compile_call(self, tree, method, arguments, scope):
        compile_this = {"add": self.compile_add, "verify": self.compile_verify, "update": self.compile_update}.get(method)
        return compile_this(tree, arguments, scope) if compile_this else refuse(tree, f"{method} of a checksum")

    def compile_add(self, tree, arguments, scope):
        code = compiled(only(tree, arguments), scope)
        if not isinstance(code.kind, HeaderKind):
            return refuse(tree, f"of {code.kind}")
        header = code.run

        def add():
            self.added += code.kind.pack(header())

        return Code(Void(), add)

    def compile_verify(self, tree, arguments, _scope):
        if arguments:
            return refuse(tree, "arguments")
        return Code(Bool(), lambda: ones_complement_sum(self.added) != 0xFFFF)

    def compile_update(self, tree, arguments, scope):
        code = compiled(only(tree, arguments), scope)
        if not isinstance(code.kind, Sequence):
            return refuse(tree, f"of {code.kind}")
        kind = HeaderKind("checked", tuple((str(i), one.kind) for i, one in enumerate(code.kind.elements)))
        if kind.bits % 16:
            return refuse(tree, f"of {kind.bits} bits")
        runs = [one.run for one in code.kind.elements]

        def update():
            data = kind.pack({str(i): run() for i, run in enumerate(runs)})
            return 0xFFFF - ones_complement_sum(data)

        return Code(Bits(16), update)

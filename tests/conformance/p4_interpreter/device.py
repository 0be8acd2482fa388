# SPDX-License-Identifier: BSD-3-Clause
"""A Tofino that runs a program. It has one pipe and processes one packet at a time.

A pass consists of ingress parser, ingress, ingress deparser and traffic manager, and of egress for
each packet that leaves.
"""

import random
from collections import deque
from dataclasses import dataclass

from p4_interpreter.kinds import Bits, Header, HeaderKind
from p4_interpreter.packets import PacketTooShort
from p4_interpreter.program import Program
from p4_interpreter.scope import is_struct
from p4_interpreter.syntax import Refused

NS_OF_US = 1000
RECIRCULATION_PORT = 68
PORT_OF_PIPE = 0x7F
MOST_PASSES = 8  # per packet; more passes are taken for a loop
DROP = 1  # bit of drop_ctl that drops the unicast copy


def is_recirculation_port(port):
    """Whether the port is a pipe's own, which leads back into the pipe."""
    return port & PORT_OF_PIPE == RECIRCULATION_PORT


@dataclass(frozen=True)
class Pass:
    """A packet before the ingress parser. `resubmitted`: data from the pass that resubmitted it, or the
    model's number of the packet."""

    port: int
    frame: bytes
    at_us: int
    resubmitted: bytes | int | None = None


@dataclass(frozen=True, order=True)
class Left:
    """A packet after the egress deparser."""

    port: int
    frame: bytes


class PassByPass:
    """A switch with `one_pass(came)`, which returns the further passes of a packet and those that left."""

    def send(self, port, frame, at_us):
        """Runs all passes of a packet and returns everything that leaves. `further_passes` records
        the passes after the first."""
        waiting, left, self.further_passes = deque([Pass(port, frame, at_us)]), [], []
        while waiting:
            results = self.one_pass(waiting.popleft())
            again = [one for one in results if isinstance(one, Pass)]
            left += [one for one in results if isinstance(one, Left)]
            waiting += again
            self.further_passes += again
            if len(self.further_passes) >= MOST_PASSES:
                raise Refused(f"{1 + len(self.further_passes)} passes of one packet")
        return left


class Device(PassByPass):
    """`queue_cells`: depth of every egress queue. `seed`: random bits for fields of invalid headers
    and other undefined memory."""

    RESUBMITTED_BITS = 64

    def __init__(self, source, queue_cells=0, seed=0):
        self.random = random.Random(seed)
        self.queue_cells = queue_cells
        self.every_pass = []
        self.touched, self.resubmitted = set(), None
        self.further_passes = []
        self.groups, self.nodes = {}, {}
        self.looped = set()  # front ports in loopback
        self.program = Program(source, self)
        if not self.program.is_complete:
            raise Refused("no switch with a pipeline")

    # The control plane.

    def load(self, entries):
        """Loads the entries of hw/p4/control into empty tables."""
        for table in [*self.program.tables.values(), *self.program.value_sets.values()]:
            table.clear()
        self.groups, self.nodes, self.looped = {}, {}, set()
        for entry in entries:
            self.load_one(entry)

    def load_one(self, entry):
        name = entry.table.name
        if name in self.program.tables:
            self.program.tables[name].install(entry.key, entry.action, entry.data)
        elif name in self.program.value_sets:
            self.program.value_sets[name].install(entry.key)
        elif name in self.program.registers:
            self.load_cells(self.program.registers[name], entry)
        elif name == "$pre.node":
            self.nodes[entry.key["$MULTICAST_NODE_ID"].value] = entry.data["$DEV_PORT"]
        elif name == "$pre.mgid":
            self.groups[entry.key["$MGID"].value] = entry.data["$MULTICAST_NODE_ID"]
        elif name != "$PORT":
            raise Refused(f"no table {name}")
        elif "$LOOPBACK_MODE" in entry.data:
            self.looped.add(entry.key["$DEV_PORT"].value)

    @staticmethod
    def load_cells(register, entry):
        cells = entry.key["$REGISTER_INDEX"]
        content = {name.rpartition(".")[2]: value for name, value in entry.data.items()}
        register.write(range(cells.first, cells.first + cells.count), content)

    def cell(self, array, index):
        """The cell by field, with the names of the BfRt schema. Signed values are given as bits."""
        register = self.program.registers[array]
        fields = dict(register.kind.fields) if is_struct(register.kind) else {"f1": register.kind}
        path = array.removeprefix("pipe.")
        return {f"{path}.{name}": Bits(fields[name].width).wrap(value) for name, value in register.cell(index).items()}

    # Packets.

    def one_pass(self, came):
        """Runs one pass of a packet. Returns its further passes and the packets that left."""
        self.begin_pass()
        stages = self.program.stages
        headers, metadata, intrinsic = self.parameters(stages["ingress_parser"])
        parser = stages["ingress_parser"]
        try:
            accepted = parser.run(self.ingress_bytes(came, intrinsic.kind))
        except PacketTooShort:
            accepted = False
        if not accepted:
            return []
        from_parser = {"global_tstamp": came.at_us * NS_OF_US}
        for_deparser = {"drop_ctl": 0, "resubmit_type": None}
        for_tm = {"ucast_egress_port": None, "bypass_egress": 0, "mcast_grp_a": None}
        stages["ingress"].give(headers, metadata, intrinsic, from_parser, for_deparser, for_tm)
        stages["ingress"].run()
        packet = self.deparsed(stages["ingress_deparser"], headers, metadata, for_deparser) + parser.packet.payload()
        if for_deparser["drop_ctl"] & DROP:
            return []
        if self.resubmitted is not None:
            return [self.again(came)]
        return [one for port in self.ports_of(for_tm) for one in self.egress(port, packet, for_tm, came)]

    def begin_pass(self):
        self.touched.clear()
        self.resubmitted = None
        for begin in self.every_pass:
            begin()

    def touch(self, register):
        if register in self.touched:
            raise Refused(f"{register}: touched twice in one pass")
        self.touched.add(register)

    def again(self, came):
        """A packet is resubmitted as it arrived, and only once."""
        if came.resubmitted is not None:
            raise Refused("resubmitted twice")
        return Pass(came.port, came.frame, came.at_us, self.resubmitted)

    def ports_of(self, for_tm):
        """The copies that the traffic manager makes."""
        unicast, group = for_tm["ucast_egress_port"], for_tm["mcast_grp_a"]
        ports = [] if unicast is None else [unicast]
        if group:
            if group not in self.groups:
                raise Refused(f"no multicast group {group}")
            ports += [port for node in self.groups[group] for port in self.nodes[node]]
        return ports

    def egress(self, port, packet, for_tm, came):
        if not for_tm["bypass_egress"]:
            packet = self.through_egress(port, packet)
        if packet is None:
            return []
        if not is_recirculation_port(port) and port not in self.looped:
            return [Left(port, packet)]
        if port & ~PORT_OF_PIPE != came.port & ~PORT_OF_PIPE:
            raise Refused(f"recirculated from port {came.port} to another pipe's registers, by port {port}")
        return [Pass(port, packet, came.at_us)]

    def through_egress(self, port, packet):
        """Runs the egress. Returns None if the packet is dropped."""
        self.begin_pass()
        stages = self.program.stages
        parser = stages["egress_parser"]
        headers, metadata, intrinsic = self.parameters(parser)
        kind = intrinsic.kind
        known = {"egress_port": port, "deq_qdepth": self.queue_cells}
        try:
            accepted = parser.run(kind.pack(self.guessed(kind) | known) + packet)
        except PacketTooShort:
            accepted = False
        if not accepted:
            raise Refused("rejected by the egress parser")
        for_deparser = {"drop_ctl": 0}
        stages["egress"].give(headers, metadata, intrinsic, {}, for_deparser, {})
        stages["egress"].run()
        packet = self.deparsed(stages["egress_deparser"], headers, metadata, for_deparser) + parser.packet.payload()
        return None if for_deparser["drop_ctl"] & DROP else packet

    @staticmethod
    def deparsed(deparser, headers, metadata, for_deparser):
        deparser.packet.data = b""
        deparser.give(headers, metadata, for_deparser)
        deparser.run()
        return deparser.packet.data

    def ingress_bytes(self, came, kind):
        """The intrinsic header, followed by the port's metadata or the resubmitted data."""
        is_resubmitted = came.resubmitted is not None
        tstamp = came.at_us * NS_OF_US
        known = {"resubmit_flag": int(is_resubmitted), "ingress_port": came.port, "ingress_mac_tstamp": tstamp}
        behind = came.resubmitted or self.garbage(self.RESUBMITTED_BITS).to_bytes(self.RESUBMITTED_BITS // 8, "big")
        return kind.pack(self.guessed(kind) | known) + behind + came.frame

    # Input of a pass.

    def parameters(self, parser):
        """Headers, metadata and intrinsic metadata before a parser."""
        kinds = [one.kind for one in parser.parameters if is_struct(one.kind)]
        values = [self.fresh(kind) for kind in kinds]
        parser.give(*values)
        return values

    def fresh(self, kind):
        if isinstance(kind, HeaderKind):
            return Header(kind, self.guessed(kind), valid=False)
        if is_struct(kind):
            return {name: self.fresh(of) for name, of in kind.fields}
        width = kind.width if isinstance(kind, Bits) else 1
        number = 0 if self.program.metadata_is_zero else self.garbage(width)
        return number if isinstance(kind, Bits) else bool(number)

    def guessed(self, kind):
        return {name: self.garbage(of.width) for name, of in kind.fields}

    def garbage(self, width):
        return self.random.getrandbits(width)

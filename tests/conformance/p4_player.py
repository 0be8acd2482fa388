# SPDX-License-Identifier: BSD-3-Clause
"""Plays golden traces to the P4 programs, which p4_interpreter or the vendor's model executes."""

from dataclasses import dataclass, replace

from frames import with_traffic_class
from p4_interpreter.device import Device, Left, Pass

from hw.p4.control import looping, program_text
from hw.p4.control.cabling import PORTS_OF_PIPE, Plug, Registrar
from hw.p4.control.cluster import ECN_THRESHOLD_CELLS
from hw.p4.control.loading import entries_of
from hw.p4.ptf.cells import cells_of
from hw.p4.ptf.golden_trace import frame_in, frame_out, receivers

CONGESTED = 3
FLAGS = 35  # offset in frames of ATP and DSA


@dataclass(frozen=True)
class Setting:
    """The port of host 0, the depth of all egress queues, the seed of undefined memory, and the ports
    in loopback."""

    first_port: int
    queue_cells: int
    seed: int
    looped: tuple = ()

    @property
    def marks(self):
        return self.queue_cells >= ECN_THRESHOLD_CELLS


LOOPED = (3 * PORTS_OF_PIPE + 120, 3 * PORTS_OF_PIPE + 124)
SETTINGS = (
    Setting(first_port=8, queue_cells=ECN_THRESHOLD_CELLS - 1, seed=1),
    Setting(first_port=3 * PORTS_OF_PIPE, queue_cells=ECN_THRESHOLD_CELLS, seed=2, looped=LOOPED),
)


class Player:
    """`device`: where the packets go. None: the interpreter, with the text of a program."""

    def __init__(self, source, setting=SETTINGS[0], device=None):
        self.setting = setting
        self.device = device or Device(source, setting.queue_cells, setting.seed)
        self.waiting = {}  # packets between two passes, by the step in which they came

    def port_of(self, host):
        return self.setting.first_port + host

    def plug_of(self, host):
        return Plug(self.port_of(host), "100Gbps", "none")

    def load(self, golden_trace, registrar=None):
        """`registrar`: host number whose port is the control plane's link. None: there is no link.
        """
        link = None if registrar is None else Registrar(self.port_of(registrar), None, "")
        looped = [Plug(port, "100Gbps", "none") for port in self.setting.looped if looping.tables(golden_trace.program)]
        cluster = replace(golden_trace.cluster(self.plug_of), registrar=link, looped=tuple(looped))
        self.device.load(entries_of(cluster))

    def differences(self, golden_trace):
        """Yields the differences between the program and the golden trace, packet by packet."""
        self.load(golden_trace)
        for number, step in enumerate(golden_trace.steps):
            for difference in self.differences_of_step(golden_trace, number, step):
                yield f"{golden_trace.name}, step {number}: {step['says']}: {difference}"

    def differences_of_step(self, golden_trace, number, step):
        if golden_trace.separate:
            left = self.one_pass(number, step)
        else:
            left = self.send(step["ingress"], frame_in(step), step["at_us"])
        expected = [(host, self.marked(golden_trace.system, frame_out(step))) for host in receivers(step)]
        yield from self.difference(left, expected)
        yield from self.difference_of_passes(step)
        for array, index, fields in cells_of(golden_trace, step):
            found = self.device.cell(array, index)
            for name, value in fields.items():
                if found[name] != value:
                    yield f"{name}[{index}] is {found[name]:#x} instead of {value:#x}"

    def difference_of_passes(self, step):
        """Compares the number of further passes, which some handwritten golden traces do not specify."""
        resubmits = sum(one.resubmitted is not None for one in self.device.further_passes)
        found = [resubmits, len(self.device.further_passes) - resubmits]
        expected = step.get("further_passes", found)
        if found != expected:
            yield f"resubmitted and recirculated {found} times instead of {expected}"

    def send(self, host, frame, at_us=0):
        return self.device.send(self.port_of(host), frame, at_us)

    def one_pass(self, number, step):
        """Runs one pass of the packet that arrives, or of the one that arrived in step `pass_of`."""
        number = step.get("pass_of", number)
        if "pass_of" in step:
            came = self.waiting.pop(number, None)
        else:
            came = Pass(self.port_of(step["ingress"]), frame_in(step), step["at_us"])
        results = self.device.one_pass(came) if came else []
        self.device.further_passes = [one for one in results if isinstance(one, Pass)]
        self.waiting |= {number: one for one in self.device.further_passes}
        return [one for one in results if isinstance(one, Left)]

    def difference(self, left, expected):
        """Compares the packets that left with the expected ones. Copies may leave in any order."""
        expected = [Left(self.port_of(host), frame) for host, frame in expected]
        if sorted(left) != sorted(expected):
            yield f"leaves {shown(left)} instead of {shown(expected)}"

    def marked(self, system, frame):
        """The frame after the egress, which marks it if the queue is long."""
        if not self.setting.marks:
            return frame
        marked = with_traffic_class(frame, CONGESTED)
        if system == "switchml":
            return marked
        return marked[:FLAGS] + bytes([marked[FLAGS] | program_text.shared("FLAG_ECN")]) + marked[FLAGS + 1 :]


def shown(left):
    return [f"{one.frame.hex()} at port {one.port}" for one in left]

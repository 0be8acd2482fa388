# SPDX-License-Identifier: BSD-3-Clause
"""Documents a limitation in hw/p4/README.md: nothing protects an aggregator between two passes of a
packet.

These are the smallest orders of passes that show it, and the resulting sums. A program with guards
would fail these tests. They do not say whether a chip's queues allow such an order.
"""

import struct

import p4_text
import pytest
from p4_interpreter.device import Left, Pass
from p4_player import Player
from p4_traffic import CLASSES
from p4_traffic.traffic import RESULT
from golden_traces import const

HALF = 31


class Passes:
    """Packets of the jobs of random traffic, which run pass by pass."""

    def __init__(self, program):
        self.traffic = CLASSES[program](program, 0)
        self.player = Player(p4_text.preprocessed(program))
        self.player.load(self.traffic.answered("nothing", []))
        self.last = {}

    def come(self, name, packet):
        """Runs the first pass of a packet."""
        frame = bytes.fromhex(self.traffic.step_of(0, 0, packet["source"], packet)["frame"])
        return self.one_pass(name, Pass(self.player.port_of(packet["source"]), frame, 0))

    def go_on(self, name):
        return self.one_pass(name, self.last[name])

    def one_pass(self, name, came):
        """Runs one pass. Returns the values of the packet that leaves. None: the packet takes
        another pass, or is dropped."""
        results = self.player.device.one_pass(came)
        left = [one for one in results if isinstance(one, Left)]
        if left:
            return list(struct.unpack(f">{2 * HALF}i", left[0].frame[-8 * HALF :]))
        (self.last[name],) = results or [None]
        return None

    def gradient(self, job, rank, psn, value, **fields):
        return self.traffic.gradient(job, rank, psn, 5, 0) | {"flags": 0, "values": const(value)} | fields


def halves(first, second):
    return [first] * HALF + [second] * HALF


def test_in_order_both_halves_are_right():
    for program in ("atp", "dsa"):
        passes = Passes(program)
        passes.come("first", passes.gradient("2", 0, 7, 100))
        passes.go_on("first")
        passes.come("last", passes.gradient("2", 1, 7, 11))
        assert passes.go_on("last") == halves(111, 111)


@pytest.mark.parametrize("program", ["atp", "dsa"])
def test_a_sum_lacks_the_second_half_of_a_contribution_whose_last_pass_comes_behind_it(program):
    """The first packet adds its second half in its second pass. The last packet already counts it
    in its first pass."""
    passes = Passes(program)
    passes.come("first", passes.gradient("2", 0, 7, 100))
    passes.come("last", passes.gradient("2", 1, 7, 11))
    assert passes.go_on("last") == halves(111, 11)


def test_a_task_of_dsa_that_is_complete_is_preempted_between_its_last_packets_passes():
    """The second half of the sum consists of the preemptor's value and the last packet's."""
    passes = Passes("dsa")
    passes.come("first", passes.gradient("2", 0, 7, 100, priority=1))
    passes.go_on("first")
    passes.come("last", passes.gradient("2", 1, 7, 11, priority=1))
    passes.come("preemptor", passes.gradient("0", 0, 9, 5000, priority=8))
    passes.go_on("preemptor")
    evicted = passes.go_on("preemptor")
    assert passes.go_on("last") == halves(111, 5011)
    assert evicted == halves(111, 100)


def test_a_preemptor_of_dsa_that_finds_its_victim_freed_brings_nothing_out():
    passes = Passes("dsa")
    passes.come("first", passes.gradient("2", 0, 7, 100, priority=1))
    passes.go_on("first")
    passes.come("preemptor", passes.gradient("0", 0, 9, 5000, priority=8))
    passes.come("result", passes.traffic.of_server("2", RESULT, 7, 5))
    passes.go_on("preemptor")
    assert passes.go_on("preemptor") is None
    assert passes.last["preemptor"] is None  # dropped
    tasks = passes.player.device.cell("pipe.Ingress.ownership.tasks", 5)
    assert tasks == {"Ingress.ownership.tasks.job": 0, "Ingress.ownership.tasks.psn": 9}

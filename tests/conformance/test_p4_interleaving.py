# SPDX-License-Identifier: BSD-3-Clause
"""Tests the guard of an aggregator between two passes of a packet, with the shortest orders of passes that
would give wrong sums without the guard (CORRECTNESS.md, "Passes of a packet as separate steps").

test_p4_traffic.py compares random orders with the C++. These tests state the sums themselves. They do
not show whether a chip's queues allow such an order.
"""

import struct

import p4_text
import pytest
from p4_interpreter.device import Left, Pass
from p4_player import Player
from p4_traffic import CLASSES
from p4_traffic.traffic import EXPIRY_US, REMINDER, RESULT
from golden_traces import RESEND, const

from hw.p4.control.program_text import NOBODY

HALF = 31
KIND = 34  # offset in frames


class Passes:
    """Packets of the jobs of random traffic, which run pass by pass."""

    def __init__(self, program):
        self.traffic = CLASSES[program](program, 0)
        self.player = Player(p4_text.preprocessed(program))
        self.player.load(self.traffic.answered("nothing", []))
        self.last, self.left = {}, None  # by packet: its next pass, if any; the last frame that left

    def come(self, name, packet, at_us=0):
        """Runs the first pass of a packet."""
        frame = bytes.fromhex(self.traffic.step_of(0, 0, packet["source"], packet)["frame"])
        return self.one_pass(name, Pass(self.player.port_of(packet["source"]), frame, at_us))

    def go_on(self, name):
        return self.one_pass(name, self.last[name])

    def one_pass(self, name, came):
        """Runs one pass. Returns the values of the packet that leaves. None: the packet takes
        another pass, or is dropped."""
        results = self.player.device.one_pass(came)
        left = [one for one in results if isinstance(one, Left)]
        self.last[name] = None
        if left:
            self.left = left[0]
            return list(struct.unpack(f">{2 * HALF}i", left[0].frame[-8 * HALF :]))
        if results:
            (self.last[name],) = results
        return None

    def gradient(self, job, rank, psn, value, **fields):
        return self.traffic.gradient(job, rank, psn, 5, 0) | {"flags": 0, "values": const(value)} | fields


def halves(first, second):
    return [first] * HALF + [second] * HALF


@pytest.mark.parametrize("program", ["atp", "dsa"])
def test_in_order_both_halves_are_right(program):
    passes = Passes(program)
    passes.come("first", passes.gradient("2", 0, 7, 100))
    passes.go_on("first")
    passes.come("last", passes.gradient("2", 1, 7, 11))
    assert passes.go_on("last") == halves(111, 111)


@pytest.mark.parametrize("program", ["atp", "dsa"])
def test_a_packet_whose_second_pass_comes_last_fetches_the_first_half(program):
    """The last packet has the complete first half, but the second half lacks the first packet."""
    passes = Passes(program)
    passes.come("first", passes.gradient("2", 0, 7, 100))
    passes.come("last", passes.gradient("2", 1, 7, 11))
    assert passes.go_on("last") is None
    assert passes.go_on("first") is None
    assert passes.go_on("first") == halves(111, 111)


def test_a_copy_fills_in_what_a_lost_second_pass_of_atp_left_out():
    passes = Passes("atp")
    passes.come("lost", passes.gradient("2", 0, 7, 100))
    passes.come("last", passes.gradient("2", 1, 7, 11))
    assert passes.go_on("last") is None
    passes.come("again", passes.gradient("2", 0, 7, 100))
    assert passes.go_on("again") is None
    assert passes.go_on("again") == halves(111, 111)


def after_a_loss_on_the_recirculation_port():
    """A task of DSA whose last packet has completed the first half, and is lost after that."""
    passes = Passes("dsa")
    passes.come("first", passes.gradient("2", 0, 7, 100))
    passes.go_on("first")
    passes.come("lost", passes.gradient("2", 1, 7, 11))
    return passes


def test_a_retransmission_brings_the_sum_of_dsa_that_was_lost_on_the_recirculation_port():
    passes = after_a_loss_on_the_recirculation_port()
    passes.come("again", passes.gradient("2", 1, 7, 11, flags=RESEND))
    assert passes.go_on("again") is None
    assert passes.go_on("again") == halves(111, 111)


def test_a_reminder_of_dsa_after_such_a_loss_returns_without_values():
    passes = after_a_loss_on_the_recirculation_port()
    passes.come("reminder", passes.traffic.of_server("2", REMINDER, 7, 5))
    passes.go_on("reminder")
    assert passes.left.frame[KIND] == REMINDER


def test_a_flush_of_atp_is_dropped_if_the_halves_have_different_contributors():
    passes = Passes("atp")
    passes.come("lost", passes.gradient("0", 0, 7, 100))
    passes.come("resend", passes.gradient("0", 1, 7, 11, flags=RESEND))
    assert passes.go_on("resend") is None
    assert passes.last["resend"] is None


def test_a_reminder_of_dsa_returns_without_values_if_the_halves_have_different_contributors():
    passes = Passes("dsa")
    passes.come("lost", passes.gradient("0", 0, 7, 100))
    reminder = passes.traffic.of_server("0", REMINDER, 7, 5)
    passes.come("reminder", reminder)
    passes.go_on("reminder")
    assert passes.left.frame[KIND] == REMINDER


def test_a_complete_task_of_dsa_that_is_preempted_between_its_last_packets_passes_leaves_whole():
    """Both the last packet and the preemptor bring the sum out."""
    passes = Passes("dsa")
    passes.come("first", passes.gradient("2", 0, 7, 100, priority=1))
    passes.go_on("first")
    passes.come("last", passes.gradient("2", 1, 7, 11, priority=1))
    passes.come("preemptor", passes.gradient("0", 0, 9, 5000, priority=8))
    passes.go_on("preemptor")
    assert passes.go_on("last") == halves(111, 111)
    assert passes.go_on("preemptor") == halves(111, 111)


def test_a_preemptor_of_dsa_loses_a_sum_whose_second_half_is_incomplete():
    passes = Passes("dsa")
    passes.come("first", passes.gradient("2", 0, 7, 100, priority=1))
    passes.come("preemptor", passes.gradient("0", 0, 9, 5000, priority=8))
    passes.go_on("preemptor")
    assert passes.go_on("preemptor") is None
    assert passes.go_on("first") is None
    assert passes.last == {"first": None, "preemptor": None}


def test_a_preemptor_of_dsa_that_finds_its_victim_freed_goes_to_the_server():
    """The preemptor must not reserve the aggregator, because its task may have been completed meanwhile."""
    passes = Passes("dsa")
    passes.come("first", passes.gradient("2", 0, 7, 100, priority=1))
    passes.go_on("first")
    passes.come("preemptor", passes.gradient("0", 0, 9, 5000, priority=8))
    passes.come("result", passes.traffic.of_server("2", RESULT, 7, 5))
    assert passes.go_on("preemptor") == halves(5000, 5000)
    tasks = passes.player.device.cell("pipe.Ingress.ownership.tasks", 5)
    assert tasks["Ingress.ownership.tasks.job"] == NOBODY


def test_a_result_of_atp_does_not_free_a_task_that_came_after_the_expired_one():
    passes = Passes("atp")
    passes.come("old", passes.gradient("2", 0, 7, 100))
    passes.come("result", passes.traffic.of_server("0", RESULT, 9, 5), at_us=2 * EXPIRY_US)
    passes.come("freed", passes.traffic.of_server("2", RESULT, 7, 5), at_us=2 * EXPIRY_US)
    passes.come("new", passes.gradient("2", 0, 8, 100), at_us=2 * EXPIRY_US)
    passes.go_on("result")
    tasks = passes.player.device.cell("pipe.Ingress.ownership.tasks", 5)
    assert tasks == {"Ingress.ownership.tasks.job": 2, "Ingress.ownership.tasks.psn": 8}

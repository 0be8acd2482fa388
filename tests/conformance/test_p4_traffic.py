# SPDX-License-Identifier: BSD-3-Clause
"""Random packets have the same effect in the P4 programs and in the C++ data planes.
hw/p4/README.md lists the known differences."""

from functools import cache

import p4_other_frames
import p4_text
import pytest
from p4_player import SETTINGS, Player
from p4_traffic import (
    CLASSES, GUARDED, golden_trace_of_every_bit, golden_trace_of_rare_passes, random_golden_trace,
    random_golden_trace_at, random_golden_trace_pass_by_pass,
)  # fmt: skip
from golden_traces import HIGHEST, LOWEST, const

from hw.p4.ptf.golden_trace import golden_traces

SEEDS = (1, 2)
LEVELS = ("leaf", "root")
STEPS = 1000
each_program = pytest.mark.parametrize("program", p4_text.NAMES)
# Only DSA uses these entries of shared/values.p4 and shared/second_half.p4.
NOT_MET = {
    "atp": {f"pipe.Ingress.values.value{number}.update": {5} for number in range(31)}
    | {"pipe.Ingress.second_half.contributors": {1, 2}}
}


@cache
def played(program, golden_trace_name):
    """The player of a golden trace, and its first difference or None."""
    player = Player(p4_text.preprocessed(program))
    return player, next(player.differences(golden_traces_of(program)[golden_trace_name]), None)


@cache
def golden_traces_of(program):
    """By name: handwritten golden traces, random packets, random passes, and a trace that tests
    every bit."""
    golden = {golden_trace.name: golden_trace for golden_trace in golden_traces() if golden_trace.program == program}
    levels = {level: random_golden_trace_at(level, program, SEEDS[0], STEPS) for level in LEVELS}
    seeds = {seed: random_golden_trace(program, seed, STEPS) for seed in SEEDS}
    passes = {
        pass_by_pass(level, seed): random_golden_trace_pass_by_pass(program, seed, 2 * STEPS, level)
        for level in ("only", *LEVELS)
        for seed in SEEDS
        if program in GUARDED
    }
    passes |= {"rare": golden_trace_of_rare_passes(program)} if program in GUARDED else {}
    return golden | seeds | levels | passes | {"bits": golden_trace_of_every_bit(program)}


def pass_by_pass(level, seed):
    return f"{level}, pass by pass, seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
@each_program
def test_random_packets_do_the_same(program, seed):
    print(f"seed {seed}")
    _, difference = played(program, seed)
    assert difference is None


@pytest.mark.parametrize("level", LEVELS)
@each_program
def test_random_packets_do_the_same_at_each_level(program, level):
    print(f"seed {SEEDS[0]}")
    _, difference = played(program, level)
    assert difference is None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", ("only", *LEVELS))
@pytest.mark.parametrize("program", GUARDED)
def test_random_packets_do_the_same_in_each_pass(program, level, seed):
    """Other packets come between the passes of a packet, and some packets are lost between passes."""
    print(f"seed {seed}")
    _, difference = played(program, pass_by_pass(level, seed))
    assert difference is None


@pytest.mark.parametrize("program", GUARDED)
def test_rare_passes_do_the_same(program):
    _, difference = played(program, "rare")
    assert difference is None


@each_program
def test_each_of_32_workers_is_found_in_a_bitmap(program):
    _, difference = played(program, "bits")
    assert difference is None


@each_program
def test_every_constant_entry_was_met(program):
    """Golden traces, the packets of these tests and other frames match all entries. The other frames
    meet short and long queues."""
    players = [Player(p4_text.preprocessed(program), setting) for setting in SETTINGS]
    for player in players:
        assert list(p4_other_frames.differences(player, program)) == []
    players += [played(program, name)[0] for name in golden_traces_of(program)]
    unmet = {}
    for path, table in players[0].device.program.tables.items():
        met = set().union(*(player.device.program.tables[path].met for player in players))
        if table.constant and len(met) < len(table.entries):
            unmet[path] = set(range(len(table.entries))) - met
    assert unmet == NOT_MET.get(program, {})


def trace_of(program, packets):
    """The outcome of these packets in the C++ data plane, as a golden trace."""
    return CLASSES[program](program, 0).answered("trace", [(0, packet["source"], packet) for packet in packets])


@pytest.mark.parametrize("program", ["atp", "dsa"])
@pytest.mark.parametrize("sum_, value", [(HIGHEST, LOWEST), (LOWEST, HIGHEST)])
def test_of_a_sum_and_a_contribution_at_both_limits_the_contribution_is_the_result(program, sum_, value):
    """In C++, the sum is the result."""
    traffic = CLASSES[program](program, 0)
    packets = [traffic.gradient("0", rank, 7, 5, 0) | {"values": const(one)} for rank, one in enumerate((sum_, value))]
    found = list(Player(p4_text.preprocessed(program)).differences(trace_of(program, packets)))
    bits = 2**32 - 1
    assert len(found) == 62
    assert all(one.endswith(f"is {value & bits:#x} instead of {sum_ & bits:#x}") for one in found)


@pytest.mark.parametrize("priority", [2**16 - 1, 0x8FFF, 35, 17, 16, 15, 1])
def test_collisions_halve_the_four_highest_bits_of_a_priority(priority):
    """C++ halves all bits."""
    traffic = CLASSES["dsa"]("dsa", 0)
    holds = traffic.gradient("0", 0, 7, 5, 0) | {"priority": priority}
    loses = traffic.gradient("2", 0, 7, 5, 0) | {"priority": 0}
    golden_trace = trace_of("dsa", [holds] + 16 * [loses])
    exact, found = priority, list(Player(p4_text.preprocessed("dsa")).differences(golden_trace))
    for collision in range(1, 17):
        unseen = max(priority.bit_length() - 4, 0)
        priority, exact = priority >> unseen << unseen >> 1, exact >> 1
        differs = [one for one in found if f"step {collision}:" in one]
        assert len(differs) == (priority != exact)
        if differs:
            assert differs[0].endswith(f"is {priority:#x} instead of {exact:#x}")
    assert priority == exact == 0

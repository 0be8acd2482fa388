# SPDX-License-Identifier: BSD-3-Clause
"""Random packets do the same to the P4 programs and to the C++ data planes; where README.md of hw/p4 says that they do
not, they do what it says."""

import p4_text
import pytest
from frames import other_traffic
from p4_interpreter.device import Device
from p4_player import differences, port_of
from p4_traffic import CLASSES, random_story, story_of_every_bit
from stories import HIGHEST, LOWEST, const

from hw.p4.ptf.story import frame_in, stories

SEEDS = (1, 2)
STEPS = 1000
# In shared/values.p4 for DSA only.
NOT_MET = {"atp": {f"pipe.Ingress.values.value{number}.update": {5} for number in range(31)}}
ECT = (1, 2)
LONG_QUEUE = 10**5


@pytest.fixture(scope="module")
def devices():
    """By program, a device that met everything that the tests play."""
    return {}


def played(devices, program, story, seed=0):
    one = Device(p4_text.preprocessed(program), seed=seed)
    devices.setdefault(program, []).append(one)
    return next(differences(one, story), None)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("program", p4_text.NAMES)
def test_random_packets_do_the_same(devices, program, seed):
    print(f"seed {seed}")
    assert played(devices, program, random_story(program, seed, STEPS), seed) is None


@pytest.mark.parametrize("program", p4_text.NAMES)
def test_each_of_32_workers_is_found_in_a_bitmap(devices, program):
    assert played(devices, program, story_of_every_bit(program)) is None


@pytest.mark.parametrize("program", p4_text.NAMES)
def test_every_constant_entry_was_met(devices, program):
    """By these tests, the stories, and a frame of each kind at a long queue."""
    for story in stories():
        if story.program == program:
            assert played(devices, program, story) is None
    marking = devices[program][-1]
    marking.queue_cells = LONG_QUEUE
    for frame in (*(other_traffic(5, 4, ect) for ect in ECT), frame_in(story_of_every_bit(program).steps[0])):
        marking.through_egress(port_of(4), frame)
    missing = {}
    for path, table in marking.program.tables.items():
        met = set().union(*(one.program.tables[path].met for one in devices[program]))
        unmet = set(range(len(table.entries))) - met if table.constant else set()
        if unmet:
            missing[path] = unmet
    assert missing == NOT_MET.get(program, {})


def told(program, packets):
    """By the C++ data plane: what comes of these packets of a job that others are none of."""
    return CLASSES[program](program, 0).answered("told", [(0, packet["source"], packet) for packet in packets])


@pytest.mark.parametrize("program", ["atp", "dsa"])
@pytest.mark.parametrize("sum_, value", [(HIGHEST, LOWEST), (LOWEST, HIGHEST)])
def test_of_a_sum_and_a_contribution_at_both_limits_the_contribution_is_the_result(program, sum_, value):
    """The sum is, in the C++."""
    traffic = CLASSES[program](program, 0)
    packets = [traffic.gradient("0", rank, 7, 5, 0) | {"values": const(one)} for rank, one in enumerate((sum_, value))]
    found = list(differences(Device(p4_text.preprocessed(program)), told(program, packets)))
    bits = 2**32 - 1
    assert len(found) == 62
    assert all(one.endswith(f"is {value & bits:#x} instead of {sum_ & bits:#x}") for one in found)


@pytest.mark.parametrize("priority", [2**16 - 1, 0x8FFF, 35, 17, 16, 15, 1])
def test_collisions_halve_the_four_highest_bits_of_a_priority(priority):
    """The C++ halves all of them."""
    traffic = CLASSES["dsa"]("dsa", 0)
    holds = traffic.gradient("0", 0, 7, 5, 0) | {"priority": priority}
    loses = traffic.gradient("2", 0, 7, 5, 0) | {"priority": 0}
    story = told("dsa", [holds] + 16 * [loses])
    device, exact = Device(p4_text.preprocessed("dsa")), priority
    found = list(differences(device, story))
    for collision in range(1, 17):
        unseen = max(priority.bit_length() - 4, 0)
        priority, exact = priority >> unseen << unseen >> 1, exact >> 1
        differs = [one for one in found if f"step {collision}:" in one]
        assert len(differs) == (priority != exact)
        if differs:
            assert differs[0].endswith(f"is {priority:#x} instead of {exact:#x}")
    assert priority == exact == 0

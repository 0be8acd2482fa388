# SPDX-License-Identifier: BSD-3-Clause
"""The P4 programs do what the stories say, packet by packet: what leaves, at which ports, and the cells of registers.
And what no story has: other traffic, broken frames, marks of long queues."""

import p4_text
import pytest
from frames import other_traffic, with_traffic_class
from p4_interpreter.device import Device, Left
from p4_player import differences, entries_of_story, port_of

from hw.p4.control.cluster import ECN_THRESHOLD_CELLS
from hw.p4.ptf.story import frame_in, frame_out, receivers, stories

STORIES = {story.name: story for story in stories()}
SEEDS = (0, 1)  # of what no program may rely on
ECT, CE = 2, 3
FLAGS = 35  # where ATP and DSA have them


@pytest.fixture(scope="module")
def device():
    """By program, seed and depth of the queues."""
    made = {}

    def device_of(program, seed=0, queue_cells=0):
        found = made.get((program, seed))
        if found is None:
            found = made[program, seed] = Device(p4_text.preprocessed(program), seed=seed)
        found.queue_cells = queue_cells
        return found

    return device_of


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", STORIES)
def test_program_does_what_the_story_says(device, name, seed):
    story = STORIES[name]
    assert list(differences(device(story.program, seed), story)) == []


def test_every_program_has_stories():
    assert {story.program for story in STORIES.values()} == set(p4_text.NAMES)


def first_story(program):
    return next(story for story in STORIES.values() if story.program == program and story.name.endswith("sums"))


@pytest.mark.parametrize("program", p4_text.NAMES)
@pytest.mark.parametrize("cells, marks", [(ECN_THRESHOLD_CELLS - 1, False), (ECN_THRESHOLD_CELLS, True)])
def test_marks_what_leaves_through_a_long_queue(device, program, cells, marks):
    story = first_story(program)
    one = device(program, queue_cells=cells)
    one.load(entries_of_story(story))
    left, expected = [], []
    for step in story.steps:
        left += one.send(port_of(step["ingress"]), frame_in(step), step["at_us"])
        for host in receivers(step):
            frame = bytearray(frame_out(step))
            if marks:
                frame = bytearray(with_traffic_class(frame, CE))
                frame[FLAGS] |= 0 if story.system == "switchml" else 1
            expected.append(Left(port_of(host), bytes(frame)))
    assert left == expected
    assert left


@pytest.mark.parametrize("program", p4_text.NAMES)
@pytest.mark.parametrize("cells, traffic_class, leaves", [(0, ECT, ECT), (10**5, 0, 0), (10**5, 1, 3), (10**5, ECT, CE)])
def test_forwards_other_traffic_and_marks_it_if_it_knows_marks(device, program, cells, traffic_class, leaves):
    one = device(program, queue_cells=cells)
    one.load(entries_of_story(first_story(program)))
    frame = other_traffic(4, 1, traffic_class)
    assert one.send(port_of(4), frame, 0) == [Left(port_of(1), with_traffic_class(frame, leaves))]


@pytest.mark.parametrize("program", p4_text.NAMES)
def test_forwards_what_it_does_not_read_by_its_address(device, program):
    one = device(program)
    one.load(entries_of_story(first_story(program)))
    plain = other_traffic(4, 1)
    tagged = plain[:12] + bytes.fromhex("81000005") + plain[12:]
    with_options = plain[:14] + b"\x46" + plain[15:]
    arp = plain[:12] + bytes.fromhex("0806") + plain[14:]
    for frame in (arp, tagged, with_options):
        assert one.send(port_of(4), frame, 0) == [Left(port_of(1), frame)]


@pytest.mark.parametrize("program", p4_text.NAMES)
def test_drops_unknown_addresses_broken_checksums_and_truncated_frames(device, program):
    one = device(program)
    story = first_story(program)
    one.load(entries_of_story(story))
    own = frame_in(story.steps[0])
    broken = own[:24] + bytes([own[24] ^ 1]) + own[25:]
    for frame in (other_traffic(4, 77), broken, own[:-1], own[:40], own[:20], b"short"):
        assert one.send(port_of(story.steps[0]["ingress"]), frame, 0) == []
    assert list(differences(one, story)) == []  # nothing is left of them


@pytest.mark.parametrize("program", p4_text.NAMES)
def test_what_is_behind_a_frame_leaves_behind_it(device, program):
    """Ethernet's padding, and whatever else."""
    story = first_story(program)
    one = device(program)
    one.load(entries_of_story(story))
    left = [left for step in story.steps for left in one.send(port_of(step["ingress"]), frame_in(step) + b"more", 0)]
    assert left == [Left(port_of(host), frame_out(step) + b"more") for step in story.steps for host in receivers(step)]

# SPDX-License-Identifier: BSD-3-Clause
"""Plays stories to the P4 programs, which p4_interpreter executes."""

from dataclasses import replace

import control
from p4_interpreter.device import Left

from hw.p4.control import aggregators, atp, program_text
from hw.p4.control.entries import Ternary
from hw.p4.control.loading import entries_of
from hw.p4.ptf.cells import cells_of
from hw.p4.ptf.story import frame_in, frame_out, receivers

# Its packets come from a switch below, whose members the control plane does not install.
SECOND_LEVEL_STORY = "atp-second-level"
DISCARD = program_text.number("atp/types.p4", "STEP_DISCARD")


def port_of(host):
    return control.FIRST_PORT + host


def differences(device, story):
    """What the program does otherwise than the story says, packet by packet."""
    device.load(entries_of_story(story))
    for number, step in enumerate(story.steps):
        for difference in differences_of_step(device, story, step):
            yield f"{story.name}, step {number}: {step['says']}: {difference}"


def differences_of_step(device, story, step):
    left = device.send(port_of(step["ingress"]), frame_in(step), step["at_us"])
    expected = [Left(port_of(host), frame_out(step)) for host in receivers(step)]
    if left != expected:
        yield f"leaves {told(left)} instead of {told(expected)}"
    for array, index, fields in cells_of(as_counted(story), step):
        found = device.cell(array, index)
        for name, value in fields.items():
            if found[name] != value:
                yield f"{name}[{index}] is {found[name]:#x} instead of {value:#x}"


def told(left):
    return [f"{one.frame.hex()} at port {one.port}" for one in left]


def entries_of_story(story):
    entries = entries_of(control.cluster(story.program, story.jobs))
    return entries + [*second_level(story)] if story.name == SECOND_LEVEL_STORY else entries


def second_level(story):
    """By hand, of its job 1: ranks 0 and 1 are behind branch 0, rank 2 is branch 1."""
    workers = story.jobs["1"]["workers"]
    for rank, branch, below in ((0, 0, 2), (1, 0, 2), (2, 1, 1)):
        for resends, action, data in ((0, "contribute", {"others": 1}), (aggregators.RESEND, "resend", {"step": DISCARD})):
            flags = Ternary(aggregators.SECOND_LEVEL | resends, aggregators.SECOND_LEVEL | aggregators.RESEND)
            yield atp.LAYOUT.entry(
                port_of(workers[rank]), aggregators.GRADIENT, 1, action, data,
                flags=flags, worker=rank, bitmap=1 << branch, degrees=(below, 2),
            )  # fmt: skip


def as_counted(story):
    """With as many workers as contribute to an aggregator: of two levels, a branch is one."""
    if story.name != SECOND_LEVEL_STORY:
        return story
    (job,) = story.jobs.values()
    return replace(story, jobs={"1": job | {"workers": job["workers"][:2]}})

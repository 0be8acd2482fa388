# SPDX-License-Identifier: BSD-3-Clause
"""The P4 programs do what the golden traces say, packet by packet: what leaves, at which ports, and the cells of registers.
And what is right with frames that no golden trace has."""

import p4_other_frames
import p4_text
import pytest
from p4_player import SETTINGS, Player

from hw.p4.ptf.golden_trace import golden_traces

GOLDEN_TRACES = {golden_trace.name: golden_trace for golden_trace in golden_traces()}
each_program = pytest.mark.parametrize("program", p4_text.NAMES)
each_setting = pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: f"port-{setting.first_port}")


@pytest.fixture(scope="module")
def sources():
    return {program: p4_text.preprocessed(program) for program in p4_text.NAMES}


@each_setting
@pytest.mark.parametrize("name", GOLDEN_TRACES)
def test_program_does_what_the_golden_trace_says(sources, name, setting):
    """Also that the egress marks what leaves through a queue of 750 cells, and not of 749."""
    golden_trace = GOLDEN_TRACES[name]
    assert list(Player(sources[golden_trace.program], setting).differences(golden_trace)) == []


def test_every_program_has_golden_traces():
    assert {golden_trace.program for golden_trace in GOLDEN_TRACES.values()} == set(p4_text.NAMES)


@each_setting
@each_program
def test_other_frames_are_forwarded_or_dropped(sources, program, setting):
    assert list(p4_other_frames.differences(Player(sources[program], setting), program)) == []

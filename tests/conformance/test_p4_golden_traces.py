# SPDX-License-Identifier: BSD-3-Clause
"""The P4 programs conform to the golden traces, packet by packet: frames that leave, their ports,
and register cells. They also handle frames correctly that no golden trace contains."""

import p4_other_frames
import p4_text
import pytest
from p4_player import SETTINGS, Player

from hw.p4.ptf.golden_trace import OF_PASSES, golden_traces

GOLDEN_TRACES = {golden_trace.name: golden_trace for golden_trace in golden_traces()}
TRACES_OF_PASSES = {golden_trace.name: golden_trace for golden_trace in golden_traces(OF_PASSES)}
each_program = pytest.mark.parametrize("program", p4_text.NAMES)
each_setting = pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: f"port-{setting.first_port}")


@pytest.fixture(scope="module")
def sources():
    return {program: p4_text.preprocessed(program) for program in p4_text.NAMES}


@each_setting
@pytest.mark.parametrize("name", GOLDEN_TRACES)
def test_program_does_what_the_golden_trace_says(sources, name, setting):
    """Also checks that the egress marks frames in a queue of 750 cells, but not in one of 749."""
    golden_trace = GOLDEN_TRACES[name]
    assert list(Player(sources[golden_trace.program], setting).differences(golden_trace)) == []


@pytest.mark.parametrize("name", TRACES_OF_PASSES)
def test_program_does_pass_by_pass_what_the_golden_trace_says(sources, name):
    golden_trace = TRACES_OF_PASSES[name]
    assert list(Player(sources[golden_trace.program]).differences(golden_trace)) == []


def test_every_program_has_golden_traces():
    assert {golden_trace.program for golden_trace in GOLDEN_TRACES.values()} == set(p4_text.NAMES)


@each_setting
@each_program
def test_other_frames_are_forwarded_or_dropped(sources, program, setting):
    assert list(p4_other_frames.differences(Player(sources[program], setting), program)) == []

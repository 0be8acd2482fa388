# SPDX-License-Identifier: BSD-3-Clause
"""On the vendor's model of the chip, the compiled P4 programs conform to the golden traces, and treat
random packets like the C++ data planes.

TOFINO_HARNESS names the test harness of the model (tofino_model/README.md), BF_P4C and BFAS the
compiler and the assembler."""

import p4_compiled
import p4_other_frames
import p4_played
import p4_text
import pytest
from p4_player import SETTINGS
from tofino_model.chip import HARNESS

GOLDEN_TRACES = {trace.name: trace for program in p4_text.NAMES for trace in p4_played.golden_traces_of(program)}
each_setting = pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: f"port-{one.first_port}")
each_program = pytest.mark.parametrize("program", p4_text.NAMES)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The folders of the compiled programs."""
    if not (HARNESS and p4_compiled.BF_P4C and p4_compiled.BFAS):
        pytest.skip("TOFINO_HARNESS, p4c-barefoot and bfas are not all there")
    scratch = tmp_path_factory.mktemp("programs")
    return {program: p4_compiled.build_in(scratch, program) for program in p4_text.NAMES}


@each_setting
@pytest.mark.parametrize("name", GOLDEN_TRACES)
def test_chip_does_what_the_golden_trace_says(folders, name, setting):
    trace = GOLDEN_TRACES[name]
    assert p4_played.differences(folders[trace.program], trace, setting) == []


@each_program
def test_chip_does_what_the_cpp_does_with_random_packets(folders, program):
    for trace in p4_played.random_traces_of(program):
        assert p4_played.differences(folders[program], trace, SETTINGS[0]) == [], f"seed {p4_played.SEED}"


@each_setting
@each_program
def test_chip_treats_other_frames_as_the_interpreter_does(folders, program, setting):
    with p4_played.player_on_chip(folders[program], setting) as player:
        assert list(p4_other_frames.differences(player, program)) == []


def test_table_of_results_has_all_golden_traces_and_no_difference():
    lines, places = p4_played.rows()
    for program, place in places.items():
        name, _, golden, packets, _, differences, _ = [cell.strip() for cell in lines[place].strip("|").split("|")]
        traces = p4_played.golden_traces_of(program)
        assert name == f"`{program}`"
        assert int(golden) == len(traces)
        assert int(packets) == sum(len(trace.steps) for trace in traces)
        assert int(differences) == 0

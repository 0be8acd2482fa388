# SPDX-License-Identifier: BSD-3-Clause
"""The compiled P4 programs do on the vendor's model of the chip what the golden traces say, and what
the C++ data planes do with random packets.

TOFINO_HARNESS names the test harness of the model (tofino_model/README.md), BF_P4C and BFAS the
compiler and the assembler."""

import p4_compiled
import p4_other_frames
import p4_text
import pytest
from p4_player import SETTINGS, Player
from p4_traffic import random_golden_trace, random_golden_trace_at
from tofino_model.chip import HARNESS, Chip

from hw.p4.control.cabling import PORTS_OF_PIPE
from hw.p4.ptf.golden_trace import golden_traces

if not (HARNESS and p4_compiled.BF_P4C and p4_compiled.BFAS):
    pytest.skip("TOFINO_HARNESS, p4c-barefoot and bfas are not all there", allow_module_level=True)

GOLDEN_TRACES = {one.name: one for one in golden_traces() if not one.separate}
SEED, STEPS = 1, 300
each_setting = pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: f"port-{one.first_port}")
each_program = pytest.mark.parametrize("program", p4_text.NAMES)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The folders of the compiled programs."""
    made = {}
    for program in p4_text.NAMES:
        made[program] = tmp_path_factory.mktemp(program)
        p4_compiled.compile_into(made[program], program)
        p4_compiled.assemble(made[program])
    return made


@pytest.fixture
def play(folders):
    """Makes players of a program with a setting."""
    chips = []

    def make(program, setting=SETTINGS[0]):
        pipe = setting.first_port // PORTS_OF_PIPE
        chips.append(Chip(folders[program], p4_compiled.SCHEMA, pipe, setting.queue_cells))
        return Player(None, setting, chips[-1])

    yield make
    for chip in chips:
        chip.close()


@each_setting
@pytest.mark.parametrize("name", GOLDEN_TRACES)
def test_chip_does_what_the_golden_trace_says(play, name, setting):
    golden_trace = GOLDEN_TRACES[name]
    assert list(play(golden_trace.program, setting).differences(golden_trace)) == []


@each_program
def test_chip_does_what_the_cpp_does_with_random_packets(play, program):
    assert list(play(program).differences(random_golden_trace(program, SEED, STEPS))) == [], f"seed {SEED}"


@pytest.mark.parametrize("level", ["leaf", "root"])
@each_program
def test_chip_at_a_level_of_a_tree_does_what_the_cpp_does(play, program, level):
    trace = random_golden_trace_at(level, program, SEED, STEPS)
    assert list(play(program).differences(trace)) == [], f"seed {SEED}"


@each_setting
@each_program
def test_chip_treats_other_frames_as_the_interpreter_does(play, program, setting):
    assert list(p4_other_frames.differences(play(program, setting), program)) == []

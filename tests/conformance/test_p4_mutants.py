# SPDX-License-Identifier: BSD-3-Clause
"""Each wrong version of a P4 program compiles and is detected: a golden trace, random packets or
another frame distinguish it from the right one, or it does something that a Tofino cannot do."""

import shutil
from functools import cache

import p4_other_frames
import p4_text
import pytest
from p4_interpreter.syntax import Refused
from p4_mutants import MUTANTS
from p4_player import SETTINGS, Player
from p4_traffic import (
    GUARDED, golden_trace_of_every_bit, golden_trace_of_rare_passes, random_golden_trace, random_golden_trace_at,
    random_golden_trace_pass_by_pass,
)  # fmt: skip

from hw.p4.control.job import Path
from hw.p4.ptf.golden_trace import golden_traces

SEED = 1
STEPS = 1000


@cache
def golden_traces_of(program):
    return [golden_trace for golden_trace in golden_traces() if golden_trace.program == program]


@cache
def many_packets(program):
    levels = [random_golden_trace_at(level, program, SEED, STEPS) for level in ("leaf", "root")]
    traces = [golden_trace_of_every_bit(program), random_golden_trace(program, SEED, STEPS), *levels]
    if program in GUARDED:
        traces.append(golden_trace_of_rare_passes(program))
        traces += [random_golden_trace_pass_by_pass(program, SEED, 2 * STEPS, level) for level in ("only", "leaf", "root")]
    return traces


def differences(program, source):
    """Yields all differences, those that are fast to find first."""
    for setting in SETTINGS:
        player = Player(source, setting)
        for golden_trace in golden_traces_of(program):
            yield from player.differences(golden_trace)
        yield from p4_other_frames.differences(player, program)
    for golden_trace in many_packets(program):
        yield from Player(source).differences(golden_trace)


def is_noticed(program, source):
    Player(source)  # must compile
    try:
        return next(differences(program, source), None) is not None
    except Refused:
        return True


@pytest.fixture
def mutated(tmp_path):
    """The folder of the programs with one file changed."""

    def change(mutant):
        folder = tmp_path / "p4"
        shutil.copytree(p4_text.PROGRAMS, folder, ignore=shutil.ignore_patterns("*.py", "tests"))
        text = (folder / mutant.file).read_text(encoding="utf-8")
        assert text.count(mutant.text) == 1, f"stands {text.count(mutant.text)} times in {mutant.file}"
        (folder / mutant.file).write_text(text.replace(mutant.text, mutant.other), encoding="utf-8")
        return folder

    return change


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_wrong_program_is_noticed(mutated, mutant):
    folder = mutated(mutant)
    for program in mutant.programs:
        assert is_noticed(program, p4_text.preprocessed(program, folder)), program


@pytest.mark.parametrize("name", ["atp-second-level", "dsa-root"])
def test_root_whose_entries_count_places_in_place_of_branches_is_noticed(monkeypatch, name):
    (golden_trace,) = [one for one in golden_traces() if one.name == name]
    monkeypatch.setattr(Path, "fan_in", property(lambda path: path.fan_in_degree0))
    assert list(Player(p4_text.preprocessed(golden_trace.program)).differences(golden_trace))

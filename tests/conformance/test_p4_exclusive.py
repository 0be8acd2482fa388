# SPDX-License-Identifier: BSD-3-Clause
"""At most one of two tables that share a part of the chip acts on a packet in a pass."""

from itertools import combinations

import p4_text
import pytest
from p4_exclusive import is_exclusive
from p4_interpreter.tables import NoAction, Table
from p4_player import Player
from p4_traffic import random_golden_trace, random_golden_trace_at

from hw.p4.ptf.golden_trace import golden_traces

SEED, STEPS = 4, 400


@pytest.fixture
def passes(monkeypatch):
    """The tables that acted in each pass, with their actions."""
    found = []
    act = Table.act

    def record(table, action, data):
        if not isinstance(action, NoAction):
            name = table.path.removeprefix("pipe.Ingress.").replace(".", "_")
            found[-1].add((name, action.name))
        act(table, action, data)

    monkeypatch.setattr(Table, "act", record)
    return found


@pytest.mark.parametrize("program", p4_text.NAMES)
def test_tables_that_share_a_part_of_the_chip_never_act_in_one_pass(passes, program):
    traces = [one for one in golden_traces() if one.program == program]
    traces += [random_golden_trace(program, SEED, STEPS)]
    traces += [random_golden_trace_at(level, program, SEED, STEPS) for level in ("leaf", "root")]
    for trace in traces:
        player = Player(p4_text.preprocessed(program))
        player.device.every_pass.append(lambda: passes.append(set()))
        assert list(player.differences(trace)) == [], f"seed {SEED}"
    assert len(passes) > STEPS
    for acted in passes:
        for (first, one), (second, other) in combinations(sorted(acted), 2):
            assert not is_exclusive(first, second, [one, other]), (first, one, second, other)


def test_a_pass_in_which_both_tables_act_is_found():
    assert is_exclusive("ownership_further_passes", "ownership_members", ["take_over", "contribute"])
    assert is_exclusive("verdict_verdicts", "values_value7_update", ["hand_up", "harvest_high"])
    assert not is_exclusive("verdict_verdicts", "values_value7_update", ["hand_up", "harvest_low"])

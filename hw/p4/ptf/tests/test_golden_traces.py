# SPDX-License-Identifier: BSD-3-Clause
"""The frames and registers that the PTF test would send, expect and compare, without a switch."""

import p4_tables
import pytest

from hw.p4.control.cabling import Plug
from hw.p4.control.loading import entries_of
from hw.p4.control.program_text import NOBODY
from hw.p4.ptf.cells import cells_of
from hw.p4.ptf.golden_trace import NOT_PLAYED, receivers, golden_traces

GOLDEN_TRACES = {golden_trace.name: golden_trace for golden_trace in golden_traces()}
PLAYED = [name for name in GOLDEN_TRACES if name not in NOT_PLAYED]


def cells(name, number):
    return {
        (field.removeprefix("Ingress."), index): value
        for _, index, fields in cells_of(GOLDEN_TRACES[name], GOLDEN_TRACES[name].steps[number])
        for field, value in fields.items()
    }


def test_what_is_not_played_is_a_golden_trace():
    assert NOT_PLAYED.keys() < GOLDEN_TRACES.keys()
    assert len(PLAYED) >= 10


@pytest.mark.parametrize("name", PLAYED)
def test_jobs_can_be_loaded(name):
    golden_trace = GOLDEN_TRACES[name]
    entries = entries_of(golden_trace.cluster(lambda host: Plug(host, "100Gbps", "none")))
    ports = {entry.key["$DEV_PORT"].value for entry in entries if entry.table.name == "$PORT"}
    played = {host for step in golden_trace.steps for host in [step["ingress"], *receivers(step)]}
    assert played <= ports


@pytest.mark.parametrize("name", PLAYED)
def test_every_cell_is_one_of_the_program(name):
    golden_trace = GOLDEN_TRACES[name]
    arrays = p4_tables.from_text(golden_trace.program).registers
    for step in golden_trace.steps:
        compared = list(cells_of(golden_trace, step))
        assert len(compared) >= sum(len(played) for played in step["registers"].values())
        for array, index, fields in compared:
            count, widths = arrays[array]
            assert 0 <= index < count
            assert fields.keys() <= widths.keys()
            for field, value in fields.items():
                assert 0 <= value < 1 << widths[field]


def test_slots_of_switchml_are_told_as_the_program_has_them():
    begun = cells("switchml-sums", 1)  # job 1 began slot 2, job 2 slot 10
    assert begun["ownership.latest.f1", 10] == 7
    assert begun["bitmap.seen.version0", 10] == 0b10
    assert begun["count.missing.f1", 2] == begun["count.missing.f1", 10] == 1
    assert begun["values.value1.sums.f1", 10] == 2**32 - 4
    again = cells("switchml-sums", 3)  # version 1 of slot 2
    assert again["count.missing.f1", 2] == 0
    assert again["count.missing.f1", 16384 + 2] == 1
    assert again["values.value31.sums.f1", 16384 + 2] == 7 + 31


def test_two_of_64_values_have_a_cell():
    begun = cells("switchml-64-sums", 1)
    assert begun["values.value1.sums.low", 10] == 2**32 - 4
    assert begun["values.value1.sums.high", 10] == -5 + 33
    assert cells("switchml-64-sums", 3)["count.missing.f1", 8192 + 2] == 1


def test_aggregators_are_told_as_the_programs_have_them():
    begun = cells("atp-sums", 0)
    assert (begun["ownership.tasks.job", 5], begun["ownership.tasks.psn", 5]) == (1, 7)
    assert begun["count.missing.f1", 5] == 1
    assert begun["values.value0.sums.f1", 10] == 100
    assert begun["values.value0.sums.f1", 11] == 100 + 31
    complete = cells("atp-sums", 3)
    assert complete["count.missing.f1", 5] == 0
    assert complete["congestion.marks.f1", 5] == 1
    assert cells("atp-sums", 4)["ownership.tasks.job", 5] == NOBODY
    preempted = cells("dsa-preemption", 2)
    assert preempted["priority.priorities.f1", 5] == 5
    assert preempted["bitmap.bitmaps.f1", 5] == 0b010
    assert preempted["verdict.marks.f1", 5] == 0

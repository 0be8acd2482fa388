# SPDX-License-Identifier: BSD-3-Clause
"""The same scenario and seed give the same tables, byte for byte, in every way to run them."""

import json
from pathlib import Path

import ina_sim
import pytest

SMALL = Path(__file__).resolve().parent / "small.json"
VARIANTS = json.loads(SMALL.read_text(encoding="utf-8"))["variants"]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return ina_sim.run(SMALL, tmp_path_factory.mktemp("reference"), {}, "--parallel", 1)


def test_small_is_worth_comparing(reference):
    """The scenario's jobs interfere with each other under every system that shares memory."""
    rows = ina_sim.rows(reference)
    assert [row["variant"] for row in rows] == [name for name in VARIANTS for _ in range(3)]

    def total(system, column):
        return sum(int(row[column]) for row in rows if row["system"] == system)

    assert total("atp", "fallbacks") > 0
    assert total("dsa", "fallbacks") > 0
    assert total("dsa", "preemptions") > 0
    assert total("dsa", "retransmissions") > 0  # reminders are exercised, too


@pytest.mark.parametrize("processes", [1, 2])
def test_same_seed_twice(reference, tmp_path, processes):
    again = ina_sim.run(SMALL, tmp_path, {}, "--parallel", processes)
    assert ina_sim.tables(again) == ina_sim.tables(reference)


@pytest.fixture(scope="module")
def of_reference_engine(tmp_path_factory):
    """The tables with ns-3's own DefaultSimulatorImpl."""
    return ina_sim.run(SMALL, tmp_path_factory.mktemp("reference-engine"), {"/engine": "reference"})


@pytest.mark.parametrize("table", ina_sim.TABLES)
def test_both_engines(reference, of_reference_engine, table):
    assert (of_reference_engine / table).read_bytes() == (reference / table).read_bytes()


@pytest.mark.parametrize("payload", ["digest", "none"])
def test_payload_does_not_change_what_happens(reference, tmp_path, payload):
    other = ina_sim.run(SMALL, tmp_path, {"/payload": payload})
    assert ina_sim.tables(other) == ina_sim.tables(reference)


def only(variant):
    return {"/variants": json.dumps({variant: VARIANTS[variant]})}


@pytest.mark.parametrize("variant", VARIANTS)
def test_another_seed_gives_other_results(reference, tmp_path, variant):
    other = ina_sim.run(SMALL, tmp_path, only(variant), "--seeds", 2)

    def ends(folder):
        return [row["end_us"] for row in ina_sim.rows(folder) if row["variant"] == variant]

    assert len(ends(other)) == 3
    for mine, theirs in zip(ends(reference), ends(other), strict=True):
        assert mine != theirs


def test_a_seed_does_not_depend_on_the_others(reference, tmp_path):
    both = ina_sim.run(SMALL, tmp_path, only("DSA"), "--seeds", "2,1")

    def of_seed_1(folder):
        return [
            row | {"point": None}
            for row in ina_sim.rows(folder, "iterations.csv")
            if row["seed"] == "1" and row["system"] == "dsa"
        ]

    assert of_seed_1(both) == of_seed_1(reference) != []

# SPDX-License-Identifier: BSD-3-Clause
"""Optional tables: when they exist, their content, and when runs are repeated for them."""

import json
from collections import Counter

import ina_sim
import pytest

ASKED = {"link_series.csv": {"/outputs/link_interval": "2us"}, "occupation.csv": {"/outputs/occupation": "true"}}
BOTH = ASKED["link_series.csv"] | ASKED["occupation.csv"]
PREFIX = ["point", "/jobs/count", "system", "seed"]


def checksums(folder):
    return set(json.loads((folder / "manifest.json").read_text())["tables_crc32"])


@pytest.mark.parametrize("table", ASKED)
def test_a_table_is_written_only_if_it_is_asked_for(tiny, tmp_path, table):
    folder = ina_sim.run(tiny, tmp_path / "without")
    assert list(folder.glob(f"**/{table}")) == []
    assert checksums(folder) == set(ina_sim.TABLES)
    folder = ina_sim.run(tiny, tmp_path / "with", ASKED[table])
    assert len(list(folder.glob(f"points/*/{table}"))) == 4
    assert checksums(folder) == {*ina_sim.TABLES, table}


@pytest.mark.parametrize("table", ASKED)
def test_its_columns_and_runs(tiny, tmp_path, table):
    rows = ina_sim.rows(ina_sim.run(tiny, tmp_path, BOTH), table)
    assert list(rows[0]) == PREFIX + ina_sim.columns_of(table)
    assert {(row["point"], row["system"], row["/jobs/count"]) for row in rows} == {
        ("0", "atp", "1"), ("1", "atp", "2"), ("2", "dsa", "1"), ("3", "dsa", "2"),
    }  # fmt: skip


def test_the_other_tables_are_the_same_with_it(tiny, tmp_path):
    without = ina_sim.run(tiny, tmp_path / "without")
    with_them = ina_sim.run(tiny, tmp_path / "with", BOTH)
    assert ina_sim.tables(without) == ina_sim.tables(with_them)


def test_a_sweep_over_it_has_the_runs_that_have_it(tiny, tmp_path):
    sweep = {"/outputs/occupation": [False, True], "/system": ["atp", "dsa"]}
    folder = ina_sim.run(tiny, tmp_path, {"/sweep": json.dumps(sweep)})
    rows = ina_sim.rows(folder, "occupation.csv")
    assert {(row["/outputs/occupation"], row["system"]) for row in rows} == {
        ("true", "atp"), ("true", "dsa"),
    }  # fmt: skip
    assert all(None not in row and None not in row.values() for row in rows)


def test_sums_over_time_are_those_of_the_links(tiny, tmp_path):
    folder = ina_sim.run(tiny, tmp_path, ASKED["link_series.csv"])
    sums = Counter()
    for row in ina_sim.rows(folder, "link_series.csv"):
        sums[row["point"], row["link"]] += int(row["bytes_sent"])
    assert sums == {
        (row["point"], row["link"]): int(row["bytes_sent"])
        for row in ina_sim.rows(folder, "links.csv")
        if row["bytes_sent"] != "0"
    }


def test_rows_are_in_the_order_of_time(tiny, tmp_path):
    times = {}
    for row in ina_sim.rows(ina_sim.run(tiny, tmp_path, BOTH), "link_series.csv"):
        times.setdefault(row["point"], []).append(float(row["time_us"]))
    assert all(of_run == sorted(of_run) and len(set(of_run)) > 2 for of_run in times.values())


def test_there_are_as_many_occupations_as_aggregators_that_were_allocated(tiny, tmp_path):
    folder = ina_sim.run(tiny, tmp_path, ASKED["occupation.csv"] | {"/outputs/switch_interval": "1us"})
    occupations, allocated = Counter(), {}
    for row in ina_sim.rows(folder, "occupation.csv"):
        occupations[row["point"], row["job"]] += int(row["occupations"])
        assert float(row["held_from_us"]) <= float(row["held_mean_us"]) < float(row["held_until_us"])
    for row in ina_sim.rows(folder, "switch.csv"):
        allocated[row["point"], row["job"]] = int(row["allocated"])
    assert occupations == allocated


JOB = {"workers": 2, "profile": {"name": "tiny", "partition_bytes": "10kB", "layers": [{"parameters": 5000}]}}
COUNTERS = ("occupied_aggregators", "allocated", "collided", "preempted", "evicted", "completed", "fallbacks", "added")


def test_idle_time_takes_no_rows(tiny, tmp_path):
    """The jobs are an hour apart. Few of the 36 million instants in between change a counter."""
    keys = {"/sweep": "{}", "/jobs": json.dumps([JOB, JOB | {"start": "3600s"}]), "/outputs/link_interval": "1us"}
    folder = ina_sim.run(tiny, tmp_path, keys)
    rows = ina_sim.rows(folder, "switch.csv")
    assert 4 < len(rows) < 100
    assert float(rows[-1]["time_us"]) > 3.6e9
    for job in ("0", "1"):
        of_job = [row for row in rows if row["job"] == job]
        counters = [tuple(row[name] for name in COUNTERS) for row in of_job]
        assert float(of_job[0]["time_us"]) == 0
        assert of_job[-1]["time_us"] == rows[-1]["time_us"]
        assert len(set(counters)) >= len(counters) - 1  # the last row may equal the one before it


def test_a_folder_with_one_run_has_its_tables_once(tiny, tmp_path):
    for sweep, names in ({}, 2), ({"/system": ["atp", "dsa"]}, 1):
        keys = {"/sweep": json.dumps(sweep)}
        for _ in range(2):
            folder = ina_sim.run(tiny, tmp_path / str(names), keys)
            assert {(folder / table).stat().st_nlink for table in ina_sim.TABLES} == {names}
            assert {path.name for path in folder.iterdir()} == {*ina_sim.TABLES, "manifest.json", "points"}


@pytest.mark.parametrize("table", ASKED)
def test_finished_runs_are_kept_and_damaged_ones_made_anew(tiny, tmp_path, table):
    folder = ina_sim.run(tiny, tmp_path, BOTH)
    before = (folder / table).read_bytes()
    runs = sorted(folder.glob(f"points/*/{table}"))
    made = [run.stat().st_mtime_ns for run in runs]
    runs[1].write_text("cut off")
    ina_sim.run(tiny, tmp_path, BOTH)
    assert [run.stat().st_mtime_ns == at for run, at in zip(runs, made)] == [True, False, True, True]
    assert (folder / table).read_bytes() == before


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("link_interval", "1ns", "a time from 1us to 864000s"),
        ("link_interval", "0s", "a time from 1us to 864000s"),
        ("occupation", "1us", "true or false"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(tiny, key, value, allowed):
    done = ina_sim.ina("validate", tiny, "--set", f"/outputs/{key}={value}")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"/outputs/{key}: found " in done.stderr
    assert allowed in done.stderr

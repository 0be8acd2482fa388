# SPDX-License-Identifier: BSD-3-Clause
"""Compares the committed traces with the documented formats."""

from pathlib import Path

import convert
import pandas
import pytest

TRACES = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(("job", "iterations"), [(1, 300), (2, 238), (3, 248)])
def test_every_worker_of_a_minibatch_file_has_every_iteration(job, iterations):
    table = pandas.read_csv(TRACES / "minibatch" / f"alibaba-2020-job{job}.csv", comment="#")
    assert list(table.columns) == ["worker", "iteration", "relative_time"]
    expected = [(worker, row) for worker in range(10) for row in range(iterations)]
    assert list(zip(table["worker"], table["iteration"])) == expected
    assert (table["relative_time"] > 0).all()
    assert table["relative_time"].median() == pytest.approx(1, abs=5e-5)


def test_conversion_leaves_out_instants_without_a_time_for_every_worker():
    raw = pandas.DataFrame(
        {
            "worker": [3, 5, 3, 5, 3, 3, 5, 3, 5],
            "time": [1, 1, 11, 11, 21, 31, 31, 31, 41],
            "batch_time_norm": [100, 300, 200, 0, 500, 200, 200, 900, 100],
        }
    )
    table = convert.relative_times(raw)
    assert table.values.tolist() == [[0, 0, 0.5], [0, 1, 1.0], [1, 0, 1.5], [1, 1, 1.0]]


@pytest.mark.parametrize(
    ("name", "jobs", "columns"),
    [
        ("philly-gavel-0e4a51", 1181, ["job_type", "total_steps", "num_workers", "arrival_s"]),
        (
            "tiresias-60-jobs",
            60,
            "job_id num_gpu submit_time iterations model_name duration interval".split(),
        ),
    ],
)
def test_job_traces_are_complete(name, jobs, columns):
    table = pandas.read_csv(TRACES / "jobs" / f"{name}.csv", comment="#")
    assert list(table.columns) == columns
    assert len(table) == jobs
    assert not table.isna().any().any()


@pytest.mark.parametrize(("name", "mean_mb"), [("web-search", "1.71"), ("data-mining", "12.66")])
def test_sizes_of_flows_ascend_to_all_of_them_and_have_the_documented_mean(name, mean_mb):
    table = pandas.read_csv(TRACES / "flow-sizes" / f"{name}.csv", comment="#")
    assert list(table.columns) == ["bytes", "share"]
    assert table["bytes"].is_monotonic_increasing and table["share"].is_monotonic_increasing
    assert (table.iloc[0] == 0).all() and table["share"].iloc[-1] == 1
    between = (table["bytes"] + table["bytes"].shift()) / 2 * table["share"].diff()
    assert f"{between.sum() / 1e6:.2f}" == mean_mb
    assert f"`{name}.csv` | {mean_mb} MB" in (TRACES / "README.md").read_text()

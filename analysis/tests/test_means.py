# SPDX-License-Identifier: BSD-3-Clause
"""The simulator's table and the analysis agree about mean JCTs, also if jobs fail in some seeds only."""

import json
import os
import subprocess

import pandas
import pytest

from analysis.__main__ import main

SYSTEMS = ["switchml", "atp", "dsa", "ps"]
AT = "700us"  # by then, many jobs have ended and many have not
FAULTS = {
    "job_is_killed": {"fault": "job_is_killed", "at": AT},
    "worker_is_lost": {"fault": "worker_is_lost", "at": AT, "worker": 1, "duration": "100us"},
}
MEANS = ("jct_ms", "jct_p50_ms", "jct_p95_ms", "jct_p99_ms", "iteration_ms")


@pytest.fixture(params=FAULTS)
def failing(request, tmp_path):
    """(rows of the table, result folder) of an experiment in which some jobs fail in some seeds."""
    scenario = {
        "topology": {"hosts": 8, "parameter_servers": 4},
        "jobs": {
            "count": 4, "workers": 2, "iterations": 3,
            "profile": [{"layers": [{"parameters": size, "forward": "20us", "backward": "20us"}]}
                        for size in (40_000, 80_000)],
            "start": {"uniform": ["0us", "800us"]},
        },
        "faults": {"nodes": [{**FAULTS[request.param], "job": job} for job in (0, 1, 2)]},
        "seeds": [1, 2, 3, 4, 5],
        "baseline": "atp",
        "sweep": {"/system": SYSTEMS, "/switch/memory_bytes": ["1MB", "5MB"]},
    }  # fmt: skip
    path = tmp_path / "failing.json"
    path.write_text(json.dumps(scenario))
    table = tmp_path / "table.json"
    subprocess.run(
        [os.environ["INA_SIM"], "run", path, "--out", tmp_path, "--json", table],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    (experiment,) = json.loads(table.read_text())["experiments"]
    return experiment["rows"], tmp_path / "failing"


def numbers_of(command, folder, tmp_path):
    file = tmp_path / f"{command}.json"
    assert main([command, *map(str, folder), "--json", str(file)]) == 0
    return json.loads(file.read_text())


def by_key(rows):
    key = "/switch/memory_bytes"
    return {(row["system"], row.get("labels", row)[key]): row for row in rows}


def assert_fails_unequally(folder):
    """Checks that the seeds have different numbers of failures. Means over all jobs then differ
    from means over jobs, then seeds."""
    jobs = pandas.read_csv(folder / "jobs.csv")
    finished = jobs[jobs["status"] == "finished"]
    for _, point in finished.groupby(["system", "/switch/memory_bytes"]):
        assert point.groupby("seed").size().nunique() > 1
        of_all = point["jct_us"].mean()
        assert point.groupby("seed")["jct_us"].mean().mean() != pytest.approx(of_all, rel=1e-4)


def test_the_table_of_run_has_the_numbers_of_plot_and_compare(failing, tmp_path):
    rows, folder = failing
    assert_fails_unequally(folder)
    table = by_key(rows)
    numbers = numbers_of("plot", [folder], tmp_path)
    assert numbers["baseline"] == "atp"
    plotted = by_key(numbers["points"])
    compared = by_key(numbers_of("compare", [folder, folder], tmp_path)["points"])
    assert table.keys() == plotted.keys() == compared.keys()
    assert len(table) == 2 * len(SYSTEMS)
    for key, row in table.items():
        point = plotted[key]
        for mean in MEANS:
            assert row[mean] == pytest.approx(point[mean], rel=1e-9), (key, mean)
        assert row["ratio_to_baseline"] == pytest.approx(point["jct_ratio"], rel=1e-9)
        assert row["jct_ms"] == pytest.approx(compared[key]["jct_ms_a"], rel=1e-9)
        assert row["failed_jobs"] * 5 == point["failed_jobs"] > 0


def test_the_line_of_parts_is_the_iteration_of_plot(failing, tmp_path):
    _, folder = failing
    plotted = by_key(numbers_of("plot", [folder], tmp_path)["points"])
    breakdown = by_key(numbers_of("breakdown", [folder], tmp_path)["rows"])
    jobs = pandas.read_csv(folder / "jobs.csv")
    assert (jobs[jobs["status"] != "finished"]["iterations"] > 0).any()  # these are left out
    assert breakdown.keys() == plotted.keys()
    for key, row in breakdown.items():
        mean_us = plotted[key]["iteration_ms"] * 1000
        assert row["period_us"] == pytest.approx(mean_us, abs=1e-6)  # jobs.csv has picoseconds
        assert row["failed_jobs"] == plotted[key]["failed_jobs"]
        assert row["jobs"] == plotted[key]["jobs"]

# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios that the reader accepts also run to their end. INA_SIM is the path of the simulator."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
GOOD = sorted((HERE / "good").glob("*.json"))
FEWER = {"everything": ["--seeds", "1"]}  # a third of its runs


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_file_runs_and_its_jobs_finish_unless_faults_end_them(path, tmp_path):
    done = subprocess.run(
        [os.environ["INA_SIM"], "run", path, "--out", tmp_path, *FEWER.get(path.stem, [])],
        capture_output=True, text=True, check=False, env={**os.environ, "INA_TRACES": str(HERE / "traces")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = tmp_path / path.stem
    runs = json.loads((folder / "manifest.json").read_text())["points"]
    with open(folder / "jobs.csv", newline="", encoding="utf-8") as file:
        jobs = list(csv.DictReader(file))
    assert all(has_jobs(run["scenario"], run["point"], jobs) for run in runs)
    assert has_faults(path) or {job["status"] for job in jobs} <= {"finished"}


def has_jobs(scenario, point, jobs):
    """Whether the tables contain jobs of a point if and only if its scenario has jobs."""
    return ("jobs" in scenario) == any(int(job["point"]) == point for job in jobs)


def has_faults(path):
    return "faults" in path.read_text(encoding="utf-8")

# SPDX-License-Identifier: BSD-3-Clause
"""The command reproduces a published result: from the simulator to the page."""

import json
import os
import subprocess

import ina_sim


def reproduce(out, *arguments):
    command = ["/usr/bin/python3", "-P", "-m", "analysis", "reproduce", *arguments]
    done = subprocess.run(
        [*command, "--program", ina_sim.program(), "--out", out, "--json", out / "numbers.json"],
        capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(ina_sim.REPOSITORY)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (result,) = json.loads((out / "numbers.json").read_text())["results"]
    return {row["what"]: row for row in result["rows"]}


def wall_times(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    return [point["wall_time_s"] for point in manifest["points"]]


def test_a_cheap_result_is_run_once_and_is_as_arithmetic_wants_it(tmp_path):
    rows = reproduce(tmp_path, "S2")
    assert {row["verdict"] for row in rows.values()} == {"bound agrees", "depends on a choice", "not simulated"}
    assert abs(rows["128 slots, below the knee"]["simulated"] / 814.5 - 1) < 0.05
    assert (tmp_path / "S2.png").stat().st_size > 0
    page = (tmp_path / "S2.html").read_bytes()
    before = wall_times(tmp_path / "s2")
    assert reproduce(tmp_path, "S2") == rows
    assert wall_times(tmp_path / "s2") == before
    assert (tmp_path / "S2.html").read_bytes() == page

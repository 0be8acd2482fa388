# SPDX-License-Identifier: BSD-3-Clause
"""Findings are printed by `run`, stored in manifests and shown by `report`. A clean run has none."""

import json
import os
import re
import subprocess

import ina_sim
import pytest

# The packets of workers that wait for each other collide, so DSA's tasks are split until a reminder arrives.
COLLIDING = {
    "system": "dsa",
    "dsa": {"policy": "priority"},  # also splits tasks of the same job
    "topology": {"hosts": 8, "parameter_servers": 2},
    "jobs": {
        "workers": 4,
        "jitter": {"uniform": ["0us", "50us"]},
        "profile": {"name": "tiny", "partition_bytes": "10kB", "layers": [{"parameters": 20000}]},
    },
    "seeds": [2],  # with the job ids of this seed, the jobs collide
}
REMINDER = "/dsa/reminder_min_timeout"


@pytest.fixture
def colliding(tmp_path):
    path = tmp_path / "colliding.json"
    path.write_text(json.dumps(COLLIDING))
    return path


def run(scenario, out, keys=None):
    """Runs a scenario. Returns the printed findings and the manifest."""
    done = ina_sim.ina("run", scenario, "--out", out, *ina_sim.set_options(keys or {}))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    printed = re.findall(r"^finding: (.*)$", done.stdout, re.MULTILINE)
    return printed, json.loads((out / scenario.stem / "manifest.json").read_text())


def report_of(folder):
    subprocess.run(
        ["/usr/bin/python3", "-m", "analysis", "report", str(folder)],
        cwd=ina_sim.REPOSITORY, check=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return (folder / "report.html").read_text()


def test_a_run_prints_what_dominates_and_the_manifest_and_the_report_have_it(colliding, tmp_path):
    printed, manifest = run(colliding, tmp_path)
    (point,) = manifest["points"]
    (waiting,) = [found for found in point["findings"] if found["what"] == "waiting"]
    assert waiting["key"] == REMINDER
    assert 0.01 < waiting["amount"] < 1
    assert waiting["text"].endswith(f"{REMINDER}=auto")
    assert waiting["text"] in printed
    assert printed == [found["text"] for found in manifest["findings"]]
    page = report_of(tmp_path / "colliding")
    assert "Findings</h2>" in page and f"<li>{waiting['text']}</li>" in page


@pytest.mark.parametrize("system", ["ring", "switchml"])
def test_a_clean_run_has_no_findings(colliding, tmp_path, system):
    printed, manifest = run(colliding, tmp_path, {"/system": system})
    assert printed == manifest["findings"] == manifest["points"][0]["findings"] == []
    assert "Findings" not in report_of(tmp_path / "colliding")


def test_a_sweep_has_a_line_for_each_kind_and_key_with_the_largest(colliding, tmp_path):
    sweep = {"/system": ["dsa", "ring"], "/jobs/count": [1, 2]}
    keys = {"/sweep": json.dumps(sweep), "/seeds": "1-3"}
    printed, manifest = run(colliding, tmp_path, keys)
    waiting = {
        (run["point"], run["seed"]): found
        for run in manifest["points"] for found in run["findings"] if found["what"] == "waiting"
    }  # fmt: skip
    assert 0 < len(waiting) < len(manifest["points"]) == 12
    largest = max(found["amount"] for found in waiting.values())
    (line,) = [line for line in printed if "waiting" in line]
    runs, point, seed, text = re.fullmatch(r"(\d+) of 12 runs, most in run (\d+) \(seed (\d+)\): (.*)", line).groups()
    assert int(runs) == len(waiting)
    found = waiting[int(point), int(seed)]
    assert (found["amount"], found["text"]) == (largest, text)
    kinds = [(found["what"], found["key"]) for found in manifest["findings"]]
    assert len(kinds) == len(set(kinds)) == len(printed)


def test_findings_are_there_when_runs_are_used_again_and_when_slices_are_merged(colliding, tmp_path):
    keys = {"/seeds": "1-2"}
    printed, manifest = run(colliding, tmp_path, keys)
    assert printed
    assert run(colliding, tmp_path, keys) == (printed, manifest)
    for number in (1, 2):
        options = ("--slice", f"{number}/2", *ina_sim.set_options(keys))
        done = ina_sim.ina("run", colliding, "--out", tmp_path / "slices", *options)
        assert done.returncode == 0, done.stderr
    slices = sorted((tmp_path / "slices").iterdir())
    done = ina_sim.ina("merge", *slices, "--out", tmp_path / "merged")
    assert done.returncode == 0, done.stderr
    merged = json.loads((tmp_path / "merged" / "colliding" / "manifest.json").read_text())
    assert merged["findings"] == manifest["findings"]

# SPDX-License-Identifier: BSD-3-Clause
"""The regression suite: the shipped references, and what the command finds, renews and refuses."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import ina_sim
import pytest

from analysis import equivalence, references, regression, samples

SUITE = Path(__file__).resolve().parent / "suite"
OTHER_SEEDS = "101-128"  # as many as systems.json has
SLOWER = {"system": "dsa", "switch": {"pipeline_latency": "660ns"}}  # 3 %, measured below
LITTLE = {
    "extends": "common/star.json",
    "variants": {"ATP": {"system": "atp"}, "DSA": {"system": "dsa"}},
    "seeds": "1-2",
}


def regress(*arguments):
    command = ["/usr/bin/python3", "-P", "-m", "analysis", "regress"]
    return subprocess.run(
        [*command, "--program", ina_sim.program(), *map(str, arguments)], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(ina_sim.REPOSITORY)},
    )  # fmt: skip


def complaints(done):
    """What it said, without its progress."""
    progress = re.compile(r"ina: regress: \d+ of \d+: ")
    return [line for line in done.stderr.splitlines() if not progress.match(line)]


def write(scenario, content):
    scenario.write_text(json.dumps(content))
    return scenario


@pytest.fixture
def systems(tmp_path):
    """A copy of systems.json with its reference."""
    for folder in ("common", "references/systems"):
        shutil.copytree(SUITE / folder, tmp_path / folder)
    return Path(shutil.copy(SUITE / "systems.json", tmp_path))


@pytest.fixture
def little(tmp_path):
    """A suite of a user's own, with a reference of two systems."""
    shutil.copytree(SUITE / "common", tmp_path / "common")
    scenario = write(tmp_path / "little.json", LITTLE)
    done = regress("--accept", scenario)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path}/references/CHANGES.md\n"
    return scenario


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_shipped_suite_is_byte_for_byte_what_it_was():
    done = regress()
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [f"{path.stem}: identical" for path in sorted(SUITE.glob("*.json"))]
    assert done.stdout.splitlines() == [*lines, f"{len(lines)} scenarios: none differ"]


def test_no_shipped_reference_is_short_of_seeds():
    for scenario in regression.files_of(SUITE):
        sample = references.read(references.path_of(scenario)).sample
        for key, rows in sample.points().items():
            values = samples.by_seed(rows).values()
            needed = equivalence.seeds_needed(values, regression.TOLERANCE)
            assert needed <= len(values), (scenario.name, key)


def test_a_run_with_other_seeds_passes(systems):
    done = regress("--statistical", "--seeds", OTHER_SEEDS, systems)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "systems: 8 points at a tolerance of 1.5%: 8 same" in done.stdout


def test_one_system_that_is_3_percent_slower_is_caught_with_other_seeds(systems, tmp_path):
    content = json.loads(systems.read_text())
    content["variants"]["DSA"] = SLOWER
    write(systems, content)
    kept = tmp_path / "kept"
    done = regress("--statistical", "--seeds", OTHER_SEEDS, "--out", kept, systems)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "8 points at a tolerance of 1.5%: 7 same, 1 moved" in done.stdout
    assert slowdown(kept / "systems", "DSA") == pytest.approx(1.03, abs=0.003)


def slowdown(folder, variant):
    """Measured, beside the reference's mean."""
    reference = ina_sim.rows(SUITE / "references" / "systems", "jct.csv")
    before, now = (
        [float(row["jct_us"]) for row in rows if row["variant"] == variant]
        for rows in (reference, ina_sim.rows(folder))
    )
    assert len(before) == len(now) == 28
    return sum(now) / sum(before)


def test_an_exact_comparison_says_which_table_and_row_differ(little):
    assert regress(little).stdout == "little: identical\n1 scenarios: none differ\n"
    content = LITTLE | {"variants": LITTLE["variants"] | {"DSA": SLOWER}}
    done = regress(write(little, content))
    assert done.returncode == 1
    assert "first in run 1 (variant DSA, seed 1) at " in done.stdout
    assert " us: iterations.csv, job 0, iteration 0: iteration_us " in done.stdout
    assert done.stdout.endswith("1 scenarios: 1 differ\n")


@pytest.mark.parametrize("kept", [False, True], ids=["without --out", "with --out"])
@pytest.mark.parametrize("options", [[], ["--accept"]], ids=["compare", "accept"])
def test_an_interruption_says_whether_runs_are_kept(little, tmp_path, options, kept):
    stopped = tmp_path / "stopped"
    stopped.write_text("#!/bin/sh\nexit 130\n")
    stopped.chmod(0o755)
    out = ["--out", tmp_path / "kept"] if kept else []
    done = regress("--program", stopped, *options, *out, little)
    assert (done.returncode, done.stdout) == (130, "")
    assert complaints(done) == ([] if kept else [
        "ina: regress: stopped; without --out nothing is kept, what has been run is removed"
    ])  # fmt: skip


def test_too_few_seeds_are_a_result_of_their_own(little):
    done = regress("--statistical", "--seeds", "5-6", "--tolerance", "0.0001", little)
    assert done.returncode == 1
    assert "too few seeds" in done.stdout
    assert "seeds needed" in done.stdout


def test_nothing_is_renewed_where_nothing_changed(little, tmp_path):
    before = files_of(tmp_path)
    done = regress("--accept", little)
    assert (done.returncode, done.stdout) == (0, "nothing changed\n")
    assert files_of(tmp_path) == before


def test_accept_renews_a_reference_and_says_what_changed(little, tmp_path):
    changes = tmp_path / "references" / "CHANGES.md"
    assert "## little\n\nNew: 2 points." in changes.read_text()
    write(little, LITTLE | {"variants": LITTLE["variants"] | {"DSA": SLOWER}})
    assert regress(little).returncode == 1
    assert regress("--accept", little).returncode == 0
    text = changes.read_text()
    assert "New:" not in text
    assert "1 of 2 points have the same mean JCT." in text
    (row,) = [line for line in text.splitlines() if line.startswith("| DSA ")]
    assert row.split(" | ")[2] == "2, 2"
    assert 1.02 < float(row.split(" | ")[5]) < 1.04
    assert regress(little).returncode == 0


def test_a_run_that_fails_renews_nothing(little, tmp_path):
    before = files_of(tmp_path / "references")
    write(little, LITTLE | {"seeds": "3-4"})
    broken = write(tmp_path / "zzz.json", LITTLE | {"topology": {"hosts": 0}})
    done = regress("--accept", little, broken)
    assert done.returncode == 2
    assert files_of(tmp_path / "references") == before


def test_what_has_no_reference_yet_differs(little, tmp_path):
    other = write(tmp_path / "other.json", LITTLE)
    done = regress(other)
    assert done.returncode == 1
    assert f"other: no reference yet: ./ina regress --accept {other}\n" in done.stdout


@pytest.mark.usefixtures("little")
def test_what_is_no_scenario_is_refused_before_a_reference_is_missed(tmp_path):
    broken = write(tmp_path / "broken.json", LITTLE | {"topology": {"hosts": 0}})
    done = regress(broken)
    assert (done.returncode, done.stdout) == (2, "")
    assert "/topology/hosts" in done.stderr


def test_what_somebody_else_wrote_is_not_overwritten(little, tmp_path):
    changes = tmp_path / "references" / "CHANGES.md"
    changes.write_text("mine\n")
    write(little, LITTLE | {"seeds": "3-4"})
    before = files_of(tmp_path / "references")
    done = regress("--accept", little)
    assert done.returncode == 2
    assert len(complaints(done)) == 1
    assert files_of(tmp_path / "references") == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gone.json"], "gone.json: no such file or folder"),
        (["."], "no scenario; allowed: a folder of scenarios, *.json"),
        (["--seeds", "1-2"], "--seeds: allowed: with --statistical"),
        (["--accept", "--statistical"], "not allowed with argument"),
        (["--accept", "--json", "numbers.json"], "--json: allowed: without --accept"),
        (["--tolerance", "-1"], "--tolerance: -1 is not a share of 0 or more"),
        (["--tolerance", "much"], "--tolerance: much is not a share of 0 or more"),
        (["--tolerance", "0.1"], "--tolerance: allowed: with --statistical or --accept"),
        (["--json", "gone/numbers.json"], "/gone: no such folder"),
    ],
)
def test_bad_input_is_refused_in_one_line(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    done = regress(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_reference_that_was_edited_is_refused(little, tmp_path):
    table = tmp_path / "references" / "little" / "jct.csv"
    table.write_text(table.read_text().replace("DSA", "ASD"))
    done = regress("--statistical", little)
    assert done.returncode == 2
    (line,) = complaints(done)
    assert "jct.csv" in line


def test_json_holds_the_findings(little, tmp_path):
    file = tmp_path / "findings.json"
    assert regress("--json", file, little).returncode == 0
    content = json.loads(file.read_text())
    assert content["written_by"] == "ina regress --json"
    assert content["passes"] is True
    assert content["scenarios"] == [
        {"scenario": str(little), "passes": True, "lines": ["identical"]}
    ]

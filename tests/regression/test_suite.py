# SPDX-License-Identifier: BSD-3-Clause
"""The regression suite: the shipped references, and what the command detects, renews and rejects.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import zlib
from pathlib import Path

import ina_sim
import jsonschema
import pytest

from analysis import equivalence
from analysis.regress import references, regression, samples, suite

SUITE = Path(__file__).resolve().parent / "suite"
OTHER_SEEDS = "101-128"  # the same number as in systems.json
SLOWER = {"system": "dsa", "switch": {"pipeline_latency": "660ns"}}  # 3 %, measured below
LITTLE = {
    "extends": "common/star.json",
    "variants": {"ATP": {"system": "atp"}, "DSA": {"system": "dsa"}},
    "seeds": "1-2",
}


COMMAND = ["/usr/bin/python3", "-P", "-m", "analysis", "regress", "--program"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ina_sim.REPOSITORY)}


def regress(*arguments):
    return subprocess.run(
        [*COMMAND, ina_sim.program(), *map(str, arguments)],
        capture_output=True, text=True, check=False, env=ENVIRONMENT,
    )  # fmt: skip


def start(*arguments):
    return subprocess.Popen(
        [*COMMAND, ina_sim.program(), *map(str, arguments)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT, process_group=0,
    )  # fmt: skip


def wait_for(is_so):
    """Waits for at most a minute."""
    for _ in range(600):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError("not within a minute")


def complaints(done):
    """The error output of the command, without its progress."""
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


@pytest.fixture(scope="session")
def accepted(tmp_path_factory):
    """A user's own suite, with a reference of two systems. Tests must not change it."""
    folder = tmp_path_factory.mktemp("accepted")
    shutil.copytree(SUITE / "common", folder / "common")
    done = regress("--accept", write(folder / "little.json", LITTLE))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{folder}/references/CHANGES.md\n"
    return folder


@pytest.fixture
def little(tmp_path, accepted):
    """A copy of the suite `accepted`, which the test may change."""
    shutil.copytree(accepted, tmp_path, dirs_exist_ok=True)
    return tmp_path / "little.json"


def checked(content):
    """The reference conforms to the schema."""
    schema = json.loads((ina_sim.REPOSITORY / "analysis" / "json.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(content)
    return content


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_shipped_suite_is_byte_for_byte_what_it_was():
    done = regress()
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [f"{path.stem}: identical" for path in sorted(SUITE.glob("*.json"))]
    assert done.stdout.splitlines() == [*lines, f"{len(lines)} scenarios: {len(lines)} same"]


def test_no_shipped_reference_is_short_of_seeds():
    for scenario in suite.files_of(SUITE):
        sample = references.read(references.path_of(scenario)).sample
        for key, rows in sample.points().items():
            values = samples.by_seed(rows).values()
            needed = equivalence.seeds_needed(values, regression.TOLERANCE)
            assert needed is not None, (scenario.name, key)
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
    assert "8 points at a tolerance of 1.5%: 7 same, 1 different" in done.stdout
    assert slowdown(kept / "systems" / "systems", "DSA") == pytest.approx(1.03, abs=0.003)


def slowdown(folder, variant):
    """The measured mean divided by the reference's mean."""
    reference = ina_sim.rows(SUITE / "references" / "systems", "jct.csv")
    before, now = (
        [float(row["jct_us"]) for row in rows if row["variant"] == variant]
        for rows in (reference, ina_sim.rows(folder))
    )
    assert len(before) == len(now) == 28
    return sum(now) / sum(before)


def test_an_exact_comparison_says_which_table_and_row_differ(little):
    assert regress(little).stdout == "little: identical\n1 scenario: 1 same\n"
    content = LITTLE | {"variants": LITTLE["variants"] | {"DSA": SLOWER}}
    done = regress(write(little, content))
    assert done.returncode == 1
    assert "first in run (variant DSA, seed 1) at " in done.stdout
    assert " us: iterations.csv, job 0, iteration 0: period_us " in done.stdout
    assert done.stdout.endswith("1 scenario: 1 different\n")


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
        "ina: regress: stopped; without --out, the finished runs are removed"
    ])  # fmt: skip


def test_too_few_seeds_are_inconclusive(little):
    done = regress("--statistical", "--seeds", "5-6", "--tolerance", "0.0001", little)
    assert done.returncode == 5
    assert " seeds of each would decide)" in done.stdout
    assert done.stdout.endswith("1 scenario: 1 inconclusive\n")


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


def damage(folder):
    table = folder / "jct.csv"
    table.write_text(table.read_text().replace("DSA", "ASD"))


@pytest.mark.parametrize("options", [[], ["--statistical"]], ids=["exact", "over seeds"])
def test_what_cannot_be_compared_is_a_finding_and_the_others_are_compared(
    little, tmp_path, options
):
    names = ("another_sweep", "damaged", "no_reference", "no_scenario", "no_json", "all_jobs_fail")
    for name in names:
        write(tmp_path / f"{name}.json", LITTLE)
    without = tmp_path / "no_reference.json"
    without.unlink()
    assert regress("--accept", tmp_path).returncode == 0
    write(without, LITTLE)
    write(tmp_path / "another_sweep.json", LITTLE | {"sweep": {"/topology/hosts": [8, 9]}})
    damage(tmp_path / "references" / "damaged")
    write(tmp_path / "no_scenario.json", LITTLE | {"topology": {"hosts": 0}})
    (tmp_path / "no_json.json").write_text("{")
    kill = {"fault": "job_is_killed", "job": 0, "at": "10us"}
    write(tmp_path / "all_jobs_fail.json", LITTLE | {"faults": {"nodes": [kill]}})
    file = tmp_path / "findings" / "found.json"
    file.parent.mkdir()
    done = regress(*options, "--json", file, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    content = checked(json.loads(file.read_text()))
    assert (content["passes"], content["verdict"]) == (False, "different")
    found = {Path(one["scenario"]).stem: one for one in content["scenarios"]}
    assert found.pop("little")["verdict"] == "same"
    assert {name: one["passes"] for name, one in found.items()} == dict.fromkeys(names, False)
    assert found["all_jobs_fail"]["verdict"] == "different"
    assert "/topology/hosts" in found["no_scenario"]["lines"][0]
    sweeps = "another sweep: variant in the reference, variant, /topology/hosts now"
    assert found["another_sweep"]["lines"] == [sweeps]


def test_options_that_no_scenario_can_be_run_with_are_bad_input(little, tmp_path):
    file = tmp_path / "found.json"
    done = regress("--statistical", "--seeds", "none", "--json", file, little)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--seeds" in done.stderr
    assert not file.exists()


def test_a_reference_without_a_scenario_is_found_and_accept_removes_it(little, tmp_path):
    other = write(tmp_path / "other.json", LITTLE)
    assert regress("--accept", other).returncode == 0
    other.rename(tmp_path / "renamed.json")
    (tmp_path / "references" / "mine").mkdir()  # a foreign folder
    done = regress(tmp_path)
    assert done.returncode == 1
    assert "other: a reference without a scenario: ./ina regress --accept removes it\n" in done.stdout
    assert done.stdout.endswith("3 scenarios: 1 same, 2 failed\n")
    assert regress("--accept", tmp_path).returncode == 0
    names = {path.name for path in (tmp_path / "references").iterdir()}
    assert names == {"little", "renamed", "mine", "CHANGES.md"}
    assert "## other" not in (tmp_path / "references" / "CHANGES.md").read_text()
    assert regress(tmp_path).returncode == 0


def empty_manifest(folder):
    (folder / "manifest.json").write_text("")


def list_as_manifest(folder):
    (folder / "manifest.json").write_text("[]")


def rename_column(folder):
    """Modifies a reference and corrects its CRC, as a later version may do."""
    table, manifest = folder / "jct.csv", folder / "manifest.json"
    other = table.read_text().replace("jct_us", "jct_ns")
    text = manifest.read_text().replace(crc_of(table.read_bytes()), crc_of(other.encode()))
    manifest.write_text(text)
    table.write_text(other)


@pytest.mark.parametrize("harm", [damage, empty_manifest, list_as_manifest, rename_column])
def test_a_damaged_reference_is_a_finding_and_can_be_renewed(little, tmp_path, harm):
    harm(tmp_path / "references" / "little")
    done = regress(little)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "1 scenario: 1 failed")
    assert regress("--accept", little).returncode == 0
    assert regress(little).returncode == 0
    text = (tmp_path / "references" / "CHANGES.md").read_text()
    assert "The reference was damaged (" in text


def test_another_order_of_variants_is_the_same(little):
    variants = dict(reversed(LITTLE["variants"].items()))
    done = regress(write(little, LITTLE | {"variants": variants}))
    assert done.returncode == 0, done.stdout
    assert "no difference in " in done.stdout


def test_trouble_with_the_machine_is_no_difference(little, tmp_path):
    full = tmp_path / "full"
    full.write_text("#!/bin/sh\nexit 4\n")
    full.chmod(0o755)
    done = regress("--program", full, little)
    assert done.returncode == 4
    assert "little: environment error (status 4, see standard error)\n" in done.stdout


@pytest.mark.parametrize("options", [["--tolerance", "1"], ["--seeds", "1"], ["--unknown"], ["gone.json"]])
def test_no_verdict_of_a_former_call_outlives_a_wrong_one(little, tmp_path, options):
    file = tmp_path / "found.json"
    assert regress("--json", file, little).returncode == 0
    assert regress(f"--json={file}", *options).returncode == 2
    assert not file.exists()


def test_sections_of_other_scenarios_stay_in_the_changes(little, tmp_path):
    other = write(tmp_path / "other.json", LITTLE)
    assert regress("--accept", other).returncode == 0
    write(little, LITTLE | {"seeds": "3-4"})
    assert regress("--accept", little).returncode == 0
    text = (tmp_path / "references" / "CHANGES.md").read_text()
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## little", "## other"]
    assert str(tmp_path) not in text


def test_accept_renews_all_or_nothing(little, tmp_path):
    other = write(tmp_path / "other.json", LITTLE)
    assert regress("--accept", other).returncode == 0
    for scenario in (little, other):
        write(scenario, LITTLE | {"seeds": "3-4"})
    write(tmp_path / "new.json", LITTLE)
    table = tmp_path / "references" / "other" / "links.csv"
    table.unlink()
    table.mkdir()  # a file cannot replace a folder
    before = files_of(tmp_path / "references")
    done = regress("--accept", tmp_path)
    assert (done.returncode, done.stdout) == (4, "")
    (line,) = complaints(done)
    assert line.endswith("; no reference was renewed")
    assert files_of(tmp_path / "references") == before
    assert not (tmp_path / "references" / "new").exists()


def test_a_changed_default_is_named_with_both_commits_before_rows(little, tmp_path):
    manifest = tmp_path / "references" / "little" / "manifest.json"
    text = manifest.read_text()
    assert '"buffer_bytes": "16MB"' in text
    text = text.replace('"buffer_bytes": "16MB"', '"buffer_bytes": "8MB"')
    commit = json.loads(text)["build"]["commit"]
    manifest.write_text(text.replace(commit, "0123456789ab"))
    table = tmp_path / "references" / "little" / "links.csv"
    other = table.read_text().replace(",0,", ",1,", 1)
    manifest.write_text(
        manifest.read_text().replace(crc_of(table.read_bytes()), crc_of(other.encode()))
    )
    table.write_text(other)
    done = regress(little)
    assert done.returncode == 1
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[1] == '/switch/buffer_bytes: "8MB" then, "16MB" now (default changed)'
    assert lines[2].startswith("by ina ")
    assert "commit 0123456789ab" in lines[2]
    assert lines[2].endswith(" then")
    assert f"commit {commit}" in lines[3]
    assert " rows differ, " in lines[4]


def crc_of(content):
    return f"{zlib.crc32(content):08x}"


def test_scenarios_of_one_name_have_folders_of_their_own(little, tmp_path):
    twin = write(tmp_path / "twin.json", LITTLE | {"name": "little", "seeds": "5-6"})
    assert regress("--accept", twin).returncode == 0
    kept = tmp_path / "kept"
    assert regress("--out", kept, little, twin).returncode == 0
    seeds = [ina_sim.rows(kept / name / "little")[0]["seed"] for name in ("little", "twin")]
    assert seeds == ["1", "5"]


def test_accept_keeps_the_tables_of_all_seeds(little, tmp_path):
    write(little, LITTLE | {"seeds": "3-5"})
    kept = tmp_path / "kept"
    assert regress("--accept", "--out", kept, little).returncode == 0
    assert {row["seed"] for row in ina_sim.rows(kept / "little" / "little")} == {"3", "4", "5"}


def finished_runs(points):
    """The manifests of finished runs."""
    return [path for path in points.glob("*/manifest.json") if path.parent.suffix != ".tmp"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_what_has_been_run_and_the_next_call_goes_on(little, tmp_path, number):
    write(little, LITTLE | {"seeds": "1-400", "jobs": {"iterations": 200}})
    kept = tmp_path / "kept"
    arguments = ["--statistical", "--out", kept, "--parallel", "1", little]
    started = start(*arguments)
    points = kept / "little" / "little" / "points"
    wait_for(lambda: len(finished_runs(points)) > 2)
    started.send_signal(number)
    assert started.wait(timeout=60) == 128 + number
    finished = {path: path.stat().st_mtime_ns for path in finished_runs(points)}
    assert len(finished) > 2
    write(little, LITTLE | {"seeds": "1-2", "jobs": {"iterations": 200}})
    assert regress(*arguments).returncode == 1
    assert {path: path.stat().st_mtime_ns for path in finished} == finished


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


def test_json_holds_the_findings(little, tmp_path):
    file = tmp_path / "findings.json"
    assert regress("--json", file, little).returncode == 0
    content = checked(json.loads(file.read_text()))
    assert content["written_by"] == "ina regress --json"
    assert content["passes"] is True
    (found,) = content["scenarios"]
    assert found["scenario"] == str(little)
    assert (found["passes"], found["lines"]) == (True, ["identical"])
    assert found["a"] == found["b"]


def test_json_over_seeds_has_curves_that_can_be_kept(little):
    done = regress("--statistical", "--json", "-", little)
    assert done.returncode == 0
    content = checked(json.loads(done.stdout))
    assert (content["mode"], content["tolerance"]) == ("statistical", regression.TOLERANCE)
    (found,) = content["scenarios"]
    assert found["a"]["seeds"] == found["b"]["seeds"] == [1, 2]
    assert set(found["a"]["build"]) >= {"ina", "commit", "ns3", "compiler", "flags"}
    for point in found["points"]:
        assert point["verdict"] == "same"
        assert point["jct_ms_a"] == point["jct_ms_b"] > 0
        assert point["ratio_low"] == point["ratio"] == point["ratio_high"] == 1

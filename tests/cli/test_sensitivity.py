# SPDX-License-Identifier: BSD-3-Clause
"""`ina sensitivity`, from the simulator to its page."""

import csv
import json
import os
import subprocess

import ina_sim
import pytest

VARIANTS = {"SwitchML": {"system": "switchml"}, "ATP": {"system": "atp"}}
BANDWIDTH_BOUND = {
    "topology": {"hosts": 2, "parameter_servers": 1, "link": {"rate": "10Gbps", "delay": "0s"}},
    "jobs": {"workers": 2, "profile": {"name": "2MB", "layers": [{"parameters": 500000}]}},
    "switchml": {"slots": 512},
    "variants": VARIANTS,
}


def sensitivity(file, out, *arguments):
    command = ["/usr/bin/python3", "-P", "-m", "analysis", "sensitivity", "--program", ina_sim.program()]
    return subprocess.run(
        [*command, str(file), "--out", str(out), *map(str, arguments)], capture_output=True, text=True,
        check=False, env=os.environ | {"PYTHONPATH": str(ina_sim.REPOSITORY)},
    )  # fmt: skip


def written(tmp_path, content=BANDWIDTH_BOUND):
    file = tmp_path / "bound.json"
    file.write_text(json.dumps(content))
    return file


def rows_of(folder, file="elasticities.csv"):
    with open(folder / file, newline="", encoding="utf-8") as table:
        return {(row["key"], row["of"]): row for row in csv.DictReader(table)}


def test_a_job_whose_line_is_its_bound_takes_time_as_one_over_the_rate(tmp_path):
    rate = "/topology/link/rate"
    done = sensitivity(written(tmp_path), tmp_path, "--keys", f"{rate}=10Gbps..40Gbps", "--trajectories", 0)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("bound: 4 runs: 2 settings of 2 runs each, of 1 key,")
    row = rows_of(tmp_path / "bound" / "sensitivity")[rate, "SwitchML"]
    assert float(row["elasticity"]) == pytest.approx(-1, abs=0.01)
    assert (row["low"], row["high"], row["unit"]) == ("10Gbps", "40Gbps", "ms")
    assert row["at_point"] == row["at_low"]


def test_a_second_call_runs_nothing_again_and_writes_the_same_bytes(tmp_path):
    file = written(tmp_path)
    keys = ["--keys", "/switch/passes,/topology/link/framing_bytes", "--trajectories", 1]
    assert sensitivity(file, tmp_path, *keys).returncode == 0
    folder = tmp_path / "bound" / "sensitivity"
    manifests = sorted(folder.glob("*/manifest.json"))
    times = [path.stat().st_mtime_ns for path in sorted(folder.glob("*/points/*/manifest.json"))]
    results = {path.name: path.read_bytes() for path in folder.glob("*.*")}
    pages = {"sensitivity.html", "sensitivity.json", "tornado.png", "tornado.pdf"}
    assert set(results) == pages | {"elasticities.csv", "morris.csv"}
    assert sensitivity(file, tmp_path, *keys).returncode == 0
    assert sorted(folder.glob("*/manifest.json")) == manifests
    assert [path.stat().st_mtime_ns for path in sorted(folder.glob("*/points/*/manifest.json"))] == times
    assert {path.name: path.read_bytes() for path in folder.glob("*.*")} == results


def test_an_estimate_says_how_many_runs_and_how_long_and_runs_nothing(tmp_path):
    done = sensitivity(written(tmp_path), tmp_path / "out", "--estimate", "--keys", "/switch/hash,/jobs/iterations")
    assert done.returncode == 0, done.stderr
    first, point, everything = done.stdout.splitlines()
    assert first.startswith("bound: ")
    assert point.startswith("the point: bound: 2 runs, ")
    assert "MB of memory" in point
    assert everything.startswith("all settings: about ")
    assert not (tmp_path / "out").exists()


def test_keys_that_the_scenario_does_not_use_or_that_a_variant_sets_are_skipped_and_said_so(tmp_path):
    content = BANDWIDTH_BOUND | {"variants": {**VARIANTS, "slow": {"system": "atp", "switch": {"hash": "crc16"}}}}
    done = sensitivity(
        written(tmp_path, content), tmp_path, "--estimate", "--keys",
        "/dsa/min_rto,/topology/uplink/framing_bytes,/switch/hash,/switch/passes",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = done.stderr.splitlines()
    assert said[0] == "ina: skipped: /dsa/min_rto: no variant has the system dsa"
    assert said[1] == "ina: skipped: /topology/uplink/framing_bytes: there is one switch"
    assert said[2].startswith("ina: skipped: /switch/hash: ")
    assert 'found an override that the variant "slow" would replace' in said[2]
    assert "of 1 key," in done.stdout


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        ({"variants": {"SwitchML": {"system": "switchml"}}}, [], "only SwitchML; allowed: two variants or more"),
        ({"sweep": {"/jobs/iterations": [1, 2]}}, [], "/sweep: 2 values of /jobs/iterations; allowed: one point"),
        ({"variants": {"A": {"system": "none"}}}, [], "/variants/A/system: "),
        ({}, ["--set", "/nothing=1"], "/nothing: unknown key"),
        ({}, ["--keys", "/jobs/workers=100..200"], "/jobs/workers: "),
    ],
)  # fmt: skip
def test_wrong_input_ends_with_one_line_and_status_2(content, arguments, said, tmp_path):
    done = sensitivity(written(tmp_path, BANDWIDTH_BOUND | content), tmp_path / "out", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()

# SPDX-License-Identifier: BSD-3-Clause
"""Tests the arguments that ina-campaign (environment variable INA_CAMPAIGN) accepts and rejects."""

import json
import os
import subprocess

import pytest

FEW = ["--system", "dsa", "--runs", "2"]


def campaign(*arguments):
    command = [os.environ["INA_CAMPAIGN"], *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--system", "tcp"], "switchml"),
        (["--runs", "0"], "--runs"),
        (["--first-seed", "-1"], '--first-seed: found "-1"; allowed: a whole number from 1 to '),
        (["--seed", "1-3"], '--seed: found "1-3"; allowed: a whole number from 1 to '),
        (["--runs", "0x10"], '--runs: found "0x10"; allowed: a whole number from 1 to '),
        (["--most-failures", "-1"], '--most-failures: found "-1"; allowed: a whole number from 1'),
        (["--seed", "5000000000"], "--seed"),
        (["--seed", "1", "--runs", "2"], "--runs"),
        (["--open-ports"], "--hostile"),
        (["--mutant", "none"], "dsa-no-reminder"),
        (["--mutant", "dsa-no-reminder"], "--system dsa"),
        (["--most-failures", "0"], "--most-failures"),
        (["--json", "/nowhere/numbers.json"], "/nowhere/numbers.json"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments, word):
    done = campaign(*arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("ina: ")
    assert word in done.stderr
    assert done.stdout == ""


def test_numbers(tmp_path):
    done = campaign(*FEW, "--json", tmp_path / "numbers.json")
    assert (done.returncode, done.stderr) == (0, "")
    content = json.loads((tmp_path / "numbers.json").read_text())
    assert list(content) == ["written_by", "systems"]
    assert content["written_by"] == "ina campaign --json"
    (row,) = content["systems"]
    assert (row["system"], row["runs"], row["first_seed"]) == ("dsa", 2, 1)
    assert row["failures"] == []
    assert row["counts"]["frames"] > 0
    assert [file.name for file in tmp_path.iterdir()] == ["numbers.json"]


def test_what_is_not_ours_is_kept_and_nothing_is_run(tmp_path):
    target = tmp_path / "mine.json"
    target.write_text("[]")
    done = campaign(*FEW, "--json", target)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ina: --json: {target} contains something that --json")
    assert target.read_text() == "[]"


@pytest.mark.parametrize("arguments", [["--help"], FEW])
def test_output_that_goes_nowhere_is_one_line_and_the_status_of_trouble(arguments):
    with open("/dev/full", "wb", buffering=0) as full:
        done = subprocess.run(
            [os.environ["INA_CAMPAIGN"], *arguments], stdout=full, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 4
    assert done.stderr == "ina: standard output cannot be written\n"

# SPDX-License-Identifier: BSD-3-Clause
"""Tests the arguments that ina-bench (environment variable INA_BENCH) accepts and rejects."""

import os
import subprocess

import pytest


def bench(*arguments, **options):
    command = [os.environ["INA_BENCH"], *map(str, arguments)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **options)


@pytest.mark.parametrize(
    "arguments", [["--rounds", "0"], ["--rounds", "x"], ["--rounds", "1-3"], ["--rounds", "-1"], ["--fast"], ["speed"], ["--json", "/nowhere/n.json"],
        ["--htsim", "/bin/true"], ["--htsim", "/nowhere/htsim_roce", "peers"]]
)
def test_bad_arguments_are_refused_in_one_line(arguments):
    done = bench(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("ina: ")
    assert done.stderr.count("\n") == 1
    assert arguments[0] in done.stderr


def test_what_is_not_ours_is_kept_and_nothing_is_measured(tmp_path):
    target = tmp_path / "mine.json"
    target.write_text('{"mine": 1}')
    done = bench("--json", target, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ina: --json: {target} contains something that --json")
    assert target.read_text() == '{"mine": 1}'


def test_output_that_goes_nowhere_is_one_line_and_the_status_of_trouble():
    with open("/dev/full", "wb", buffering=0) as full:
        done = bench("--help", stdout=full)
    assert done.returncode == 4
    assert done.stderr == "ina: standard output cannot be written\n"

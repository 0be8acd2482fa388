# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios on tap interfaces, which bridges join pair by pair in a namespace of their own."""

import json
import os
import shutil

import pytest

from hw.testbed.namespaces import FOLDER
from hw.testbed.tests.support import (
    LARGEST_FRAMES,
    SMALL,
    ina_testbed,
    needs_namespaces,
    needs_two,
    rows,
    set_keys,
)

pytestmark = needs_namespaces
NAME = f"small-{os.getpid()}"  # namespaces are the machine's, which others may test on


@pytest.fixture
def small(tmp_path):
    yield shutil.copy(SMALL, tmp_path / f"{NAME}.json")
    assert list(FOLDER.glob(f"ina.{NAME}.*")) == []


def test_sums_are_exact_in_the_largest_frames(tmp_path, temporary, small):
    options = ("--links", "tap", "--out", tmp_path)
    done = ina_testbed(temporary, "run", small, *set_keys(**LARGEST_FRAMES), *options)
    assert done.returncode == 0, done.stderr
    (job,) = rows(tmp_path / NAME, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")


@pytest.mark.parametrize("cores", [1, pytest.param(2, marks=needs_two)])
@pytest.mark.parametrize("system", ["switchml", "dsa"])
def test_every_sum_is_exact(tmp_path, temporary, small, system, cores):
    options = ("--links", "tap", "--switch-cores", cores, "--out", tmp_path)
    done = ina_testbed(temporary, "run", small, *set_keys(system=system), *options)
    assert done.returncode == 0, done.stderr
    (job,) = rows(tmp_path / NAME, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")
    manifest = json.loads((tmp_path / NAME / "manifest.json").read_text())
    assert manifest["testbed"]["links"] == "tap"


def test_commands_have_no_taps(temporary, small):
    done = ina_testbed(temporary, "exec", small, "--links", "tap", "--", "true")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "--links" in line

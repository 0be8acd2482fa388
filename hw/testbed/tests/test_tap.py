# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios on tap interfaces, which bridges join in pairs in a namespace of their own."""

import json
import os
import shutil
import signal

import pytest

from hw.commands.errors import CommandError
from hw.testbed.namespaces import FOLDER, call
from hw.testbed.tests.support import (
    ENDLESS,
    IS_ROOT,
    LARGEST_FRAMES,
    PATIENCE_S,
    SMALL,
    assert_refused,
    children_of,
    ina_testbed,
    kill,
    needs_namespaces,
    needs_two,
    rows,
    set_keys,
    start_testbed,
    wait_for,
)

pytestmark = needs_namespaces
as_root = pytest.mark.skipif(not IS_ROOT, reason="namespaces that last need root")
NAME = f"small-{os.getpid()}"  # namespaces are shared by all users of the host, so other tests may
                               # run there


@pytest.fixture
def small(tmp_path):
    yield shutil.copy(SMALL, tmp_path / f"{NAME}.json")
    assert namespaces() == []


def namespaces():
    return [path.name for path in FOLDER.glob(f"ina*.{NAME}.*")]


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


def test_runs_of_a_sweep_follow_each_other_also_after_one_that_failed(tmp_path, temporary, small):
    variants = {"ATP": {"system": "atp"}, "lossy": ENDLESS, "DSA": {"system": "dsa"}}
    options = ("--links", "tap", "--out", tmp_path, "--seeds", "1-2")
    done = ina_testbed(temporary, "run", small, *set_keys(variants=variants), *options)
    *failed, last = done.stderr.splitlines()
    assert [line.split(": ")[2] for line in failed] == [
        f"run 1 /variants=lossy seed={seed}" for seed in (1, 2)
    ]
    assert f"2 runs failed; 4 of 6 runs finished; they are kept in {tmp_path / NAME} " in last
    assert done.returncode == 3
    jobs = rows(tmp_path / NAME, "jobs.csv")
    assert sorted((job["variant"], job["seed"]) for job in jobs) == [
        (variant, seed) for variant in ("ATP", "DSA") for seed in "12"
    ]


def start_endless(temporary, small, out):
    """Returns when its processes exist."""
    endless = set_keys(**{"jobs/iterations": 1_000_000})
    process = start_testbed(temporary, "run", small, *endless, "--links", "tap", "--out", out)
    wait_for(lambda: len(children_of(process)) == 4)
    return process


@pytest.fixture
def killed(tmp_path, temporary, small):
    """The namespace that a killed run has left behind."""
    process = start_endless(temporary, small, tmp_path / "killed")
    kill(process)
    shutil.rmtree(next(temporary.iterdir()))
    assert namespaces() == [f"ina-tap.{NAME}.switch"]


@as_root
@pytest.mark.usefixtures("killed")
def test_down_removes_what_a_killed_run_left_behind(temporary, small):
    done = ina_testbed(temporary, "down", small)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert namespaces() == []
    assert_refused(ina_testbed(temporary, "down", small), f"{NAME}: not up")


@as_root
@pytest.mark.usefixtures("killed")
def test_the_next_run_replaces_what_a_killed_one_left_behind(tmp_path, temporary, small):
    done = ina_testbed(temporary, "run", small, "--links", "tap", "--out", tmp_path)
    assert done.returncode == 0, done.stderr


@as_root
def test_a_second_run_at_a_time_is_refused_and_harms_nothing(tmp_path, temporary, small):
    process = start_endless(temporary, small, tmp_path / "first")
    in_use = f"{NAME}: another run uses the namespaces; allowed: one run at a time"
    second = ("--links", "tap", "--out", tmp_path / "second")
    assert_refused(ina_testbed(temporary, "run", small, *second), in_use)
    assert_refused(ina_testbed(temporary, "down", small), in_use)
    assert process.poll() is None
    assert namespaces() == [f"ina-tap.{NAME}.switch"]
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE_S)
    process.stderr.close()


@pytest.mark.parametrize(
    "reason, hint",
    [
        ("RTNETLINK answers: File exists", ""),
        ("RTNETLINK answers: Operation not permitted", "; allowed: root, "),
    ],
)
def test_only_who_may_not_is_told_who_may(reason, hint):
    with pytest.raises(CommandError) as failed:
        call(["sh", "-c", 'echo "$1" >&2; exit 2', "sh", reason])
    assert str(failed.value).startswith(f"namespaces: {reason}{hint}")
    assert ("allowed" in str(failed.value)) == (hint != "")


def test_commands_have_no_taps(temporary, small):
    done = ina_testbed(temporary, "exec", small, "--links", "tap", "--", "true")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "--links" in line

# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios in network namespaces, run as root or as a user who may make them."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from hw.testbed.namespaces import FOLDER, Namespaces
from hw.testbed.tests.support import (
    IS_ROOT,
    LARGEST_FRAMES,
    PATIENCE_S,
    PROGRAMS,
    SMALL,
    SYSTEMS,
    assert_nothing_is_left_after,
    assert_refused,
    children_of,
    ina_testbed,
    needs_namespaces,
    rows,
    set_keys,
    start_testbed,
    wait_for,
)

NAME = f"small-{os.getpid()}"  # namespaces are shared by all users of the host, so other tests may
                               # run there
VETH = ("--links", "veth")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")

pytestmark = needs_namespaces
as_root = pytest.mark.skipif(not IS_ROOT, reason="namespaces that last need root")


def namespaces():
    """The namespaces of this test."""
    return {path.name for path in FOLDER.glob(f"ina.{NAME}.*")}


def interfaces():
    return set(os.listdir("/sys/class/net"))


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = interfaces()
    assert namespaces() == set()
    yield
    assert (namespaces(), interfaces()) == (set(), before)


@pytest.fixture
def small(tmp_path):
    return shutil.copy(SMALL, tmp_path / f"{NAME}.json")


def run_small(temporary, small, out, *arguments):
    return ina_testbed(temporary, "run", small, *VETH, "--out", out, *arguments)


def test_sums_are_exact_in_the_largest_frames(tmp_path, temporary, small):
    """Frames two bytes larger than the usual MTU allows."""
    done = run_small(temporary, small, tmp_path / "out", *set_keys(**LARGEST_FRAMES))
    assert done.returncode == 0, done.stderr
    (job,) = rows(tmp_path / "out" / NAME, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")


def start_endless(temporary, small, out):
    endless = set_keys(**{"jobs/iterations": 1_000_000})
    return start_testbed(temporary, "run", small, *VETH, *endless, "--out", out)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_sum_is_exact_in_spite_of_loss(tmp_path, temporary, small, system):
    faults = {"links": [{"loss": 0.02}]}
    done = run_small(temporary, small, tmp_path, *set_keys(system=system, faults=faults))
    assert done.returncode == 0, done.stderr
    folder = tmp_path / NAME
    (job,) = rows(folder, "jobs.csv")
    assert job["iterations"] == "2"
    assert job["rejected_frames"] == "0"  # the kernel sends no frames of its own
    assert sum(int(link["frames_lost"]) for link in rows(folder, "links.csv")) > 0
    assert json.loads((folder / "manifest.json").read_text())["testbed"]["links"] == "veth"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_after_an_interrupt(tmp_path, temporary, small, number):
    process = start_endless(temporary, small, tmp_path / "out")
    printed = f"ina: {NAME}: stopped with 0 of 1 run finished\n"
    assert_nothing_is_left_after(number, process, 0.3, printed)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("after_s", [0.1, 0.15, 0.2, 0.22, 0.25, 0.27, 0.3, 0.4])
def test_nothing_is_left_whenever_the_interrupt_comes(tmp_path, temporary, small, after_s):
    """The interrupt may arrive while the namespaces are being made."""
    process = start_endless(temporary, small, tmp_path / "out")
    time.sleep(after_s)
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE_S)
    process.stderr.close()
    assert not (tmp_path / "out").exists()


@as_root
def test_what_is_up_serves_many_runs_until_it_is_down(tmp_path, temporary, small):
    try:
        up = ina_testbed(temporary, "up", small)
        assert up.returncode == 0, up.stderr
        ours = {f"ina.{NAME}.{link}" for link in ("switch", "host0", "host1", "ps0")}
        assert set(up.stdout.split()) == ours
        for number in range(2):
            done = run_small(temporary, small, tmp_path / str(number))
            assert done.returncode == 0, done.stderr
            assert namespaces() == ours
    finally:
        down = ina_testbed(temporary, "down", small)
    assert (down.returncode, down.stdout, down.stderr) == (0, "", "")


@as_root
def test_what_is_up_belongs_to_one_run_at_a_time(tmp_path, temporary, small):
    def refused(done, words):
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert words in line

    refused(ina_testbed(temporary, "down", small), f"{NAME}: not up")
    assert ina_testbed(temporary, "up", small).returncode == 0
    try:
        refused(ina_testbed(temporary, "up", small), f"{NAME}: already up")
        wider = set_keys(topology={"hosts": 3}, **{"jobs/workers": 3})
        too_few = f"{NAME}: up without ina.{NAME}.host2"
        refused(run_small(temporary, small, tmp_path, *wider), too_few)
        process = start_endless(temporary, small, tmp_path / "out")
        wait_for(lambda: len(children_of(process)) == 4)
        claimed = run_small(temporary, small, tmp_path)
        assert process.poll() is None, process.stderr.read()
        refused(claimed, f"{NAME}: another run uses the namespaces")
        refused(ina_testbed(temporary, "down", small), f"{NAME}: another run uses the namespaces")
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)
        process.stderr.close()
    finally:
        assert ina_testbed(temporary, "down", small).returncode == 0


@as_root
def test_a_run_does_not_take_those_that_another_one_is_making(tmp_path, temporary, small):
    with Namespaces(NAME).made([]):  # the switch's is made first
        done = run_small(temporary, small, tmp_path)
        assert namespaces() == {f"ina.{NAME}.switch"}
    assert_refused(done, f"{NAME}: another run uses the namespaces; allowed: one run at a time")


@as_root
def test_a_user_needs_no_rights_where_the_kernel_lets_him_make_namespaces():
    folder = Path(tempfile.mkdtemp())
    try:
        os.chown(folder, 65534, 65534)
        tried = subprocess.run(
            [*NOBODY, "unshare", "-Urnm", PROGRAMS / "ina-sim", "--help"],
            capture_output=True,
            text=True,
            check=False,
        )
        if tried.returncode != 0:
            pytest.skip(f"no user namespaces, or no way to the programs: {tried.stderr.strip()}")
        done = ina_testbed(folder, "run", SMALL, *VETH, "--out", folder / "out", prefix=NOBODY)
        assert done.returncode == 0, done.stderr
        assert (folder / "out" / "small" / "manifest.json").stat().st_uid == 65534
        assert [path.name for path in folder.iterdir()] == ["out"]
    finally:
        shutil.rmtree(folder)

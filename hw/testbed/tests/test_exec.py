# SPDX-License-Identifier: BSD-3-Clause
"""Commands as workers."""

import signal

import pytest

from hw.testbed.tests.support import (
    SMALL,
    assert_nothing_is_left_after,
    ina_testbed,
    set_keys,
    start_testbed,
)

ONE = set_keys(system="atp")


def run_command(temporary, *words):
    return ina_testbed(temporary, "exec", SMALL, *ONE, "--", *words)


def test_each_worker_is_told_who_it_is(temporary):
    tell = 'echo "$INA_JOB $INA_RANK of $INA_WORKERS $INA_HOST $1"; test -f "$INA_CLUSTER" '
    done = run_command(temporary, "sh", "-c", tell + '&& test -f "$INA_LIBRARY"', "sh", "--out=x")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["0 0 of 2 0 --out=x", "0 1 of 2 1 --out=x"]


def test_workers_give_way_to_each_other_unless_told_otherwise(temporary, monkeypatch):
    tell = ("sh", "-c", 'echo "yields: $INA_YIELDS"')
    monkeypatch.delenv("INA_YIELDS", raising=False)
    assert run_command(temporary, *tell).stdout == "yields: 1\n" * 2
    monkeypatch.setenv("INA_YIELDS", "")
    assert run_command(temporary, *tell).stdout == "yields: \n" * 2


def test_the_first_failure_ends_all_and_is_the_status(temporary):
    done = run_command(temporary, "sh", "-c", 'test "$INA_RANK" = 0 && exit 7; sleep 1000')
    assert done.returncode == 7
    assert done.stderr == "ina: host0 ended with status 7\n"


def joins(rank_0, rank_1):
    """What ranks do after they have joined, as libina notes it."""
    joined = 'echo joined >>"$INA_PRESENCE"; '
    return "sh", "-c", f'if test "$INA_RANK" = 0; then {joined}{rank_0}; else {joined}{rank_1}; fi'


LEAVE = 'echo left >>"$INA_PRESENCE"'
LONGER_THAN_THE_GRACE = "sleep 8"


def test_a_worker_that_ends_well_but_has_not_left_is_named_when_others_wait(temporary):
    done = run_command(temporary, *joins("sleep 1000", "exit 0"))
    assert done.returncode == 1
    assert done.stderr == (
        "ina: host1 (job 0, rank 1) left before the others were done: it ended with status 0 "
        "without ina_finalize(); still there: host0\n"
    )


FAIL_TO_LEAVE = 'echo failed >>"$INA_PRESENCE"'


def test_a_worker_whose_leaving_failed_is_named_so_when_others_wait(temporary):
    done = run_command(temporary, *joins("sleep 1000", FAIL_TO_LEAVE))
    assert done.returncode == 1
    assert done.stderr == (
        "ina: host1 (job 0, rank 1) left before the others were done: it ended with status 0 "
        "but its ina_finalize() failed; still there: host0\n"
    )


def test_workers_whose_leaving_failed_are_named_when_nobody_waits_any_more(temporary):
    done = run_command(temporary, *joins(LEAVE, FAIL_TO_LEAVE))
    assert done.returncode == 1
    assert done.stderr == (
        "ina: host1 (job 0, rank 1): ended with status 0 but its ina_finalize() failed\n"
    )


def test_a_worker_that_ends_well_but_never_joined_is_named_when_others_wait(temporary):
    tell = 'test "$INA_RANK" = 0 && exit; echo joined >>"$INA_PRESENCE"; sleep 1000'
    done = run_command(temporary, "sh", "-c", tell)
    assert done.returncode == 1
    assert done.stderr == (
        "ina: host0 (job 0, rank 0) left before the others were done: it ended with status 0 "
        "and never joined; still there: host1\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        joins(LEAVE, f"{LEAVE}; {LONGER_THAN_THE_GRACE}"),
        joins(LEAVE, LONGER_THAN_THE_GRACE),
        ("sh", "-c", f'test "$INA_RANK" = 0 || {LONGER_THAN_THE_GRACE}'),
    ],
    ids=["both have left", "one has left", "nobody has joined"],
)
def test_a_worker_may_take_longer_than_others_that_do_not_wait_for_it(temporary, words):
    done = run_command(temporary, *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_that_does_not_exist_is_refused(temporary):
    done = run_command(temporary, "/nowhere/train")
    assert done.returncode == 2
    assert done.stderr == "ina: /nowhere/train: No such file or directory; allowed: a command\n"


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([SMALL, "--seeds", "1-2", "--", "true"], "2 runs; allowed: one"),
        ([SMALL], "COMMAND"),
    ],
)
def test_bad_input_is_refused_in_one_line(temporary, arguments, words):
    done = ina_testbed(temporary, "exec", *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


def test_nothing_is_left_after_an_interrupt(temporary):
    process = start_testbed(temporary, "exec", SMALL, *ONE, "--", "sleep", "1000")
    assert_nothing_is_left_after(signal.SIGINT, process)

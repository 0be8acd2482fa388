# SPDX-License-Identifier: BSD-3-Clause
"""The library and its Python binding, used by two workers on memif sockets."""

import re
import sys
from pathlib import Path

import pytest

from hw.testbed.tests.support import AMONG_WORKERS, SMALL, SYSTEMS, ina_testbed, set_keys

WORKER = Path(__file__).resolve().with_name("worker.py")


def run_workers(temporary, what, **keys):
    return ina_testbed(
        temporary, "exec", SMALL, *set_keys(**keys), "--", sys.executable, WORKER, what
    )


@pytest.mark.parametrize("system", (*SYSTEMS, *AMONG_WORKERS))
def test_integers_are_exact_and_floats_within_the_bound_in_spite_of_loss(temporary, system):
    faults = {"links": [{"loss": 0.002}]}
    done = run_workers(temporary, "everything", system=system, faults=faults)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("system", (*SYSTEMS, *AMONG_WORKERS))
def test_every_rank_gets_overflow_if_a_sum_of_integers_does_not_fit(temporary, system):
    done = run_workers(temporary, "overflows", system=system)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_cannot_be_summed_is_refused(temporary, system):
    done = run_workers(temporary, "refusals", system=system)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("system", SYSTEMS)
def test_workers_that_differ_are_told_so_and_go_on_in_step(temporary, system):
    faults = {"links": [{"loss": 0.002}]}
    done = run_workers(temporary, "differ", system=system, faults=faults)
    # No worker has left, because rank 0 found itself alone.
    assert done.returncode == 3
    assert done.stderr == (
        "ina: host1 (job 0, rank 1): ended with status 0 but its ina_finalize() failed\n"
    )


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("what", ["lifetimes", "forks"])
def test_arrays_outlive_what_the_library_does_with_them(temporary, system, what):
    done = run_workers(temporary, what, system=system)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("system", SYSTEMS)
def test_work_that_all_leave_unfinished_is_reported(temporary, system):
    done = run_workers(temporary, "exits", system=system)
    assert done.returncode == 3
    assert done.stderr == (
        "ina: host0 (job 0, rank 0), host1 (job 0, rank 1): ended with status 0 without "
        "ina_finalize(); allowed: ina_finalize(), which waits for all-reduces\n"
    )


def test_the_programs_in_the_readme_run(tmp_path, temporary):
    readme = WORKER.parents[1] / "README.md"
    programs = re.findall(r"^```python\n(.*?)^```$", readme.read_text(), re.DOTALL | re.MULTILINE)
    assert programs
    for program in programs:
        file = tmp_path / "program.py"
        file.write_text(program)
        done = ina_testbed(temporary, "exec", SMALL, "--", sys.executable, file)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_worker_without_the_others_gets_its_time_out(temporary):
    done = run_workers(temporary, "alone", system="atp")
    assert done.returncode == 3
    assert done.stderr == (
        "ina: host0 (job 0, rank 0): ended with status 0 but its ina_finalize() failed\n"
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_job_in_which_one_submits_less_does_not_end_well(temporary, system):
    done = run_workers(temporary, "submits_less", system=system)
    assert done.returncode == 3
    ended = ["host0 (job 0, rank 0)", "host1 (job 0, rank 1)"]  # in any order
    assert done.stderr in (
        f"ina: {first}, {second}: ended with status 0 but its ina_finalize() failed\n"
        for first, second in (ended, ended[::-1])
    )


def test_joining_has_a_time_limit_and_may_be_tried_again(temporary):
    done = run_workers(temporary, "cannot_join", system="atp")
    assert (done.returncode, done.stderr) == (0, "")


def test_joining_too_late_harms_neither_the_worker_nor_the_switch(temporary):
    for _ in range(10):  # an interrupted handshake does not always break something
        done = run_workers(temporary, "hardly_joins", system="atp")
        assert (done.returncode, done.stderr) == (0, "")


def test_the_launcher_names_who_left_the_others_waiting(temporary):
    done = run_workers(temporary, "leaves", system="atp")
    assert done.returncode == 3
    assert done.stderr == (
        "ina: host1 (job 0, rank 1) left before the other workers were done, with status 0 "
        "without ina_finalize(); still there: host0\n"
    )

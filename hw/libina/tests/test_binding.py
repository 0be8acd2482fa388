# SPDX-License-Identifier: BSD-3-Clause
"""The library and its Python binding, by two workers on memif sockets."""

import sys
from pathlib import Path

import pytest

from hw.testbed.tests.support import SMALL, SYSTEMS, ina_testbed, set_keys

WORKER = Path(__file__).resolve().with_name("worker.py")


def run_workers(temporary, what, **keys):
    return ina_testbed(
        temporary, "exec", SMALL, *set_keys(**keys), "--", sys.executable, WORKER, what
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_integers_are_exact_and_floats_within_the_bound_in_spite_of_loss(temporary, system):
    faults = {"links": [{"loss": 0.002}]}
    done = run_workers(temporary, "everything", system=system, faults=faults)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_cannot_be_summed_is_refused(temporary, system):
    done = run_workers(temporary, "refusals", system=system)
    assert done.returncode == 0, done.stderr


def test_a_worker_without_the_others_gets_its_time_out(temporary):
    done = run_workers(temporary, "alone", system="atp")
    assert done.returncode == 0, done.stderr

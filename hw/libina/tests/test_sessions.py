# SPDX-License-Identifier: BSD-3-Clause
"""Programs that follow each other at the same switch and servers, and workers that come back."""

import sys
from pathlib import Path

import pytest

from hw.testbed.tests.support import AMONG_WORKERS, SMALL, SYSTEMS, ina_testbed, set_keys

WORKER = Path(__file__).resolve().with_name("session_worker.py")
RACKS = {"type": "leaf_spine", "racks": 2, "hosts_per_rack": 1, "spines": 1, "parameter_servers": 1}


def shell(*commands):
    """Runs one program after the other, until one fails."""
    return ("sh", "-c", " && ".join(f"{sys.executable} {WORKER} {one}" for one in commands))


def run(temporary, words, *options, **keys):
    return ina_testbed(temporary, "exec", SMALL, *options, *set_keys(**keys), "--", *words)


@pytest.mark.parametrize("system", (*SYSTEMS, *AMONG_WORKERS))
def test_a_second_program_gets_its_own_sums(temporary, system):
    programs = ("program 1 3000", "program 10 3000", "program 7 100")
    done = run(temporary, shell(*programs), system=system)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_second_program_gets_its_own_sums_in_racks(temporary, system):
    programs = ("program 1 3000", "program 10 3000", "program 7 100")
    done = run(temporary, shell(*programs), system=system, topology=RACKS)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("system", ("switchml", "dsa"))
def test_a_second_program_gets_its_own_sums_from_a_switch_with_several_cores(temporary, system):
    programs = ("program 1 3000", "program 10 3000", "program 7 100")
    done = run(temporary, shell(*programs), "--switch-cores", "2", system=system)
    assert (done.returncode, done.stderr.count("ina-switch: 2 cores: ")) == (0, 1)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_worker_that_comes_back_ends_the_session_and_joins_the_next(temporary, system):
    words = f"{sys.executable} {WORKER}"
    script = f'{words} dies; test $? = 9 && {words} program 5 3000'
    done = run(temporary, ("sh", "-c", script), system=system)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_worker_that_waits_alone_is_told_who_is_missing(temporary):
    done = run(temporary, shell("waits"), system="atp")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("system", (*SYSTEMS, "ring"))
def test_a_program_goes_on_when_its_packet_numbers_are_used_up(temporary, system, monkeypatch):
    monkeypatch.setenv("INA_SESSION_PSNS", "150")
    done = run(temporary, shell("goes_on", "program 2 1000"), system=system)
    assert (done.returncode, done.stderr) == (0, "")


def test_swapped_links_are_named(temporary):
    done = run(temporary, shell("swapped"), system="switchml")
    assert (done.returncode, done.stderr) == (0, "")


def test_another_number_of_values_per_packet_is_named(temporary):
    done = run(temporary, shell("other_packets"), system="switchml")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_cluster_file_that_differs_in_another_key_is_refused(temporary):
    done = run(temporary, shell("other_file"), system="switchml")
    assert (done.returncode, done.stderr) == (0, "")

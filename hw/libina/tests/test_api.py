# SPDX-License-Identifier: BSD-3-Clause
"""The C API, used by two workers on memif sockets that free their memory as soon as they may. Built
with AddressSanitizer (./ina test --sanitize), they show that the library accesses none of it."""

import pytest

from hw.testbed.tests.support import AMONG_WORKERS, PROGRAMS, SMALL, SYSTEMS, ina_testbed, set_keys


@pytest.mark.parametrize("system", (*SYSTEMS, *AMONG_WORKERS))
@pytest.mark.parametrize("what", ["sums", "waits-in-many-threads", "differs", "forks"])
def test_memory_is_the_callers_when_it_may_be_freed(temporary, system, what):
    words = ("--", PROGRAMS / "ina-api-worker", what)
    done = ina_testbed(temporary, "exec", SMALL, *set_keys(system=system), *words)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("system", (*SYSTEMS, *AMONG_WORKERS))
def test_memory_is_the_callers_at_the_exit_before_the_work_is_over(temporary, system):
    words = ("--", PROGRAMS / "ina-api-worker", "exits")
    done = ina_testbed(temporary, "exec", SMALL, *set_keys(system=system), *words)
    assert done.returncode == 3
    assert done.stderr == (
        "ina: host0 (job 0, rank 0), host1 (job 0, rank 1): ended with status 0 without "
        "ina_finalize(); allowed: ina_finalize(), which waits for all-reduces\n"
    )


@pytest.mark.parametrize("system", ["ps", "atp", "dsa"])
def test_a_job_may_have_several_servers(temporary, system):
    topology = {"hosts": 3, "parameter_servers": 2}
    keys = {"topology": topology, "jobs/server": ["ps1", "host2", "ps0"]}
    words = ("--", PROGRAMS / "ina-api-worker", "sums")
    done = ina_testbed(temporary, "exec", SMALL, *set_keys(system=system, **keys), *words)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("system", SYSTEMS)
def test_memory_is_the_callers_after_giving_up_which_the_launcher_tells(temporary, system):
    words = ("--", PROGRAMS / "ina-api-worker", "gives-up")
    done = ina_testbed(temporary, "exec", SMALL, *set_keys(system=system), *words)
    assert done.returncode == 3
    assert done.stderr == (
        "ina: host0 (job 0, rank 0): ended with status 0 but its ina_finalize() failed\n"
    )

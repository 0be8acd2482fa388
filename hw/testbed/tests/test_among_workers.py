# SPDX-License-Identifier: BSD-3-Clause
"""All-reduces among workers on memif sockets, with switches that only forward. Their frames are the
largest possible, an MTU."""

import pytest

from hw.testbed.tests.support import AMONG_WORKERS, frames_of, rows, run_small

FOUR_WORKERS = {"topology/hosts": 4, "jobs/workers": 4}


@pytest.mark.parametrize("system", AMONG_WORKERS)
def test_every_sum_is_exact_in_spite_of_loss(tmp_path, temporary, system):
    faults = {"links": [{"loss": 0.02}]}
    folder = run_small(temporary, tmp_path, system=system, faults=faults, **FOUR_WORKERS)
    (job,) = rows(folder, "jobs.csv")
    assert (job["status"], job["iterations"], job["rejected_frames"]) == ("finished", "2", "0")
    assert int(job["retransmissions"]) > 0
    assert sum(frames_of(folder, "frames_lost").values()) > 0


@pytest.mark.parametrize("system", AMONG_WORKERS)
def test_every_sum_is_exact_over_two_racks(tmp_path, temporary, system):
    keys = {**FOUR_WORKERS, "topology/racks": 2}
    folder = run_small(temporary, tmp_path, system=system, **keys)
    (job,) = rows(folder, "jobs.csv")
    assert (job["status"], job["rejected_frames"]) == ("finished", "0")
    assert sum(n for link, n in frames_of(folder).items() if "host" not in link) > 0


@pytest.mark.parametrize("system", AMONG_WORKERS)
def test_the_switch_adds_nothing_up_and_there_is_no_server(tmp_path, temporary, system):
    folder = run_small(temporary, tmp_path, system=system, **FOUR_WORKERS)
    assert not any("ps" in link for link in frames_of(folder))
    assert {int(row["added"]) for row in rows(folder, "switch.csv")} == {0}

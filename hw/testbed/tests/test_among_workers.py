# SPDX-License-Identifier: BSD-3-Clause
"""Workers that add up among themselves, on memif sockets."""

import pytest

from hw.testbed.tests.support import assert_columns_alike, rows, run_small, simulate_small

SYSTEMS = ("ring", "halving_doubling", "tree", "byteps")
OF_FOUR = {"topology/hosts": 4, "jobs/workers": 4}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_sum_is_exact_in_spite_of_loss(tmp_path, temporary, system):
    faults = {"links": [{"loss": 0.02}]}
    folder = run_small(temporary, tmp_path, system=system, faults=faults, **OF_FOUR)
    (job,) = rows(folder, "jobs.csv")
    assert (job["system"], job["iterations"], job["rejected_frames"]) == (system, "2", "0")
    assert int(job["retransmissions"]) > 0
    assert sum(int(link["frames_lost"]) for link in rows(folder, "links.csv")) > 0


@pytest.mark.parametrize("system", SYSTEMS)
def test_workers_send_what_those_of_the_simulator_do(tmp_path, temporary, system):
    here = run_small(temporary, tmp_path / "testbed", system=system, **OF_FOUR)
    there = simulate_small(tmp_path / "simulator", system=system, **OF_FOUR)
    assert_columns_alike(here, there)
    links_here, links_there = (
        {link["link"]: int(link["bytes_sent"]) for link in rows(folder, "links.csv")}
        for folder in (here, there)
    )
    for host in range(4):
        # Acknowledgements travel alone as it comes, and a slow machine may send again.
        sent, expected = links_here[f"host{host}>switch"], links_there[f"host{host}>switch"]
        assert sent > 0.9 * expected

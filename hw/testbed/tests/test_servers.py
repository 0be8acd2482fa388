# SPDX-License-Identifier: BSD-3-Clause
"""Jobs with several parameter servers on various hosts. Workers verify every sum."""

import pytest

from hw.testbed.tests.support import (
    FRAGMENTS,
    LAYER,
    SMALL,
    assert_columns_alike,
    assert_refused,
    frames_of,
    ina_testbed,
    needs_namespaces,
    needs_two,
    rows,
    run_small,
    set_keys,
    simulate_small,
)

SERVERS = ["ps2", "host3", "ps0"]  # on hosts 6, 3 and 4; no worker is on host 3
KEYS = {
    "topology": {"hosts": 4, "parameter_servers": 3},
    "jobs/server": SERVERS,
}
SHARES = [
    sum(psn % 64 % len(SERVERS) == index for psn in range(FRAGMENTS))
    for index in range(len(SERVERS))
]
# Computes for at least 160 ms, so that the fault strikes while it runs.
LONG_JOB = {
    "workers": 2,
    "iterations": 8,
    "server": SERVERS,
    "profile": {"partition_bytes": "50kB", "layers": [LAYER]},
}


def run_servers(temporary, out, *options, **keys):
    return run_small(temporary, out, *options, **KEYS | keys)


def job_after(temporary, out, system, fault):
    """The row of the job that computes for long enough."""
    keys = {"topology": KEYS["topology"], "jobs": LONG_JOB, "faults": {"nodes": [fault]}}
    (job,) = rows(run_small(temporary, out, system=system, **keys), "jobs.csv")
    return job


@pytest.mark.parametrize("system", ["ps", "atp", "dsa"])
def test_every_sum_is_exact_in_spite_of_loss(tmp_path, temporary, system):
    faults = {"links": [{"loss": 0.02}]}
    folder = run_servers(temporary, tmp_path, system=system, faults=faults)
    (job,) = rows(folder, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")
    assert int(job["retransmissions"]) > 0
    lost = frames_of(folder, "frames_lost")
    for server in SERVERS:
        assert frames_of(folder)[f"{server}>switch"] > 0
        assert lost[f"{server}>switch"] + lost[f"switch>{server}"] > 0


def test_each_server_has_the_share_of_its_place_in_the_list(tmp_path, temporary):
    """Under a plain parameter server, each of two workers sends every fragment to one server and
    gets it back from there, again if a time-out was too short."""
    folder = run_servers(temporary, tmp_path, system="ps")
    frames = frames_of(folder)
    for server, share in zip(SERVERS, SHARES, strict=True):
        for link in (f"{server}>switch", f"switch>{server}"):
            assert frames[link] >= 2 * share, link
    (job,) = rows(folder, "jobs.csv")
    # Each resend counts once at its sender, and once more as its answer.
    again = frames["host0>switch"] + frames["host1>switch"] - 2 * FRAGMENTS
    assert sum(frames[f"switch>{server}"] for server in SERVERS) == 2 * FRAGMENTS + again
    assert int(job["retransmissions"]) == again


def test_the_tables_and_links_are_those_of_the_simulator(tmp_path, temporary):
    here = run_servers(temporary, tmp_path / "testbed", system="atp")
    there = simulate_small(tmp_path / "simulator", system="atp", **KEYS)
    assert_columns_alike(here, there)
    used = {link for link, frames in frames_of(there).items() if frames}
    assert frames_of(here).keys() == used
    values = [rows(folder, "jobs.csv")[0]["values"] for folder in (here, there)]
    assert values[0] == values[1]


@pytest.mark.parametrize("system", ["atp", "dsa"])
def test_the_simulators_switch_decides_the_same(tmp_path, temporary, system):
    run_servers(temporary, tmp_path, "--replay", system=system)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("--links", "veth"), marks=needs_namespaces),
        pytest.param(("--switch-cores", "2"), marks=needs_two),
    ],
)
def test_every_sum_is_exact_by_other_ways(tmp_path, temporary, options):
    folder = run_servers(temporary, tmp_path, *options, system="dsa")
    (job,) = rows(folder, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")


@pytest.mark.parametrize("system", ["ps", "atp"])
def test_servers_may_be_in_several_racks(tmp_path, temporary, system):
    """Hosts 0 and 2 are workers in two racks of two; host 3 is a server in the second rack."""
    topology = {"type": "leaf_spine", "racks": 2, "hosts_per_rack": 2, "spines": 2}
    keys = {"topology": topology | {"parameter_servers": 3}, "jobs/hosts": [0, 2]}
    folder = run_servers(temporary, tmp_path, system=system, **keys)
    (job,) = rows(folder, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")
    assert frames_of(folder)["host3>leaf1"] > 0


@pytest.mark.parametrize("fault", ["server_pauses", "server_restarts"])
@pytest.mark.parametrize("system", ["ps", "atp"])
def test_a_job_waits_for_one_of_its_servers(tmp_path, temporary, system, fault):
    one = {"fault": fault, "at": "30ms", "duration": "150ms", "job": 0, "server": 1}
    job = job_after(temporary, tmp_path, system, one)
    assert (job["status"], job["iterations"]) == ("finished", "8")
    assert float(job["end_us"]) >= 180_000


def test_a_worker_returns_and_all_servers_begin_again(tmp_path, temporary):
    one = {"fault": "worker_returns", "at": "30ms", "duration": "150ms", "job": 0, "worker": 1}
    job = job_after(temporary, tmp_path, "atp", one)
    assert (job["status"], job["registrations"], job["iterations"]) == ("finished", "2", "8")


def test_a_server_beside_a_worker_is_refused(tmp_path, temporary):
    words = set_keys(system="atp", **KEYS | {"jobs/server": ["ps0", "host0"]})
    done = ina_testbed(temporary, "run", SMALL, *words, "--out", tmp_path / "out")
    assert_refused(done, "/jobs: found several workers or parameter servers on one host; allowed on real packets: one per")

# SPDX-License-Identifier: BSD-3-Clause
"""Roots above the racks. Switches find the same roots as the simulator: each by itself when a run
begins, and from the control plane when a job is registered again."""

import pytest

from hw.testbed.tests.support import AGGREGATING, LAYER, rows, run_small, simulate_small

# Numbers of workers of four jobs. Each job has workers in both racks.
SIZES = [2, 4, 2, 2]
PROFILE = {"partition_bytes": "50kB", "layers": [LAYER]}
TOPOLOGY = {
    "type": "leaf_spine",
    "racks": 2,
    "hosts_per_rack": 5,
    "spines": 3,
    "parameter_servers": 4,
    "placement": "spread",
}
SPINES = {f"spine{number}" for number in range(3)}
# Long time-outs: on a busy host a frame takes milliseconds, and resent frames bypass aggregators.
PATIENT = {"atp/min_rto": "300ms", "dsa/min_rto": "300ms", "switchml/rto": "300ms"}


def keys_of(root, system, **keys):
    jobs = [{"workers": workers, "iterations": 3, "profile": PROFILE} for workers in SIZES]
    keys = {"switchml/slots": 8} | PATIENT | keys
    return {"topology": TOPOLOGY | {"root": root}, "jobs": jobs, "system": system} | keys


def run_roots(temporary, out, keys):
    folder = run_small(temporary, out, **keys)
    for job in rows(folder, "jobs.csv"):
        assert (job["status"], job["iterations"]) == ("finished", "3")
    return folder


def roots_in(folder):
    """Switches above the racks at which jobs have aggregators."""
    return {
        (row["switch"], row["job"])
        for row in rows(folder, "switch.csv")
        if row["switch"] in SPINES and int(row["allocated"]) > 0
    }


@pytest.mark.parametrize("system", AGGREGATING)
@pytest.mark.parametrize("root", ["spine", "least_loaded"])
def test_the_roots_are_those_of_the_simulator(tmp_path, temporary, root, system):
    keys = keys_of(root, system)
    here = roots_in(run_roots(temporary, tmp_path / "testbed", keys))
    assert len(here) == len(SIZES)
    assert here == roots_in(simulate_small(tmp_path / "simulator", **keys))


def test_the_least_loaded_are_others_than_those_by_number(tmp_path):
    """The two choices of roots differ; otherwise the test above would not show which one is
    used."""
    spine, least_loaded = (
        roots_in(simulate_small(tmp_path / root, **keys_of(root, "dsa")))
        for root in ("spine", "least_loaded")
    )
    assert spine != least_loaded


def test_a_flow_takes_no_notice_of_the_root(tmp_path, temporary):
    run_roots(temporary, tmp_path, keys_of("least_loaded", "ps"))


@pytest.mark.parametrize("system", ["switchml", "atp"])
def test_jobs_go_on_after_a_reboot_of_the_servers_switch(tmp_path, temporary, system):
    """SwitchML loses its jobs with the switch. They are registered again, and may get other
    roots."""
    reboot = {"fault": "switch_reboots", "at": "30ms", "duration": "20ms"}
    keys = keys_of("least_loaded", system, faults={"nodes": [reboot]})
    folder = run_roots(temporary, tmp_path, keys)
    expected = "2" if system == "switchml" else "1"
    assert {job["registrations"] for job in rows(folder, "jobs.csv")} == {expected}


def test_a_job_that_is_registered_again_gets_the_root_that_is_least_loaded_then(tmp_path, temporary):
    """A large job has one of two spines, the other jobs share the other one. The large job has
    ended when the last one is registered again, so the last one moves to the large job's spine."""
    back = {"fault": "worker_returns", "at": "1500ms", "duration": "50ms", "job": 2, "worker": 0}
    large = {"workers": 4, "profile": PROFILE}
    slow = {**PROFILE, "layers": [LAYER | {"forward": "400ms", "backward": "400ms"}]}
    long = {"workers": 2, "iterations": 3, "profile": slow}
    topology = TOPOLOGY | {"root": "least_loaded", "spines": 2}
    faults = {"nodes": [back]}
    keys = keys_of("", "atp") | {"topology": topology, "jobs": [large, long, long], "faults": faults}
    here = roots_in(run_small(temporary, tmp_path / "testbed", **keys))
    assert here == roots_in(simulate_small(tmp_path / "simulator", **keys))
    (of_large,) = [spine for spine, job in here if job == "0"]
    (other,) = {"spine0", "spine1"} - {of_large}
    assert here == {(of_large, "0"), (other, "1"), (other, "2"), (of_large, "2")}

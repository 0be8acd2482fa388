# SPDX-License-Identifier: BSD-3-Clause
"""Faults of processes by the clock of the run. Workers verify every sum, as always."""

import pytest

from hw.testbed.tests.support import (
    LAYER,
    SMALL,
    assert_refused,
    ina_testbed,
    needs_namespaces,
    needs_two,
    program,
    rows,
    set_keys,
)

# Computes for at least 160 ms, so that every fault strikes while the job runs.
AT_MS, LASTS_MS = 30, 150
MOST_FRAGMENTS = 100  # upper bound for LAYER, whose fragments have at least 50 values
KEYS = {
    "topology": {"hosts": 4, "parameter_servers": 2},
    "jobs": {
        "count": 2,
        "workers": 2,
        "iterations": 8,
        "profile": {"partition_bytes": "50kB", "layers": [LAYER]},
    },
}
# Columns that a testbed cannot count.
TASKS = {f"{what}_type_{number}" for what in ("tasks", "losses") for number in (1, 2, 3)}
RING = {"system": "ring"}
RACKS = {"system": "atp", "topology": {"hosts": 4, "racks": 2, "parameter_servers": 2}}


def fault(name, **keys):
    lasts = {} if name == "job_is_killed" else {"duration": f"{LASTS_MS}ms"}
    return {"fault": name, "at": f"{AT_MS}ms"} | lasts | keys


def run_with(temporary, out, faults, *options, **keys):
    words = set_keys(**{**KEYS, "faults": {"nodes": faults}, **keys})
    return ina_testbed(temporary, "run", SMALL, *words, *options, "--out", out)


def jobs_after(temporary, out, faults, *options, **keys):
    done = run_with(temporary, out, faults, *options, **keys)
    assert done.returncode == 0, done.stderr
    return rows(out / "small", "jobs.csv")


@pytest.mark.parametrize("options", [(), ("--replay",)], ids=["", "replay"])
@pytest.mark.parametrize("system", ["switchml", "atp", "dsa", "ring"])
def test_a_job_waits_for_a_worker_that_pauses(tmp_path, temporary, system, options):
    faults = [fault("worker_pauses", job=0, worker=1)]
    job, other = jobs_after(temporary, tmp_path, faults, *options, system=system)
    assert float(job["end_us"]) >= 1000 * (AT_MS + LASTS_MS)
    assert [one["status"] for one in (job, other)] == ["finished"] * 2


@pytest.mark.parametrize("name", ["server_pauses", "server_restarts"])
@pytest.mark.parametrize(
    "links", ["memif", pytest.param("veth", marks=needs_namespaces)]
)
def test_jobs_survive_their_parameter_server(tmp_path, temporary, name, links):
    """ATP's jobs cannot continue without the server."""
    faults = [fault(name, job=0)]
    job, _ = jobs_after(temporary, tmp_path, faults, "--links", links, system="atp")
    assert (job["status"], job["iterations"]) == ("finished", "8")
    assert float(job["end_us"]) >= 1000 * (AT_MS + LASTS_MS)


@pytest.mark.parametrize("cores", [1, pytest.param(2, marks=needs_two)])
@pytest.mark.parametrize("keys", [{"system": "dsa"}, {"system": "atp"}, RACKS, RING])
def test_jobs_survive_a_reboot_of_the_switch(tmp_path, temporary, keys, cores):
    faults = [fault("switch_reboots")]
    jobs = jobs_after(temporary, tmp_path, faults, "--switch-cores", cores, **keys)
    for job in jobs:
        assert (job["status"], job["iterations"]) == ("finished", "8")
        assert float(job["end_us"]) >= 1000 * (AT_MS + LASTS_MS)
    # The jobs are registered again under their former ids, so each count appears once.
    for row in rows(tmp_path / "small", "switch.csv"):
        assert int(row["completed"]) <= 8 * MOST_FRAGMENTS


@pytest.mark.parametrize("keys", [{"system": "switchml"}, {"system": "dsa"}, RACKS, RING])
@pytest.mark.parametrize(
    "one, status, end_ms",
    [
        (fault("job_is_killed", job=0), "killed", AT_MS),
        (fault("worker_is_lost", job=0, worker=1), "worker_lost", AT_MS + LASTS_MS),
    ],
)
def test_a_job_that_fails_leaves_the_others_alone(tmp_path, temporary, one, status, end_ms, keys):
    job, other = jobs_after(temporary, tmp_path, [one], **keys)
    assert job["status"] == status
    assert float(job["end_us"]) == 1000 * end_ms
    assert job["jct_us"] == ""
    assert int(job["iterations"]) < 8
    assert (other["status"], other["iterations"]) == ("finished", "8")
    of_job = [row for row in rows(tmp_path / "small", "iterations.csv") if row["job"] == "0"]
    assert len(of_job) == int(job["iterations"])
    occupied = [row["occupied_aggregators"] for row in rows(tmp_path / "small", "switch.csv")]
    assert set(occupied) == {"0"}  # includes aggregators of the failed job


PARTS = (
    "compute serialisation propagation queueing slot_wait window_wait straggler lateness fallback "
    "recovery"
).split()


def assert_registered_again(folder, job):
    """Each iteration appears once, from its first start. The repeated iteration includes the
    duration of the fault."""
    assert (job["status"], job["registrations"], job["iterations"]) == ("finished", "2", "8")
    assert float(job["end_us"]) >= 1000 * (AT_MS + LASTS_MS)
    own = [row for row in rows(folder, "iterations.csv") if row["job"] == job["job"]]
    assert [row["iteration"] for row in own] == [str(number) for number in range(8)]
    assert max(float(row["recovery_us"]) for row in own) >= 1000 * (LASTS_MS - AT_MS)
    for row in own:
        parts = sum(float(row[f"{part}_us"]) for part in PARTS)
        assert parts == pytest.approx(float(row["period_us"]), abs=0.01)


def test_a_job_may_be_killed_before_its_workers_have_begun(tmp_path, temporary):
    at_once = {"fault": "job_is_killed", "at": "0us", "job": 0}
    job, other = jobs_after(temporary, tmp_path, [at_once])
    assert [job["status"], other["status"]] == ["killed", "finished"]
    assert float(job["end_us"]) == 0
    assert int(job["iterations"]) == 0


@pytest.mark.parametrize("cores", [1, pytest.param(2, marks=needs_two)])
@pytest.mark.parametrize("keys", [{"system": "switchml"}, {"system": "dsa"}, RACKS, RING])
def test_a_worker_returns_and_its_job_is_registered_again(tmp_path, temporary, keys, cores):
    faults = [fault("worker_returns", job=0, worker=1)]
    job, other = jobs_after(temporary, tmp_path, faults, "--switch-cores", cores, **keys)
    assert_registered_again(tmp_path / "small", job)
    assert (other["status"], other["registrations"]) == ("finished", "1")


def test_jobs_of_switchml_are_registered_again_after_a_reboot(tmp_path, temporary):
    jobs = jobs_after(temporary, tmp_path, [fault("switch_reboots")], system="switchml")
    for job in jobs:
        assert_registered_again(tmp_path / "small", job)


def test_faults_of_a_job_that_has_ended_do_nothing(tmp_path, temporary):
    short = [{"count": 1, "workers": 2, "iterations": 1}, {"count": 1, "workers": 2, "iterations": 8}]
    late = {"fault": "job_is_killed", "at": "3600s", "job": 0}
    keys = set_keys(
        topology=KEYS["topology"], faults={"nodes": [late]}, jobs=[KEYS["jobs"] | one for one in short]
    )
    done = ina_testbed(temporary, "run", SMALL, *keys, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert [job["status"] for job in rows(tmp_path / "small", "jobs.csv")] == ["finished"] * 2


@pytest.mark.parametrize(
    "one, options, words",
    [
        (fault("job_is_killed", job=0), ["--replay"], "--replay: job_is_killed in /faults/nodes"),
        (fault("server_restarts", job=0), ["--links", "tap"], "--links tap: server_restarts in"),
    ],
)
def test_what_processes_cannot_suffer_is_refused(tmp_path, temporary, one, options, words):
    assert_refused(run_with(temporary, tmp_path, [one], *options), words)


def test_commands_have_no_faults(temporary):
    words = set_keys(faults={"nodes": [fault("job_is_killed", job=0)]})
    assert_refused(ina_testbed(temporary, "exec", SMALL, *words, "--", "true"), "/faults/nodes")


def test_the_columns_are_those_of_the_simulator(tmp_path, temporary):
    faults = [{"fault": "job_is_killed", "at": "5ms", "job": 0}]  # in the first iteration
    jobs_after(temporary, tmp_path / "testbed", faults)
    words = set_keys(**KEYS, faults={"nodes": faults})
    done = program("ina-sim", "run", SMALL, *words, "--out", tmp_path / "simulator")
    assert done.returncode == 0, done.stderr
    job, there = (
        rows(tmp_path / folder / "small", "jobs.csv")[0] for folder in ("testbed", "simulator")
    )
    assert list(job) == list(there)
    empty = [{key for key in one if one[key] == ""} - TASKS for one in (job, there)]
    assert empty[0] == empty[1]

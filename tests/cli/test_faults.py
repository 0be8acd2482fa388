# SPDX-License-Identifier: BSD-3-Clause
"""Faults of nodes, one at a time under each system: their cost, and the jobs that they do not affect."""

import json

import ina_sim
import pytest

SYSTEMS = ("switchml", "atp", "dsa", "ps")
WITH_SERVERS = ("atp", "dsa", "ps")
AT_US, DURATION_US = 400, 3000  # in the second one of three iterations
MIN_RTO_US = 1000


def fault(kind, **keys):
    lasting = {} if kind == "job_is_killed" else {"duration": f"{DURATION_US}us"}
    return {"fault": kind, "at": f"{AT_US}us", **lasting, **keys}


def struck(tmp_path, system, *faults):
    """The rows of jobs.csv of two jobs. The faults hit the first job."""
    # A plain server's line carries the gradients of all four workers.
    parameters = 50_000 if system == "ps" else 200_000
    layer = {"parameters": parameters, "forward": "50us", "backward": "100us"}
    scenario = {
        "system": system,
        "topology": {"hosts": 8, "parameter_servers": 2},
        # There are hardly any collisions, so a job waits only for its own faults.
        "switch": {"memory_bytes": "100MB"},
        "jobs": {"count": 2, "workers": 4, "iterations": 3, "profile": {"layers": [layer]}},
        "faults": {"nodes": list(faults)},
    }
    number = len(list(tmp_path.glob("*.json")))
    path = tmp_path / f"faults{number}.json"
    path.write_text(json.dumps(scenario))
    return ina_sim.rows(ina_sim.run(path, tmp_path))


def end_us(row):
    return float(row["end_us"])


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_pause_of_a_worker_costs_its_job_as_much(tmp_path, system):
    without = struck(tmp_path, system)
    rows = struck(tmp_path, system, fault("worker_pauses", job=0, worker=1))
    # A result for which the worker waits may arrive one time-out after the pause.
    assert 0 <= end_us(rows[0]) - end_us(without[0]) - DURATION_US * 0.9 <= 2 * MIN_RTO_US
    assert [row["status"] for row in rows] == ["finished", "finished"]
    assert [row["registrations"] for row in rows] == ["1", "1"]


@pytest.mark.parametrize("kind", ["worker_pauses", "worker_returns", "worker_is_lost"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_another_job_hardly_notices(tmp_path, system, kind):
    without = struck(tmp_path, system)
    rows = struck(tmp_path, system, fault(kind, job=0, worker=1))
    # Packets of the struck job that remain in aggregators may cost one time-out per iteration.
    assert abs(end_us(rows[1]) - end_us(without[1])) <= 2 * MIN_RTO_US
    if system == "switchml":  # each job has its own pool of slots
        assert end_us(rows[1]) == end_us(without[1])


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_job_whose_worker_returns_repeats_one_iteration(tmp_path, system):
    without = struck(tmp_path, system)
    rows = struck(tmp_path, system, fault("worker_returns", job=0, worker=1))
    assert rows[0]["registrations"] == "2"
    assert rows[0]["iterations"] == "3"
    # After its return, the job repeats the second iteration and runs the third one.
    whole = end_us(without[0]) * 2 / 3
    assert end_us(rows[0]) == pytest.approx(AT_US + DURATION_US + whole, rel=0.02)
    assert int(rows[0]["packets_sent"]) > int(without[0]["packets_sent"])
    assert int(rows[1]["registrations"]) == 1


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_repeated_iteration_counts_from_its_first_start(tmp_path, system):
    struck(tmp_path, system, fault("worker_returns", job=0, worker=1))
    rows = ina_sim.rows(tmp_path / "faults0", "iterations.csv")
    mine = [row for row in rows if row["job"] == "0"]
    assert [row["iteration"] for row in mine] == ["0", "1", "2"]
    first_start, lasted = float(mine[1]["start_us"]), float(mine[1]["iteration_span_us"])
    assert first_start < AT_US
    assert first_start + lasted > AT_US + DURATION_US
    parts = (
        "compute serialisation propagation queueing slot_wait window_wait straggler lateness "
        "fallback recovery"
    ).split()
    period = float(mine[1]["period_us"])
    assert sum(float(mine[1][f"{part}_us"]) for part in parts) == pytest.approx(period)
    period_start = float(mine[0]["start_us"]) + float(mine[0]["period_us"])
    in_vain = AT_US + DURATION_US - period_start
    assert float(mine[1]["recovery_us"]) >= in_vain - 1e-6  # tables have picoseconds


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("kind", "keys", "status", "end"),
    [
        ("worker_is_lost", {"worker": 1}, "worker_lost", AT_US + DURATION_US),
        ("job_is_killed", {}, "killed", AT_US),
    ],
)
def test_a_job_that_fails_is_stated_and_the_run_succeeds(
    tmp_path, system, kind, keys, status, end
):
    rows = struck(tmp_path, system, fault(kind, job=0, **keys))
    assert [row["status"] for row in rows] == [status, "finished"]
    assert end_us(rows[0]) == end
    assert rows[0]["iterations"] == "1"  # the second one had not ended


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_reboot_costs_all_jobs_about_its_duration(tmp_path, system):
    without = struck(tmp_path, system)
    rows = struck(tmp_path, system, fault("switch_reboots"))
    for with_it, without_it in zip(rows, without, strict=True):
        delay = end_us(with_it) - end_us(without_it)
        # The cost is at most a time-out, which doubled while the switch was down, or a repeated iteration.
        assert DURATION_US * 0.9 <= delay <= 2 * DURATION_US + 2 * MIN_RTO_US
        assert with_it["registrations"] == ("2" if system == "switchml" else "1")
    manifest = json.loads((tmp_path / "faults1" / "manifest.json").read_text())
    assert manifest["points"][0]["switch_frames_while_down"] > 0


@pytest.mark.parametrize("kind", ["server_pauses", "server_restarts"])
@pytest.mark.parametrize("system", WITH_SERVERS)
def test_a_server_delays_its_own_job_only(tmp_path, system, kind):
    without = struck(tmp_path, system)
    rows = struck(tmp_path, system, fault(kind, job=0))
    delay = end_us(rows[0]) - end_us(without[0])
    if system != "dsa":  # in other systems, the server sees every result
        assert DURATION_US * 0.9 <= delay <= 2 * DURATION_US + 2 * MIN_RTO_US
    else:
        assert 0 <= delay <= DURATION_US + 2 * MIN_RTO_US
    assert end_us(rows[1]) == pytest.approx(end_us(without[1]), rel=0.02)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_fault_of_a_job_that_has_ended_does_nothing(tmp_path, system):
    without = struck(tmp_path, system)
    late = {**fault("worker_is_lost", job=0, worker=1), "at": "900ms"}
    assert struck(tmp_path, system, late) == without
    reboot = {**fault("switch_reboots"), "at": "900ms"}
    assert struck(tmp_path, system, reboot) == without


@pytest.mark.parametrize("system", SYSTEMS)
def test_overlapping_faults_of_one_job(tmp_path, system):
    """Two workers crash and return. A third one pauses meanwhile and resumes after their return. The switch reboots."""
    rows = struck(
        tmp_path,
        system,
        fault("worker_returns", job=0, worker=1),
        {**fault("worker_returns", job=0, worker=2), "at": "1ms"},
        {**fault("worker_pauses", job=0, worker=3), "at": "2ms"},
        {**fault("switch_reboots"), "at": "3500us", "duration": "100us"},
    )
    assert rows[0]["status"] == "finished"
    assert end_us(rows[0]) > 2000 + DURATION_US
    assert rows[0]["registrations"] == "2"


def test_jobs_that_failed_enter_no_average_of_the_table(tmp_path):
    layer = {"parameters": 100_000}
    scenario = {
        "topology": {"hosts": 2, "parameter_servers": 2},
        "jobs": {"count": 2, "workers": 1, "profile": {"layers": [layer]}},
        "faults": {"nodes": [{"fault": "job_is_killed", "at": "1us", "job": 0}]},
    }
    path = tmp_path / "killed.json"
    path.write_text(json.dumps(scenario))
    done = ina_sim.ina("run", path, "--out", tmp_path, "--json", tmp_path / "table.json")
    assert done.returncode == 0, done.stderr
    rows = ina_sim.rows(tmp_path / "killed")
    assert [row["jct_us"] for row in rows][0] == ""
    (row,) = ina_sim.experiments(tmp_path / "table.json")[0]["rows"]
    assert row["jct_ms"] == pytest.approx(float(rows[1]["jct_us"]) / 1000)
    assert row["failed_jobs"] == 1
    assert done.stdout.splitlines()[0].endswith("failed jobs")


def test_a_table_without_finished_jobs_has_no_jct(tmp_path):
    scenario = {
        "jobs": {"workers": 1, "profile": {"layers": [{"parameters": 100_000}]}, "start": "1ms"},
        "faults": {"nodes": [{"fault": "job_is_killed", "at": "1us", "job": 0}]},
    }
    path = tmp_path / "killed.json"
    path.write_text(json.dumps(scenario))
    done = ina_sim.ina("run", path, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split()[1:3] == ["-", "-"]
    (row,) = ina_sim.rows(tmp_path / "killed")
    assert (row["start_us"], row["end_us"], row["iterations"]) == ("", "1.000000", "0")

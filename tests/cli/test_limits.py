# SPDX-License-Identifier: BSD-3-Clause
"""How long a run may take in simulated time, and how much memory: what is not to be had is refused before, or ends with
words that name the key."""

import json

import ina_sim
import pytest

HOUR = {
    "/sweep": "{}",
    "/jobs/iterations": 100,
    "/jobs/profile/layers/0/forward": "36s",
    "/outputs/switch_interval": "100s",
}


def validate(scenario, keys):
    return ina_sim.ina("validate", scenario, *ina_sim.set_options(keys))


def test_a_job_that_computes_for_an_hour_needs_no_key(tiny, tmp_path):
    folder = ina_sim.run(tiny, tmp_path, HOUR)
    (job,) = ina_sim.rows(folder)
    assert job["status"] == "finished"
    assert float(job["end_us"]) > 3600e6
    manifest = json.loads((folder / "points" / "00000-seed1" / "manifest.json").read_text())
    assert manifest["scenario"]["time_limit"].endswith("s")
    assert int(manifest["scenario"]["time_limit"][:-1]) >= 10 * 3600


def test_a_limit_that_computation_exceeds_is_refused(tiny):
    done = validate(tiny, HOUR | {"/time_limit": "3599s"})
    assert done.returncode == 2
    assert done.stderr == (
        f"ina: {tiny} (--set): /time_limit: 3599s, but job 0 computes for 3600s; allowed: more than "
        'that, or no "time_limit", then it follows from the scenario\n'
    )
    assert validate(tiny, HOUR | {"/time_limit": "3601s"}).returncode == 0


def test_who_is_not_done_at_the_limit_is_named(tiny, tmp_path):
    keys = HOUR | {"/time_limit": "3600.0001s", "/jobs/count": 2, "/switch/pipeline_latency": "1us"}
    done = ina_sim.ina("run", tiny, "--out", tmp_path, *ina_sim.set_options(keys))
    assert done.returncode == 3
    late, stopped = done.stderr.splitlines()
    assert "/time_limit: not done after 3600.0001s of simulated time: job 0, worker 0, " in late
    assert "in iteration 99 of 100" in late
    assert "and 3 more workers; allowed: a longer time_limit" in late
    assert "proof" not in late
    assert stopped == "ina: tiny: stopped with 0 of 1 run finished"


def test_the_plan_of_a_testbed_has_the_limit(tiny):
    """Which runs in real time, with more on its way: a minute at least."""

    def limits(keys):
        done = ina_sim.ina("plan", tiny, *ina_sim.set_options(keys))
        assert done.returncode == 0, done.stderr
        return [run["time_limit_ps"] for plan in json.loads(done.stdout) for run in plan["runs"]]

    assert all(limit >= 60 * 10**12 for limit in limits({}))
    assert limits({"/sweep": "{}", "/time_limit": "7s"}) == [7 * 10**12]
    assert limits(HOUR)[0] >= 36_000 * 10**12


@pytest.mark.parametrize("system", ["switchml", "switchml-starved", "atp", "dsa"])
def test_the_limit_is_far_above_what_runs_take(tmp_path, system):
    """Also of what is slow by its scenario: hardly any memory, one packet at a time, losses."""
    loss = {"/faults": '{"links": [{"loss": 0.3}]}'}
    small = {"/switch/memory_bytes": "1MB", "/switchml/slots": 1}
    window = {f"/{name}/{key}": 1 for name in ("atp", "dsa") for key in ("max_window_packets",)}
    window |= {f"/{name}/initial_window_packets": 1 for name in ("atp", "dsa")}
    keys = {
        "/sweep": "{}",
        "/system": system,
        "/jobs/count": 2,
        "/jobs/workers": 8,
        "/topology/hosts": 16,
        "/jobs/profile/layers/0/parameters": 50_000,
        "/outputs/switch_interval": "1s",
    }
    for slow in ({}, loss, small | window):
        folder = ina_sim.run(ina_sim.REPOSITORY / "tests/cli/tiny.json", tmp_path / str(len(slow)), keys | slow)
        ends = [float(row["end_us"]) for row in ina_sim.rows(folder)]
        manifest = json.loads((folder / "points" / "00000-seed1" / "manifest.json").read_text())
        limit_us = float(manifest["scenario"]["time_limit"][:-1]) * 1e6
        assert 4 * max(ends) < limit_us


def peak_bytes(folder):
    (manifest,) = (folder / "points").glob("*/manifest.json")
    return json.loads(manifest.read_text())["peak_resident_bytes"]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ({"/jobs/profile/layers/0/forward": "1ms"}, {"/jobs/profile/layers/0/forward": "20s"}),
        ({"/jobs/iterations": 10}, {"/jobs/iterations": 100_000}),
    ],
    ids=["switch.csv", "iterations.csv"],
)
def test_memory_does_not_grow_with_rows(tiny, tmp_path, short, long):
    """They are written as they come: 100 000 rows and more, 8 MB of text, are not kept."""
    keys = {"/sweep": "{}", "/jobs/profile/layers/0/parameters": 1, "/jobs/jitter": "0s"}
    keys |= {"/payload": "none"}
    few = ina_sim.run(tiny, tmp_path / "few", keys | short)
    many = ina_sim.run(tiny, tmp_path / "many", keys | long)
    assert sum(map(len, ina_sim.tables(many).values())) > 8_000_000
    assert peak_bytes(many) < peak_bytes(few) + 4_000_000


def test_iterations_of_several_jobs_stand_job_by_job(tiny, tmp_path):
    """Though they come at the same time, and some jobs have none."""
    keys = {"/sweep": "{}", "/jobs/count": 2, "/jobs/iterations": 12, "/topology/parameter_servers": 2}
    killed = '{"nodes": [{"fault": "job_is_killed", "at": "1us", "job": 0}]}'
    folder = ina_sim.run(tiny, tmp_path / "both", keys)
    rows = [(int(row["job"]), int(row["iteration"])) for row in ina_sim.rows(folder, "iterations.csv")]
    assert rows == [(job, iteration) for job in range(2) for iteration in range(12)]
    folder = ina_sim.run(tiny, tmp_path / "one", keys | {"/faults": killed})
    assert {row["job"] for row in ina_sim.rows(folder, "iterations.csv")} == {"1"}
    assert [row["iterations"] for row in ina_sim.rows(folder)] == ["0", "12"]
    assert not list((folder / "points").glob("*/*.job*"))

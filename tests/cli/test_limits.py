# SPDX-License-Identifier: BSD-3-Clause
"""Limits of the simulated time and of the memory of a run. A run that exceeds them is refused before it starts, or ends
with a message that names the key."""

import json
import os
import re
import resource

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
        f"ina: {tiny} (--set): /time_limit: found 3599s, but the start and the computation of job 0 "
        'take 3600s; allowed: more than 3600s, or no "time_limit", for the default\n'
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
    assert "verification" not in late
    assert stopped == "ina: tiny: stopped with 0 of 1 run finished"


LOCK_STEP = {
    "system": "switchml",
    "topology": {
        **{"type": "leaf_spine", "racks": 6, "hosts_per_rack": 2, "spines": 1},
        **{"parameter_servers": 1, "root": "server_leaf"},
        **{"link": {"delay_spread": "0s"}, "uplink": {"delay_spread": "0s"}},
    },
    "switch": {"buffer_bytes": "4kB"},
    "switchml": {"slots": "even_share"},
    "jobs": {
        "workers": 12,
        "profile": {"layers": [{"parameters": 100_000, "forward": "0us", "backward": "0us"}]},
    },
    "payload": "none",
    "time_limit": "1s",
}


def test_time_outs_in_lock_step_that_drop_the_same_packets_for_ever_end_at_the_limit(tmp_path):
    """There are more slots than buffers can hold packets (CORRECTNESS.md, SwitchML in lock step)."""
    scenario = tmp_path / "lock-step.json"
    scenario.write_text(json.dumps(LOCK_STEP))
    results = set()
    for limit in "1s", "2s":
        done = ina_sim.ina("run", scenario, "--out", tmp_path / limit, "--set", f"/time_limit={limit}")
        assert done.returncode == 3
        assert f"/time_limit: not done after {limit} of simulated time: job 0, worker 0, " in done.stderr
        results.update(re.findall(r"with \d+ of 3125 results \(PSN \d+ is missing\)", done.stderr))
    assert len(results) == 1  # no result arrived during the second half

    ways_out = {"jitter": {"/jobs/jitter": '{"uniform": ["0us", "300us"]}'}, "slots": {"/switchml/slots": 350}}
    for name, keys in ways_out.items():
        (job,) = ina_sim.rows(ina_sim.run(scenario, tmp_path / name, keys))
        assert job["status"] == "finished"


def test_the_plan_of_a_testbed_has_the_limit(tiny):
    """A testbed runs in real time and has other delays, so its limit is at least a minute."""

    def limits(keys):
        done = ina_sim.ina("plan", tiny, *ina_sim.set_options(keys))
        assert done.returncode == 0, done.stderr
        return [run["time_limit_ps"] for plan in json.loads(done.stdout) for run in plan["runs"]]

    assert all(limit >= 60 * 10**12 for limit in limits({}))
    assert limits({"/sweep": "{}", "/time_limit": "7s"}) == [7 * 10**12]
    assert limits(HOUR)[0] >= 36_000 * 10**12


@pytest.mark.parametrize("system", ["switchml", "atp", "dsa"])
def test_the_limit_is_far_above_what_runs_take(tmp_path, system):
    """This also holds for slow scenarios: hardly any memory, one packet at a time, losses."""
    half = {"/faults": '{"links": [{"loss": 0.5}]}'}
    combined = half | {"/faults": '{"links": [{"loss": 0.29}, {"corruption": 0.29}]}', "/jobs/jitter": "1us"}
    combined |= {"/switchml/rto": "adaptive", "/switchml/congestion_control": "true"}
    slowly = {f"/{key}": "1s" for key in ("switchml/rto", "atp/min_rto", "dsa/min_rto")}
    slowly |= half | {"/jobs/profile/layers/0/parameters": 5000}
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
    for number, slow in enumerate(({}, half, combined, slowly, small | window)):
        folder = ina_sim.run(ina_sim.REPOSITORY / "tests/cli/tiny.json", tmp_path / str(number), keys | slow)
        ends = [float(row["end_us"]) for row in ina_sim.rows(folder)]
        manifest = json.loads((folder / "points" / "00000-seed1" / "manifest.json").read_text())
        limit_us = float(manifest["scenario"]["time_limit"][:-1]) * 1e6
        assert 4 * max(ends) < limit_us


def test_links_that_lose_more_than_half_need_the_key(tiny):
    """Losses of elements for the same link and direction combine."""

    def line(*links):
        return validate(tiny, {"/faults": json.dumps({"links": links})}).stderr

    both = {"loss": 0.4}
    assert line(both, both).startswith(
        f"ina: {tiny}: /time_limit: the key is missing, and a link loses 64 % of its frames; allowed: a time "
        "(no default exists if more than half are lost)"
    )
    assert "loses 64 %" in line({"link": "hosts"} | both, {"link": "host1", "direction": "to_switch"} | both)
    assert "loses 100 %" in line({"burst": {"start": 0.1, "end": 0}})
    assert line({"loss": 0.5}) == ""
    assert line({"direction": "to_switch"} | both, {"direction": "from_switch"} | both) == ""
    assert line({"link": "host0"} | both, {"link": "host1"} | both) == ""
    keys = {"/faults": json.dumps({"links": [both, both]}), "/time_limit": "100s"}
    assert validate(tiny, keys).returncode == 0


@pytest.mark.parametrize("start", ["864000s", '{"uniform": ["0s", "864000s"]}'])
def test_a_start_after_which_no_job_can_end_is_named(tiny, start):
    for job, place in (("/jobs/start", "/jobs/start"), ("/jobs/0/start", "/jobs/0/start")):
        jobs = {"/sweep": "{}", "/jobs": '[{"profile": "vgg16", "workers": 2}]'} if "/0/" in job else {}
        done = validate(tiny, jobs | {job: start})
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert f" {place}: found 864000s, and the job then computes for " in line
        assert "allowed: an end before 864000s, the longest /time_limit" in line


@pytest.mark.parametrize(
    ("key", "most", "beyond"),
    [
        ("/topology/link/delay", "1s", "864000s"),
        ("/topology/uplink/delay", "1s", "864000s"),
        ("/switch/pipeline_latency", "1s", "1.001s"),
        ("/switch/pass_latency", "1s", "1.001s"),
        ("/faults/links/0/reordering_delay", "1s", "864000s"),
        ("/faults/nodes/0/duration", "3600s", "864000s"),
    ],
)
def test_no_frame_is_under_way_and_no_node_away_for_days(tiny, key, most, beyond):
    node = {"fault": "switch_reboots", "at": "1us", "duration": "1us"}
    keys = {"/faults": json.dumps({"links": [{"loss": 0.1}], "nodes": [node]})}
    assert validate(tiny, keys | {key: most}).returncode == 0
    done = validate(tiny, keys | {key: beyond})
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert f'{key}: found "{beyond}" (a string), too large; allowed: a time from 0s to {most}' in line


def peak_bytes(folder):
    (manifest,) = (folder / "points").glob("*/manifest.json")
    return json.loads(manifest.read_text())["peak_resident_bytes"]


@pytest.mark.parametrize("interval", ["100us", "1us"], ids=["iterations.csv", "switch.csv"])
def test_memory_does_not_grow_with_rows(tiny, tmp_path, interval):
    """Rows are written at once: 100 000 rows and more, 8 MB of text, are not kept in memory."""
    short, long = ({"/outputs/switch_interval": interval, "/jobs/iterations": n} for n in (10, 100_000))
    keys = {"/sweep": "{}", "/jobs/profile/layers/0/parameters": 1, "/jobs/jitter": "0s"}
    keys |= {"/payload": "none"}
    few = ina_sim.run(tiny, tmp_path / "few", keys | short)
    many = ina_sim.run(tiny, tmp_path / "many", keys | long)
    assert sum(map(len, ina_sim.tables(many).values())) > 8_000_000
    assert peak_bytes(many) < peak_bytes(few) + 4_000_000


def test_iterations_of_several_jobs_stand_job_by_job(tiny, tmp_path):
    """The jobs' iterations end at the same time, and a job may have none."""
    keys = {"/sweep": "{}", "/jobs/count": 2, "/jobs/iterations": 12, "/topology/parameter_servers": 2}
    killed = '{"nodes": [{"fault": "job_is_killed", "at": "1us", "job": 0}]}'
    folder = ina_sim.run(tiny, tmp_path / "both", keys)
    rows = [(int(row["job"]), int(row["iteration"])) for row in ina_sim.rows(folder, "iterations.csv")]
    assert rows == [(job, iteration) for job in range(2) for iteration in range(12)]
    folder = ina_sim.run(tiny, tmp_path / "one", keys | {"/faults": killed})
    assert {row["job"] for row in ina_sim.rows(folder, "iterations.csv")} == {"1"}
    assert [row["iterations"] for row in ina_sim.rows(folder)] == ["0", "12"]
    assert not list((folder / "points").glob("*/*.job*"))


def machine_bytes():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_memory_that_no_machine_has_is_refused(tiny):
    done = validate(tiny, {"/switch/memory_bytes": "100GB"})
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"ina: {tiny} (--set): /switch/memory_bytes: 403225806 aggregators take 108.9GB of memory, and "
        "the whole run takes 108.9GB; allowed: at most 64GB per run"
    )
    assert validate(tiny, {"/switch/memory_bytes": "100GB", "/payload": "none"}).returncode == 0


def test_memory_that_this_machine_has_not_is_refused_before_the_run(tiny, tmp_path):
    """A scenario is valid on every machine or on none. Only the run depends on this machine's memory."""
    size = machine_bytes() * 248 // 270 + 500_000_000
    if size * 270 // 248 > 64_000_000_000:
        pytest.skip("every valid run is too large for this machine")
    keys = {"/switch/memory_bytes": f"{size}B"}
    assert validate(tiny, keys).returncode == 0
    done = ina_sim.ina("run", tiny, "--out", tmp_path / "out", *ina_sim.set_options(keys))
    assert done.returncode == 2
    assert "/switch/memory_bytes: " in done.stderr
    assert re.search(r"allowed: a run that fits into memory \(this machine has [0-9.]+GB\)\n$", done.stderr)
    assert not (tmp_path / "out").exists()


def test_no_memory_is_one_line(tiny, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (300_000_000, 300_000_000))

    keys = {"/sweep": "{}", "/switch/memory_bytes": "1GB"}
    done = ina_sim.ina("run", tiny, "--out", tmp_path, *ina_sim.set_options(keys), preexec_fn=limit)
    assert done.returncode == 4
    lack, stopped = done.stderr.splitlines()
    assert "seed=1: out of memory: 4032258 aggregators take 1.1GB of memory, and the whole run takes 1.1GB" in lack
    assert stopped == "ina: tiny: stopped with 0 of 1 run finished"
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--set", "/sweep={}", preexec_fn=limit)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("system", ["dsa", "atp"])
def test_the_estimate_is_near_what_a_run_takes_that_uses_all_of_a_switch(tiny, tmp_path, system):
    """The packets hash to nearly every page of the memory. Unused pages would take no memory."""
    keys = {"/sweep": "{}", "/system": system, f"/{system}/addressing": "hash"}
    keys |= {"/jobs/iterations": 1, "/jobs/profile/layers/0/parameters": 4_000_000}
    few, many = (
        peak_bytes(ina_sim.run(tiny, tmp_path / size, keys | {"/switch/memory_bytes": size})) for size in ("1MB", "51MB")
    )
    estimate = 50_000_000 / 248 * 270
    assert 0.9 * estimate < many - few < 1.1 * estimate


EXTREMES = {
    "/topology/hosts": 8192,
    "/topology/parameter_servers": 256,
    "/topology/link/delay": "1s",
    "/topology/link/rate": "1Mbps",
    "/jobs/start": "864000s",
    "/jobs/jitter": "864000s",
    "/dsa/initial_window_packets": 1_000_000,
    "/dsa/min_rto": "864000s",
    "/switch/pipeline_latency": "1s",
    "/switch/pass_latency": "1s",
    "/switchml/rto": "1us",
    "/switch/buffer_bytes": "100GB",
    "/switch/memory_bytes": "248B",
    "/atp/kept_results": 1_000_000,
    "/jobs/profile/partition_bytes": "4B",
    "/outputs/switch_interval": "864000s",
}


@pytest.mark.parametrize("key", EXTREMES)
@pytest.mark.parametrize("system", ["switchml", "atp", "dsa"])
def test_the_largest_values_end_in_a_result_or_a_line(tiny, tmp_path, key, system):
    keys = {"/sweep": "{}", "/system": system, "/outputs/switch_interval": "864000s", key: EXTREMES[key]}
    done = ina_sim.ina("run", tiny, "--out", tmp_path, *ina_sim.set_options(keys), timeout=60)
    assert done.returncode in (0, 2, 3)
    assert "verification failed" not in done.stderr
    assert len(done.stderr.splitlines()) == {0: 0, 2: 1, 3: 2}[done.returncode], done.stderr

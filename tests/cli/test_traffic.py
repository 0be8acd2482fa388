# SPDX-License-Identifier: BSD-3-Clause
"""Background traffic of a scenario: its tables, which are equal with both engines and exist only with traffic."""

import json

import ina_sim
import pytest

FLOWS = [
    {"kind": "bulk", "from": ["host0", "host1"], "to": "host2"},
    {"kind": "bulk", "from": "host3", "to": "ps0", "bytes": "3kB"},
    {"kind": "arrivals", "load": 0.05, "sizes": [[1000, 0], [30000, 1]]},
]
WITH = {"/traffic/flows": json.dumps(FLOWS), "/jobs/iterations": "8", "/time_limit": "1s"}
PREFIX = ["point", "/jobs/count", "system", "seed"]
TABLES = ("flows.csv", "packets.csv")


@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_there_with_traffic_only(tiny, tmp_path, table):
    folder = ina_sim.run(tiny, tmp_path / "without")
    assert list(folder.glob(f"**/{table}")) == []
    rows = ina_sim.rows(ina_sim.run(tiny, tmp_path / "with", WITH), table)
    assert list(rows[0]) == PREFIX + ina_sim.columns_of(table)
    assert {row["point"] for row in rows} == {"0", "1", "2", "3"}


def test_each_sender_has_a_flow_and_one_of_a_size_completes(tiny, tmp_path):
    rows = [row for row in ina_sim.rows(ina_sim.run(tiny, tmp_path, WITH), "flows.csv") if row["point"] == "0"]
    assert [(row["from"], row["to"]) for row in rows[:3]] == [("host0", "host2"), ("host1", "host2"), ("host3", "ps0")]
    assert rows[0]["size_bytes"] == rows[0]["completion_us"] == ""
    assert int(rows[0]["bytes_received"]) > 0
    assert rows[2]["size_bytes"] == rows[2]["bytes_received"] == "3000"
    assert float(rows[2]["completion_us"]) > 10  # three times over two links: handshake, then data


def test_the_engines_agree(tiny, tmp_path):
    fast = ina_sim.run(tiny, tmp_path / "fast", WITH)
    reference = ina_sim.run(tiny, tmp_path / "reference", WITH | {"/engine": "reference"})
    for table in (*ina_sim.TABLES, *TABLES):
        assert (fast / table).read_bytes() == (reference / table).read_bytes(), table


def test_traffic_without_flows_is_none(tiny, tmp_path):
    without = ina_sim.run(tiny, tmp_path / "without")
    folder = ina_sim.run(tiny, tmp_path / "with", {"/traffic/congestion_control": "dctcp"})
    assert ina_sim.tables(folder) == ina_sim.tables(without)
    assert not (folder / "flows.csv").exists()


def test_arrivals_without_a_load_are_none_so_that_a_sweep_begins_alone(tiny, tmp_path):
    flows = [{"kind": "arrivals", "load": 0, "sizes": [[1000, 0], [30000, 1]]}]
    keys = {"/traffic/flows": json.dumps(flows)}
    without = ina_sim.run(tiny, tmp_path / "without")
    assert ina_sim.tables(ina_sim.run(tiny, tmp_path / "with", keys)) == ina_sim.tables(without)

    folder = ina_sim.run(tiny, tmp_path / "swept", keys | {"/sweep": '{"/traffic/flows/0/load": [0, 0.3]}'})
    loads = [float(row["/traffic/flows/0/load"]) for row in ina_sim.rows(folder, "jobs.csv")]
    assert set(loads) == {0, 0.3}
    assert {row["/traffic/flows/0/load"] for row in ina_sim.rows(folder, "flows.csv")} == {"0.3"}


LATE = [{"kind": "bulk", "from": "host0", "to": "host2", "bytes": "100kB", "start": "2ms"}] * 2
ALONE = {"topology": {"hosts": 4}, "traffic": {"flows": LATE, "until": "4ms"}}


def test_flows_that_never_start_are_a_finding(tiny, tmp_path):
    keys = {"/sweep": "{}", "/traffic/flows": json.dumps([*LATE, LATE[0] | {"start": "0s"}])}
    done = ina_sim.ina("run", tiny, "--out", tmp_path, *ina_sim.set_options(keys))
    assert (done.returncode, done.stderr) == (0, "")
    assert "finding: 2 of 3 elements of /traffic/flows started no flow before the run ended at " in done.stdout
    (point,) = json.loads((tmp_path / "tiny" / "manifest.json").read_text())["points"]
    assert ("flows_not_started", 2) in [(found["what"], found["amount"]) for found in point["findings"]]


def test_a_run_goes_on_until_the_later_of_its_last_job_and_its_end(tiny, tmp_path):
    keys = {"/sweep": "{}", "/traffic/flows": json.dumps(LATE), "/traffic/until": "4ms"}
    folder = ina_sim.run(tiny, tmp_path, keys)
    assert len(ina_sim.rows(folder, "flows.csv")) == 2
    assert all(float(row["completion_us"]) > 0 for row in ina_sim.rows(folder, "flows.csv"))
    (point,) = json.loads((folder / "manifest.json").read_text())["points"]
    assert point["simulated_ps"] == 4_000_000_000


@pytest.fixture
def alone(tmp_path):
    path = tmp_path / "alone.json"
    path.write_text(json.dumps(ALONE))
    return path


def test_traffic_needs_no_jobs(alone, tmp_path):
    folder = ina_sim.run(alone, tmp_path / "fast")
    assert [len(ina_sim.rows(folder, table)) for table in ("jobs.csv", "iterations.csv", "flows.csv")] == [0, 0, 2]
    assert all(float(row["completion_us"]) > 0 for row in ina_sim.rows(folder, "flows.csv"))
    reference = ina_sim.run(alone, tmp_path / "reference", {"/engine": "reference"})
    for table in (*ina_sim.TABLES, *TABLES):
        assert (folder / table).read_bytes() == (reference / table).read_bytes(), table


@pytest.mark.parametrize("system", ["switchml", "atp", "dsa", "ps", "ring"])
def test_without_jobs_any_system_is_none(alone, tmp_path, system):
    assert len(ina_sim.rows(ina_sim.run(alone, tmp_path / "out", {"/system": system}), "flows.csv")) == 2


def test_without_jobs_the_end_is_required(alone):
    scenario = json.loads(alone.read_text())
    del scenario["traffic"]["until"]
    alone.write_text(json.dumps(scenario))
    done = ina_sim.ina("validate", alone)
    assert done.returncode == 2
    assert "/traffic/until: the key is missing; allowed: the time at which a run without jobs ends" in done.stderr


def test_slices_without_jobs_are_merged(alone, tmp_path):
    keys = ina_sim.set_options({"/sweep": '{"/traffic/ecn": [true, false]}'})
    whole = ina_sim.ina("run", alone, "--out", tmp_path / "whole", *keys)
    assert whole.returncode == 0, whole.stderr
    for number in (1, 2):
        done = ina_sim.ina("run", alone, "--out", tmp_path, "--slice", f"{number}/2", *keys)
        assert done.returncode == 0, done.stderr
    merged = ina_sim.ina("merge", *sorted(tmp_path.glob("alone-slice-*")), "--out", tmp_path / "merged")
    assert merged.returncode == 0, merged.stderr
    for table in (*ina_sim.TABLES, *TABLES):
        assert (tmp_path / "merged" / "alone" / table).read_bytes() == (tmp_path / "whole" / "alone" / table).read_bytes()


def test_processes_on_real_packets_have_none(tiny):
    done = ina_sim.ina("plan", tiny, *ina_sim.set_options(WITH))
    assert done.returncode == 2
    assert "/traffic/flows: found flows; allowed on real packets: none" in done.stderr

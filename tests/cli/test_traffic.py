# SPDX-License-Identifier: BSD-3-Clause
"""Traffic beside the jobs, from a scenario: its tables, the same under both engines, and where there is none."""

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
COLUMNS = {
    "flows.csv": [
        "flow", "kind", "from", "to", "size_bytes", "start_us", "completion_us", "bytes_received", "last_received_us",
    ],
    "packets.csv": [
        "link", "packets_sent", "bytes_sent", "packets_received", "bytes_received", "packets_dropped", "packets_marked",
        "packets_lost", "packets_duplicated",
    ],
}  # fmt: skip


@pytest.mark.parametrize("table", COLUMNS)
def test_a_table_is_there_with_traffic_only(tiny, tmp_path, table):
    folder = ina_sim.run(tiny, tmp_path / "without")
    assert list(folder.glob(f"**/{table}")) == []
    rows = ina_sim.rows(ina_sim.run(tiny, tmp_path / "with", WITH), table)
    assert list(rows[0]) == PREFIX + COLUMNS[table]
    assert {row["point"] for row in rows} == {"0", "1", "2", "3"}


def test_each_sender_has_a_flow_and_one_of_a_size_completes(tiny, tmp_path):
    rows = [row for row in ina_sim.rows(ina_sim.run(tiny, tmp_path, WITH), "flows.csv") if row["point"] == "0"]
    assert [(row["from"], row["to"]) for row in rows[:3]] == [("host0", "host2"), ("host1", "host2"), ("host3", "ps0")]
    assert rows[0]["size_bytes"] == rows[0]["completion_us"] == ""
    assert int(rows[0]["bytes_received"]) > 0
    assert rows[2]["size_bytes"] == rows[2]["bytes_received"] == "3000"
    assert float(rows[2]["completion_us"]) > 10  # there and back, and there again, over two links


def test_the_engines_agree(tiny, tmp_path):
    fast = ina_sim.run(tiny, tmp_path / "fast", WITH)
    reference = ina_sim.run(tiny, tmp_path / "reference", WITH | {"/engine": "reference"})
    for table in (*ina_sim.TABLES, *COLUMNS):
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


def test_processes_on_real_packets_have_none(tiny):
    done = ina_sim.ina("plan", tiny, *ina_sim.set_options(WITH))
    assert done.returncode == 2
    assert "/traffic/flows: found flows; allowed: none for processes on real packets" in done.stderr

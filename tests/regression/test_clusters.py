# SPDX-License-Identifier: BSD-3-Clause
"""Compares shipped scenarios of clusters and other traffic with their descriptions, made small by
--set."""

import json

import ina_sim
import pytest

CLUSTERS = ina_sim.SCENARIOS / "clusters"
TENSOR_US = 4e6 * 8 / 100e3  # 4 MB on a line of 100 Gbps
SYSTEMS = ["ring", "halving_doubling", "byteps", "switchml", "atp", "dsa"]


def jct_us(row):
    assert row["status"] == "finished"
    return float(row["jct_us"])


@pytest.fixture(scope="module")
def all_reduces(tmp_path_factory):
    """Times of the all-reduces with 8 workers."""
    sweep = json.loads((CLUSTERS / "all-reduce.json").read_text())["sweep"] | {"/jobs/workers": [8]}
    keys = {"/sweep": json.dumps(sweep)}
    folder = ina_sim.run(CLUSTERS / "all-reduce.json", tmp_path_factory.mktemp("all-reduce"), keys)
    return {row["system"]: jct_us(row) for row in ina_sim.rows(folder)}


@pytest.mark.parametrize(
    ("system", "tensors"),
    [("ring", 7 / 4), ("halving_doubling", 7 / 4), ("byteps", 7 / 4), ("tree", 2), ("dsa", 1), ("ps", 8)],
)
def test_an_all_reduce_takes_what_its_slowest_link_carries(all_reduces, system, tensors):
    values_of_a_frame = 248 / 306 if system in ("dsa", "ps") else 1452 / 1514
    bound = tensors * TENSOR_US / values_of_a_frame
    assert bound <= all_reduces[system] <= 1.2 * bound


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """The tables of jobs and of flows, with 8 workers and 1 MB."""
    scenario = CLUSTERS / "comparison.json"
    variants = json.loads(scenario.read_text())["variants"]
    keys = {
        "/variants": json.dumps({"8 workers": variants["8 workers"]}),
        "/jobs/profile/layers/0/parameters": 250_000,
    }
    folder = ina_sim.run(scenario, tmp_path_factory.mktemp("comparison"), keys)
    return ina_sim.rows(folder), ina_sim.rows(folder, "flows.csv")


def test_systems_are_compared_alone_and_beside_tcp(compared):
    jobs, flows = compared
    alone, beside = (
        {row["system"]: jct_us(row) for row in jobs if row["/traffic/flows/0/load"] == load} for load in ("0", "0.3")
    )
    assert list(alone) == list(beside) == SYSTEMS
    assert max(alone[system] for system in ("switchml", "atp", "dsa")) < min(
        alone[system] for system in ("ring", "halving_doubling", "byteps")
    )
    assert all(beside[system] > alone[system] for system in SYSTEMS)
    assert {(row["system"], row["/traffic/flows/0/load"]) for row in flows} == {(system, "0.3") for system in SYSTEMS}


def test_a_slice_of_the_comparison_is_the_cell_that_the_readme_says(compared, tmp_path):
    jobs, _ = compared
    scenario = CLUSTERS / "comparison.json"
    keys = {"/jobs/profile/layers/0/parameters": 250_000}
    ina_sim.run(scenario, tmp_path, keys, "--slice", "10/48")
    (row,) = ina_sim.rows(tmp_path / "comparison-slice-10-of-48/points/00009-seed1")
    assert (row["variant"], row["system"], row["/traffic/flows/0/load"]) == ("8 workers", "switchml", "0.3")
    assert row["jct_us"] == jobs[9]["jct_us"]


GBPS = 1e3  # in bits per us


@pytest.fixture(scope="module")
def crossed(tmp_path_factory):
    """The folder of results, with one iteration per variant."""
    out = tmp_path_factory.mktemp("cross-traffic")
    return ina_sim.run(CLUSTERS / "cross-traffic.json", out, {"/jobs/iterations": 1})


def shares(folder, variant, link):
    """Shares of the 10 Gbps line, by system: (share of frames, share of packets)."""
    times = {row["system"]: jct_us(row) for row in ina_sim.rows(folder) if row["variant"] == variant}
    frames, packets = (
        {
            row["system"]: int(row["bytes_sent"]) * 8 / (10 * GBPS * times[row["system"]])
            for row in ina_sim.rows(folder, table)
            if (row["variant"], row["link"]) == (variant, link)
        }
        for table in ("links.csv", "packets.csv")
    )
    return {system: (frames[system], packets[system]) for system in times}


def test_a_job_and_tcp_from_its_worker_fill_the_line_together(crossed):
    for system, (frames, packets) in shares(crossed, "TCP from a worker", "host0>switch").items():
        assert frames + packets > 0.95, system
        assert 0.4 < frames < 0.6, system


def test_at_a_switch_those_who_listen_to_marks_share_with_tcp(crossed):
    found = shares(crossed, "TCP to a worker", "switch>host0")
    assert all(0.3 < found[system][0] < 0.7 for system in ("atp", "dsa"))
    assert found["switchml"][0] > 0.85, "listens to none"


def test_flows_of_every_kind_complete_beside_a_job(crossed):
    rows = ina_sim.rows(crossed, "flows.csv")
    for variant in ("web search", "incast at a worker"):
        of_it = [row for row in rows if row["variant"] == variant]
        assert {row["system"] for row in of_it if row["completion_us"]} == {"switchml", "atp", "dsa"}, variant

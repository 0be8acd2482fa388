# SPDX-License-Identifier: BSD-3-Clause
"""If a network is 2 to 100 times as fast, jobs take exactly that fraction of the time. Omitting values does not change
results. Both hold on each topology and under each system, with losses and without."""

import ina_sim
import networks
import pytest

# Frames take whole picoseconds at each of these multiples of the rate.
FASTER = [1, 2, 10, 100]
RATE_GBPS, RECIRCULATED_GBPS = 1, 16
DELAY_NS, PIPELINE_NS, PASS_NS = 400_000, 40_000, 40_000
TIMEOUT_US, EXPIRY_US = 100_000, 10_000_000
LOSSES = {"idle": {}, "lossy": {"faults": {"links": [{"loss": 0.001}]}}}
KEPT = ["jct_us", "packets_sent", "packets_received", "retransmissions", "fallbacks", "preemptions"]


def timeouts(timeout, expiry):
    """Settings of every system that replace defaults which do not shrink with the network. DSA's unit of priorities
    equals a time-out."""
    worker = {"min_rto": timeout}
    return {
        "switchml": {"rto": timeout},
        "atp": worker | {"request_timeout": timeout, "aggregator_expiry": expiry},
        "dsa": worker | {"reminder_min_timeout": timeout, "aggregator_expiry": expiry, "priority_unit": timeout},
        "ps": worker | {"request_timeout": timeout},
    } | dict.fromkeys(networks.ALL_REDUCES, worker)


def network(faster):
    """All settings with a unit of time, `faster` times as fast."""
    return timeouts(f"{TIMEOUT_US // faster}us", f"{EXPIRY_US // faster}us") | {
        "topology": networks.links(rate=f"{RATE_GBPS * faster}Gbps", delay=f"{DELAY_NS // faster}ns"),
        "switch": {
            "pipeline_latency": f"{PIPELINE_NS // faster}ns",
            "pass_latency": f"{PASS_NS // faster}ns",
            "resubmit_bandwidth": f"{RATE_GBPS * faster}Gbps",
            "recirculate_bandwidth": f"{RECIRCULATED_GBPS * faster}Gbps",
        },
    }


def picoseconds(row):
    whole, fraction = row["jct_us"].split(".")
    return int(whole + fraction.ljust(6, "0"))


@pytest.mark.parametrize("losses", LOSSES)
def test_everything_so_many_times_as_fast_takes_that_part_of_the_time(tmp_path, losses):
    scenario = LOSSES[losses] | {
        "variants": networks.on_each_topology({f"{faster} x": network(faster) for faster in FASTER}),
        "jobs": networks.job(100_000, workers=8),
        "sweep": {"/system": networks.SYSTEMS},
    }
    rows = {(row["variant"], row["system"]): row for row in ina_sim.rows(networks.run(tmp_path, scenario))}
    assert len(rows) == len(FASTER) * len(networks.TOPOLOGIES) * len(networks.SYSTEMS)
    for topology in networks.TOPOLOGIES:
        for system in networks.SYSTEMS:
            of_all = [rows[networks.name_of(topology, f"{faster} x"), system] for faster in FASTER]
            scaled = {faster * picoseconds(row) for faster, row in zip(FASTER, of_all, strict=True)}
            assert len(scaled) == 1, (topology, system)


@pytest.mark.parametrize("losses", LOSSES)
def test_values_that_are_left_out_change_nothing(tmp_path, losses):
    payloads = ["none", "digest", "values"]
    scenario = LOSSES[losses] | {
        "variants": networks.on_each_topology({"any": {}}),
        "jobs": networks.job(25_000, workers=8),
        "sweep": {"/system": networks.SYSTEMS, "/payload": payloads},
    }
    found = {}
    for row in ina_sim.rows(networks.run(tmp_path, scenario)):
        found.setdefault((row["variant"], row["system"]), []).append([row[column] for column in KEPT])
    assert len(found) == len(networks.TOPOLOGIES) * len(networks.SYSTEMS)
    for case, of_payloads in found.items():
        assert of_payloads == [of_payloads[0]] * len(payloads), case

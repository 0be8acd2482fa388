# SPDX-License-Identifier: BSD-3-Clause
"""Time-outs follow the links' delays. Without losses and other traffic, a job's time grows in
proportion to the delays, and it retransmits nothing."""

import itertools
import json

import ina_sim
import pytest

SYSTEMS = ["switchml", "atp", "dsa", "ps", "ring", "halving_doubling", "tree", "byteps"]
DELAYS_US = [n * 10**power for power in range(5) for n in (1, 2, 5)] + [10**5]
MOST_GROWTH = 1.3  # relative to the growth of the delay

JOB = {
    "jobs": {"workers": 4, "profile": {"name": "100kB", "layers": [{"parameters": 25_000}]}},
    "payload": "none",
}
STAR = {"hosts": 4, "parameter_servers": 1}
LEAF_SPINE = {"type": "leaf_spine", "racks": 2, "hosts_per_rack": 2, "spines": 1}
ADAPTIVE = {"rto": "adaptive", "congestion_control": True}


def run(folder, scenario):
    file = folder / "delays.json"
    file.write_text(json.dumps(JOB | scenario), encoding="utf-8")
    return ina_sim.rows(ina_sim.run(file, folder / "results"))


def check(rows):
    assert len(rows) == len(DELAYS_US)
    assert [int(row["retransmissions"]) for row in rows] == [0] * len(rows)
    times = [float(row["jct_us"]) for row in rows]
    for (delay, time), (longer, later) in itertools.pairwise(zip(DELAYS_US, times, strict=True)):
        assert time <= later <= MOST_GROWTH * longer / delay * time, f"{delay} to {longer} us"


@pytest.fixture(scope="module")
def star(tmp_path_factory):
    delays = [f"{delay}us" for delay in DELAYS_US]
    sweep = {"/system": SYSTEMS, "/topology/link/delay": delays}
    return run(tmp_path_factory.mktemp("star"), {"topology": STAR, "sweep": sweep})


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_job_takes_as_much_longer_as_its_links(star, system):
    check([row for row in star if row["system"] == system])


@pytest.fixture(scope="module")
def racks(tmp_path_factory):
    """The links between the switches have the same delay as the hosts' links."""
    variants = {
        f"{delay}us": {
            "topology": {"link": {"delay": f"{delay}us"}, "uplink": {"delay": f"{delay}us"}}
        }
        for delay in DELAYS_US
    }
    scenario = {"topology": LEAF_SPINE, "variants": variants, "sweep": {"/system": SYSTEMS}}
    return run(tmp_path_factory.mktemp("racks"), scenario)


@pytest.mark.parametrize("system", SYSTEMS)
def test_in_racks_alike(racks, system):
    of_system = {row["variant"]: row for row in racks if row["system"] == system}
    check([of_system[f"{delay}us"] for delay in DELAYS_US])


def test_switchml_with_atps_time_out_and_window_alike(tmp_path):
    delays = [f"{delay}us" for delay in DELAYS_US]
    scenario = {"system": "switchml", "switchml": ADAPTIVE, "topology": STAR}
    check(run(tmp_path, scenario | {"sweep": {"/topology/link/delay": delays}}))


def test_a_flow_of_other_traffic_connects_over_long_links(tmp_path):
    """TCP gives up after six SYNs, with a time-out that doubles."""
    flow = {"kind": "bulk", "from": "host2", "to": "host3", "bytes": "100kB"}
    slow = {"name": "slow", "layers": [{"parameters": 25_000, "backward": "5s"}]}
    scenario = {
        "system": "ring",
        "topology": STAR | {"link": {"delay": "20ms"}},
        "jobs": {"workers": 2, "profile": slow},
        "traffic": {"flows": [flow]},
    }
    run(tmp_path, scenario)
    [flow] = ina_sim.rows(tmp_path / "results/delays", "flows.csv")
    assert int(flow["bytes_received"]) == 100_000

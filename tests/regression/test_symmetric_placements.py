# SPDX-License-Identifier: BSD-3-Clause
"""One job alone takes the same time wherever it is placed, if a symmetry of the topology takes one
placement to the other. The choice of the root must not depend on the order of racks, pods or switches."""

import json

import ina_sim
import pytest

SYSTEMS = ["switchml", "atp", "dsa"]
GRAPH = {
    "type": "graph",
    "switches": [{"name": "a", "hosts": 4}, {"name": "b", "hosts": 4}],
    "trunks": [{"from": "a", "to": "b"}],
}
TOPOLOGIES = {
    "racks": {"type": "star", "hosts": 8, "racks": 2},
    "three racks": {"type": "star", "hosts": 12, "racks": 3},
    "graph": GRAPH,
    "leaf-spine": {"type": "leaf_spine", "racks": 3, "hosts_per_rack": 4, "spines": 2},
    "rail": {"type": "rail", "hosts": 4, "rails": 3, "spines": 2},
    "fat tree": {"type": "fat_tree", "k": 4},
}
# By topology: the workers' hosts and, for systems that have one, the server's.
TWO_RACKS = {
    "evenly": [([0, 1, 4, 5], 2), ([4, 5, 0, 1], 6), ([7, 2, 6, 3], 1)],
    "unevenly": [([0, 1, 2, 4], 3), ([4, 5, 6, 0], 7)],
    "away from the server": [([0, 1, 2], 4), ([4, 5, 6], 0)],
}
PLACEMENTS = {
    "racks": TWO_RACKS,
    "graph": TWO_RACKS,
    "three racks": {"in all": [([0, 1, 4, 8], 2), ([4, 5, 0, 8], 6)]},
    "leaf-spine": {
        "in all": [([0, 1, 4, 5, 8], 9), ([4, 5, 8, 9, 0], 1), ([8, 9, 0, 1, 4], 5)],
        "in one": [([0, 1, 2], 3), ([4, 5, 6], 7), ([10, 9, 8], 11)],
        "away from the server": [([0, 1, 2], 4), ([8, 9, 10], 0)],
    },
    "rail": {"in all": [([0, 1, 4, 5, 8], 9), ([4, 5, 8, 9, 0], 1), ([8, 9, 0, 1, 4], 5)]},
    "fat tree": {
        "two pods": [
            ([0, 1, 2, 3, 4, 5, 6], 7),
            ([8, 9, 10, 11, 12, 13, 14], 15),
            ([15, 14, 13, 12, 11, 10, 9], 8),
            ([0, 1, 2, 3, 8, 9, 10], 11),
        ],
        "a pod and a half": [([0, 2, 4], 5), ([8, 10, 12], 13), ([12, 14, 0], 1)],
        "one pod": [([0, 2, 3], 1), ([12, 14, 15], 13)],
        "away from the server": [([0, 1, 2, 3], 4), ([12, 13, 14, 15], 8), ([4, 5, 6, 7], 0)],
    },
}
CASES = [(topology, how) for topology, placements in PLACEMENTS.items() for how in placements]


def scenario(system, topology, placements):
    profile = {"name": "4MB", "layers": [{"parameters": 1_000_000}]}
    jobs = [{"hosts": hosts, "server": server_at(topology, at)} for hosts, at in placements]
    return {
        "system": system,
        "payload": "none",
        "topology": {**topology, "root": "least_loaded", "parameter_servers": 0},
        "variants": {str(number): {"jobs": {**job, "profile": profile}} for number, job in enumerate(jobs)},
    }


def server_at(topology, host):
    return f"host{host % 4}.rail{host // 4}" if topology["type"] == "rail" else f"host{host}"


@pytest.mark.parametrize(("topology", "how"), CASES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_job_takes_the_same_time_on_symmetric_placements(tmp_path, system, topology, how):
    placements = PLACEMENTS[topology][how]
    file = tmp_path / "symmetric.json"
    file.write_text(json.dumps(scenario(system, TOPOLOGIES[topology], placements)))
    times = [float(row["jct_us"]) for row in ina_sim.rows(ina_sim.run(file, tmp_path / "out"))]
    assert len(times) == len(placements)
    assert max(times) <= 1.001 * min(times), times


@pytest.mark.parametrize("system", ["switchml", "dsa"])
def test_a_job_takes_the_same_time_in_every_two_pods_wherever_the_parameter_servers_are(tmp_path, system):
    file = tmp_path / "pods.json"
    content = scenario(system, TOPOLOGIES["fat tree"], [([*range(8)], 0), ([*range(8, 16)], 0)])
    content["topology"]["parameter_servers"] = 1
    for variant in content["variants"].values():
        del variant["jobs"]["server"]
    file.write_text(json.dumps(content))
    first, last = (float(row["jct_us"]) for row in ina_sim.rows(ina_sim.run(file, tmp_path / "out")))
    assert last == pytest.approx(first, rel=0.001)

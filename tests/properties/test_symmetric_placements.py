# SPDX-License-Identifier: BSD-3-Clause
"""A single job takes the same time in two placements if a symmetry of the topology maps one to the other.
The choice of the root must not depend on the order of racks, pods or switches.

Flows are compared only on topologies with one path between two hosts, because a hash picks one of several paths."""

import ina_sim
import networks
import pytest
from exceptions import Known, check

FLOWS = ["ps", *networks.ALL_REDUCES]
GRAPH = networks.EQUAL_LINKS | {
    "type": "graph",
    "switches": [{"name": "a", "hosts": 4}, {"name": "b", "hosts": 4}],
    "trunks": [{"from": "a", "to": "b"}],
}
TOPOLOGIES = {
    "star": networks.EQUAL_LINKS | {"type": "star", "hosts": 12},
    "racks": networks.EQUAL_LINKS | {"type": "star", "hosts": 8, "racks": 2},
    "three racks": networks.EQUAL_LINKS | {"type": "star", "hosts": 12, "racks": 3},
    "graph": GRAPH,
    "leaf-spine": networks.EQUAL_LINKS | {"type": "leaf_spine", "racks": 3, "hosts_per_rack": 4, "spines": 2},
    "rail": networks.EQUAL_LINKS | {"type": "rail", "hosts": 4, "rails": 3, "spines": 2},
    "fat tree": networks.EQUAL_LINKS_OF_FAT_TREE | {"type": "fat_tree", "k": 4},
}
# Cases of equivalent placements: the workers' hosts and, for systems with a server, the server's host.
TWO_RACKS = {
    "evenly": [([0, 1, 4, 5], 2), ([4, 5, 0, 1], 6)],
    "unevenly": [([0, 1, 2, 4], 3), ([4, 5, 6, 0], 7)],
    "away from the server": [([0, 1, 2], 4), ([4, 5, 6], 0)],
}
# In-network sums do not depend on the order of workers. All-reduces among workers depend on the ranks.
IN_ANY_ORDER = {"in any order": [([0, 1, 4, 5], 2), ([7, 2, 6, 3], 1)]}
PLACEMENTS = {
    "star": {"anywhere": [([0, 1, 2, 3], 4), ([3, 2, 1, 0], 11), ([9, 2, 7, 5], 0)]},
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
ONE_PATH = ["star", "racks", "graph", "three racks"]
OF_FLOWS = [(topology, how) for topology in ONE_PATH for how in PLACEMENTS[topology]]
PLACEMENTS |= {topology: TWO_RACKS | IN_ANY_ORDER for topology in ("racks", "graph")}
OF_SUMS = [(topology, how) for topology, placements in PLACEMENTS.items() for how in placements]
TOLERANCE = 0.001
TIES = (
    "Of frames that arrive at a line at the same instant, the one from the first port goes first; marks make"
    " windows of that which differ for long. With fixed windows the times are equal."
)
EXCEPTIONS = {
    ("ps", "star", "anywhere"): Known(1.02, TIES),
    ("halving_doubling", "three racks", "in all"): Known(1.06, TIES),
    ("byteps", "three racks", "in all"): Known(1.12, TIES),
}


def scenario(systems, cases):
    """A variant for each placement of each case. A case is (topology, how)."""
    return {
        "variants": {
            f"{topology}, {how} {number}": {
                "topology": {**TOPOLOGIES[topology], "root": "least_loaded", "parameter_servers": 0},
                "jobs": {"hosts": hosts, "server": networks.port(topology, server)},
            }
            for topology, how in cases
            for number, (hosts, server) in enumerate(PLACEMENTS[topology][how])
        },
        "jobs": networks.job(1_000_000),
        "sweep": {"/system": systems},
    }


def ratios_of(folder, content):
    """The largest time divided by the smallest one, by (system, topology, how)."""
    times = {}
    for row in ina_sim.rows(networks.run(folder, content)):
        topology, case = row["variant"].split(", ")
        times.setdefault((row["system"], topology, case.rpartition(" ")[0]), []).append(networks.jct_us(row))
    assert min(len(of_case) for of_case in times.values()) > 1
    return {case: max(of_case) / min(of_case) for case, of_case in times.items()}


@pytest.fixture(scope="module")
def ratios(tmp_path_factory):
    sums = ratios_of(tmp_path_factory.mktemp("sums"), scenario(networks.IN_NETWORK, OF_SUMS))
    flows = ratios_of(tmp_path_factory.mktemp("flows"), scenario(FLOWS, OF_FLOWS))
    assert len(sums | flows) == len(sums) + len(flows)
    return sums | flows


CASES = [(system, *case) for system in networks.IN_NETWORK for case in OF_SUMS]
CASES += [(system, *case) for system in FLOWS for case in OF_FLOWS]


@pytest.mark.parametrize(("system", "topology", "how"), CASES)
def test_a_job_takes_the_same_time_on_symmetric_placements(ratios, system, topology, how):
    case = (system, topology, how)
    check(ratios[case], TOLERANCE, EXCEPTIONS.get(case))


def test_with_fixed_windows_there_are_no_exceptions(tmp_path):
    systems, topologies, hows = (list(dict.fromkeys(part)) for part in zip(*EXCEPTIONS, strict=True))
    cases = [case for case in OF_FLOWS if case[0] in topologies and case[1] in hows]
    fixed = ratios_of(tmp_path, scenario(systems, cases) | networks.FIXED_WINDOWS)
    assert EXCEPTIONS.keys() <= fixed.keys()
    for ratio in fixed.values():
        check(ratio, TOLERANCE)


@pytest.mark.parametrize("system", ["switchml", "dsa"])
def test_a_job_takes_the_same_time_in_every_two_pods_wherever_the_parameter_servers_are(tmp_path, system):
    pods = {"first": [*range(8)], "last": [*range(8, 16)]}
    content = {
        "system": system,
        "topology": {**TOPOLOGIES["fat tree"], "root": "least_loaded", "parameter_servers": 1},
        "variants": {name: {"jobs": {"hosts": hosts}} for name, hosts in pods.items()},
        "jobs": networks.job(1_000_000),
    }
    first, last = (networks.jct_us(row) for row in ina_sim.rows(networks.run(tmp_path, content)))
    assert last == pytest.approx(first, rel=TOLERANCE)

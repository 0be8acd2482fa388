# SPDX-License-Identifier: BSD-3-Clause
"""On an idle network with default keys, a job of four or more workers is not slower with in-network
aggregation than with a `ring`, unless the run has a finding that explains it.

With two or three workers, a ring sends only 1 or 4/3 tensors per direction, in frames with a smaller share of headers.
"""

import json

import ina_sim
import networks
import pytest
from exceptions import Known, check

WORKERS = [4, 8, 16]
PARAMETERS = [1_000, 25_000, 250_000, 1_000_000]
NETWORKS = networks.TOPOLOGIES | {
    "wide leaf-spine": {"type": "leaf_spine", "racks": 8, "hosts_per_rack": 8, "spines": 8},
    "wide fat tree": {"type": "fat_tree", "k": 8},
}
WIDE_WORKERS = {"wide leaf-spine": [64], "wide fat tree": [8, 32]}
PLACEMENTS = ["packed", "spread"]
# Findings that explain why a job is slow.
SAYING_WHY = {"shared_link", "waiting", "resent_without_loss", "memory", "window", "dropped"}
SLOW_START = (
    "The server of ATP is in another rack than its workers, and the window takes two round trips of 20 us to fill"
    " that path. A ring's path is within the rack."
)
EXCEPTIONS = {
    (250_000, network, "packed", 4, "atp"): Known(1.08, SLOW_START) for network in ("graph", "leaf-spine", "rail")
}
CASES = [
    (network, placement, workers)
    for network in NETWORKS
    for placement in PLACEMENTS
    for workers in WIDE_WORKERS.get(network, WORKERS)
]


def name_of(network, placement, workers):
    return f"{network}, {placement} {workers}"


def variant(network, placement, workers):
    return {
        "topology": NETWORKS[network] | {"placement": placement, "parameter_servers": 1},
        "jobs": {"workers": workers},
    }


def points_of(folder, systems, parameters):
    """JCT and kinds of findings, by (variant, system)."""
    scenario = {
        "variants": {name_of(*case): variant(*case) for case in CASES},
        "jobs": networks.job(parameters),
        "sweep": {"/system": systems},
    }
    results = networks.run(folder, scenario)
    points = json.loads((results / "manifest.json").read_text(encoding="utf-8"))["points"]
    return {
        (row["variant"], row["system"]): (
            networks.jct_us(row),
            {found["what"] for found in point["findings"]},
        )
        for row, point in zip(ina_sim.rows(results), points, strict=True)
    }


@pytest.fixture(scope="module", params=PARAMETERS)
def compared(request, tmp_path_factory):
    systems = [*networks.IN_NETWORK, "ring"]
    points = points_of(tmp_path_factory.mktemp("ring"), systems, request.param)
    assert len(points) == len(systems) * len(CASES)
    return request.param, points


@pytest.mark.parametrize("system", networks.IN_NETWORK)
@pytest.mark.parametrize(("network", "placement", "workers"), CASES)
def test_a_switch_is_not_slower_than_a_ring(compared, network, placement, workers, system):
    parameters, points = compared
    name = name_of(network, placement, workers)
    (time, findings), (of_ring, _) = points[name, system], points[name, "ring"]
    if findings & SAYING_WHY:
        return
    check(time / of_ring, 0, EXCEPTIONS.get((parameters, network, placement, workers, system)))

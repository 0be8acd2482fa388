# SPDX-License-Identifier: BSD-3-Clause
"""Where switches add up, a job of four workers or more is not slower than a `ring` on an idle network with
default keys, unless the run says why: with a finding.

Of two or three workers a ring sends 1 or 4/3 tensors each way, in frames with fewer bytes of headers.
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
# Findings that say that a job is slowed down, and by what.
SAYING_WHY = {"shared_link", "waiting", "resent_without_loss", "memory", "window", "dropped"}

SLOW_START = (
    "ATP's window begins with 200 packets and grows by one a round trip. The way to a server in another rack"
    " and back holds 400 to 1200, which no finding says."
)
# Of ATP with packed placement, by parameters, network and workers.
SLOWER_BY_SLOW_START = {
    (25_000, "racks", 4): 1.06,
    (25_000, "graph", 4): 1.36,
    (25_000, "leaf-spine", 4): 1.36,
    (25_000, "rail", 4): 1.36,
    (25_000, "fat tree", 4): 1.34,
    (250_000, "racks", 4): 1.21,
    (250_000, "racks", 8): 1.04,
    (250_000, "graph", 4): 1.59,
    (250_000, "graph", 8): 1.37,
    (250_000, "graph", 16): 1.14,
    (250_000, "leaf-spine", 4): 1.59,
    (250_000, "leaf-spine", 8): 1.32,
    (250_000, "rail", 4): 1.59,
    (250_000, "rail", 8): 1.32,
    (250_000, "fat tree", 4): 2.26,
    (250_000, "wide fat tree", 8): 1.96,
    (1_000_000, "fat tree", 4): 1.32,
    (1_000_000, "wide fat tree", 8): 1.13,
}
EXCEPTIONS = {
    (parameters, "atp", network, "packed", workers): Known(most, SLOW_START)
    for (parameters, network, workers), most in SLOWER_BY_SLOW_START.items()
}
FULL_WINDOW = {"atp": {"initial_window_packets": 2000, "max_window_packets": 2000}}
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


def points_of(folder, systems, cases, parameters, keys):
    """(variant, system): JCT and the kinds of findings."""
    scenario = keys | {
        "variants": {name_of(*case): variant(*case) for case in cases},
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
    points = points_of(tmp_path_factory.mktemp("ring"), systems, CASES, request.param, {})
    assert len(points) == len(systems) * len(CASES)
    return request.param, points


@pytest.mark.parametrize("system", networks.IN_NETWORK)
@pytest.mark.parametrize(("network", "placement", "workers"), CASES)
def test_a_switch_is_not_slower_than_a_ring(compared, network, placement, workers, system):
    parameters, points = compared
    name = name_of(network, placement, workers)
    (time, findings), (of_ring, _) = points[name, system], points[name, "ring"]
    known = EXCEPTIONS.get((parameters, system, network, placement, workers))
    if findings & SAYING_WHY:
        assert known is None, "the run says why: take it out of the table"
    else:
        check(time / of_ring, 0, known)


@pytest.mark.parametrize("parameters", sorted({parameters for parameters, *_ in EXCEPTIONS}))
def test_with_a_full_window_from_the_beginning_atp_is_no_exception(tmp_path, parameters):
    cases = [case for of_parameters, _, *case in EXCEPTIONS if of_parameters == parameters]
    points = points_of(tmp_path, ["atp", "ring"], cases, parameters, FULL_WINDOW)
    for case in cases:
        time, of_ring = (points[name_of(*case), system][0] for system in ("atp", "ring"))
        check(time / of_ring, 0)

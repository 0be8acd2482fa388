# SPDX-License-Identifier: BSD-3-Clause
"""A single job on an idle star takes the time of a closed form. In one rack of any topology it takes the
same time as on a star, to the picosecond.

Windows are fixed and fill the network, since the closed forms do not describe how windows grow. The
simulator's own tests compare all-reduces of 8 to 1024 workers with their closed forms.
"""

import math

import ina_sim
import networks
import pytest

WORKERS = 8
PARAMETERS = 250_000
LINE = 100e3  # bits per us
DELAY_US = 2.5
VALUES = {"switchml": 32, "atp": 62, "dsa": 62, "ps": 62} | dict.fromkeys(networks.ALL_REDUCES, 363)
FRAME_BYTES = {"switchml": 180, "atp": 306, "dsa": 306, "ps": 306} | dict.fromkeys(networks.ALL_REDUCES, 1514)
SHARE = 2 * (WORKERS - 1) / WORKERS  # share of a tensor in each direction of a worker's link
# Number of tensors on the busiest line, number of links from a worker to its result, and maximum excess over the
# closed form. The excess is due to acknowledgements and, in a tree, to two flows that meet on one line.
CLOSED_FORMS = {
    "switchml": (1, 2, 0),
    "dsa": (1, 2, 0),
    "atp": (1, 4, 0),
    "ps": (WORKERS, 4, 0.01),
    "ring": (SHARE, 2, 0.02),
    "halving_doubling": (SHARE, 2, 0.02),
    "byteps": (SHARE, 2, 0.02),
    "tree": (2, 2, 1 / 7),
}
PICOSECOND = 1e-6  # in us
FULL_WINDOWS = {
    system: {"initial_window_packets": 1000, "max_window_packets": 1000, "congestion_control": False}
    for system in networks.SYSTEMS
    if system != "switchml"
}
# By default, the maximum window depends on the longest path of a topology, which a job in one rack does not use.
EQUAL_WINDOWS = {system: {"max_window_packets": 1000} for system in FULL_WINDOWS}
# Topologies with at least four hosts per rack.
RACKS = networks.TOPOLOGIES | {
    "fat tree": networks.EQUAL_LINKS_OF_FAT_TREE | {"type": "fat_tree", "k": 8},
}


def closed_form_us(system, tensors, links):
    """All frames cross one line. The last frame then crosses the other links, store and forward."""
    frame_us = FRAME_BYTES[system] * 8 / LINE
    frames = tensors * math.ceil(PARAMETERS / VALUES[system])
    return frames * frame_us + links * DELAY_US + (links - 1) * frame_us


@pytest.fixture(scope="module")
def star(tmp_path_factory):
    scenario = FULL_WINDOWS | {
        "topology": networks.EQUAL_LINKS | {"hosts": WORKERS, "parameter_servers": 1},
        "jobs": networks.job(PARAMETERS, workers=WORKERS),
        "sweep": {"/system": networks.SYSTEMS},
    }
    rows = ina_sim.rows(networks.run(tmp_path_factory.mktemp("star"), scenario))
    return {row["system"]: networks.jct_us(row) for row in rows}


@pytest.mark.parametrize("system", networks.SYSTEMS)
def test_a_job_on_a_star_takes_its_closed_form(star, system):
    tensors, links, longer = CLOSED_FORMS[system]
    bound = closed_form_us(system, tensors, links)
    assert bound - PICOSECOND <= star[system] <= (1 + longer) * bound + PICOSECOND


def in_a_rack(server):
    """Variants: each topology with the job's server on the host `server` of the first rack."""
    return {
        topology: {
            "topology": {**keys, "parameter_servers": 0},
            "jobs": {"server": networks.port(topology, server)},
        }
        for topology, keys in RACKS.items()
    }


@pytest.mark.parametrize("server", [0, 3])
@pytest.mark.parametrize("parameters", [1, 25_000, PARAMETERS])
def test_a_job_in_one_rack_takes_what_it_takes_on_a_star(tmp_path, parameters, server):
    scenario = EQUAL_WINDOWS | {
        "variants": in_a_rack(server),
        "jobs": networks.job(parameters, hosts=[0, 1, 2]),
        "sweep": {"/system": networks.SYSTEMS},
    }
    times = {system: {} for system in networks.SYSTEMS}
    for row in ina_sim.rows(networks.run(tmp_path, scenario)):
        times[row["system"]][row["variant"]] = networks.jct_us(row)
    for system, of_system in times.items():
        assert of_system == dict.fromkeys(RACKS, of_system["star"]), system

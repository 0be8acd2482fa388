# SPDX-License-Identifier: BSD-3-Clause
"""More loss never makes jobs faster, in one direction of the links or in both: the mean over seeds does not fall
by more than its confidence interval. A few lost frames cost a few time-outs."""

import itertools
import math

import ina_sim
import networks
import pytest
from exceptions import Known, check

from analysis.estimates import estimate as estimated

PARAMETERS = 25_000
WORKERS = 8
DIRECTIONS = ["to_switch", "from_switch", "both"]
ON_A_STAR = [1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2]
IN_RACKS = [1e-4, 1e-3, 1e-2, 3e-2]
STAR_SEEDS, RACK_SEEDS = 20, 10
LOST = [0, 1, 2, 4, 8]
LEAST_TIMEOUT_US = 1000  # default floor of every system
TIMEOUTS_OF_FEW = 5  # maximum cost of one host's lost frames: a worker's time-out, then a server's, each of them twice
TIMEOUTS_OF_MANY = 20  # maximum cost of losing 3 % of 404 fragments, some of them repeatedly

BACK_OFF = "One back-off serves all fragments of a worker, and doubles with each of them that is lost."
EXCEPTIONS = {("dsa", "both"): Known(2.6, BACK_OFF)}


def times_of(folder, scenario):
    """JCTs in the order of seeds, by (variant, system, direction, loss)."""
    times = {}
    for row in ina_sim.rows(networks.run(folder, scenario)):
        loss = float(row["/faults/links/0/loss"])
        key = row["variant"], row["system"], row["/faults/links/0/direction"], loss
        times.setdefault(key, []).append(networks.jct_us(row))
    return times


def lossy(topologies, directions, losses, seeds):
    return {
        "variants": {
            topology: {"topology": networks.TOPOLOGIES[topology] | networks.SPREAD} for topology in topologies
        },
        "faults": {"links": [{"link": "all", "loss": 0}]},
        "jobs": networks.job(PARAMETERS, workers=WORKERS),
        "sweep": {
            "/system": networks.SYSTEMS,
            "/faults/links/0/direction": directions,
            "/faults/links/0/loss": losses,
        },
        "seeds": f"1-{seeds}",
    }


def check_no_fall(estimates, what):
    """Requires that no mean is below an earlier one by more than the interval of their difference."""
    for earlier, later in itertools.combinations(estimates, 2):
        fall = earlier.mean - later.mean
        assert fall <= math.hypot(earlier.half_width, later.half_width), f"{what}: {earlier} to {later}"


@pytest.fixture(scope="module")
def star(tmp_path_factory):
    return times_of(tmp_path_factory.mktemp("star"), lossy(["star"], DIRECTIONS, ON_A_STAR, STAR_SEEDS))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("system", networks.SYSTEMS)
def test_on_a_star_the_mean_never_falls_with_more_loss(star, system, direction):
    estimates = [estimated(star["star", system, direction, loss]) for loss in ON_A_STAR]
    check_no_fall(estimates, f"seeds 1 to {STAR_SEEDS}")
    assert estimates[-1].low > estimates[0].mean, "3 % cost something"


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("system", networks.SYSTEMS)
def test_on_a_star_heavy_loss_costs_some_time_outs(star, system, direction):
    mean = estimated(star["star", system, direction, ON_A_STAR[-1]]).mean
    check(mean / (TIMEOUTS_OF_MANY * LEAST_TIMEOUT_US), 0, EXCEPTIONS.get((system, direction)))


@pytest.mark.parametrize("loss", ON_A_STAR)
@pytest.mark.parametrize("system", networks.SYSTEMS)
def test_on_a_star_loss_in_both_directions_is_not_faster_than_in_one(star, system, loss):
    *one, both = (estimated(star["star", system, direction, loss]) for direction in DIRECTIONS)
    for estimate in one:
        check_no_fall([estimate, both], f"seeds 1 to {STAR_SEEDS}")


@pytest.fixture(scope="module")
def racks(tmp_path_factory):
    scenario = lossy(networks.IN_SEVERAL_RACKS, ["both"], IN_RACKS, RACK_SEEDS)
    return times_of(tmp_path_factory.mktemp("racks"), scenario)


@pytest.mark.parametrize("topology", networks.IN_SEVERAL_RACKS)
@pytest.mark.parametrize("system", networks.SYSTEMS)
def test_in_racks_the_mean_never_falls_with_more_loss(racks, system, topology):
    estimates = [estimated(racks[topology, system, "both", loss]) for loss in IN_RACKS]
    check_no_fall(estimates, f"seeds 1 to {RACK_SEEDS}")


def lost_frames(count, apart):
    """Numbers of the lost frames of one host, from frame 20 on."""
    return [20 + number * apart for number in range(count)]


@pytest.fixture(scope="module")
def few_lost(tmp_path_factory):
    """JCTs in the order of LOST, by (direction, frames apart, system)."""
    elements = {
        (direction, apart, count): {
            "link": "host0",
            "direction": direction,
            "lost_frames": lost_frames(count, apart),
        }
        for direction in ("to_switch", "from_switch")
        for apart in (1, 40)
        for count in LOST
    }
    scenario = {
        "topology": networks.TOPOLOGIES["star"] | networks.SPREAD,
        "variants": {
            f"{direction} {apart} {count}": {"faults": {"links": [element]}}
            for (direction, apart, count), element in elements.items()
        },
        "jobs": networks.job(PARAMETERS, workers=WORKERS),
        "sweep": {"/system": networks.SYSTEMS},
    }
    times = {}
    for row in ina_sim.rows(networks.run(tmp_path_factory.mktemp("few"), scenario)):
        direction, apart, _ = row["variant"].split()
        times.setdefault((direction, int(apart), row["system"]), []).append(networks.jct_us(row))
    return times


@pytest.mark.parametrize("direction", ["to_switch", "from_switch"])
@pytest.mark.parametrize("apart", [1, 40])
@pytest.mark.parametrize("system", networks.SYSTEMS)
def test_a_few_lost_frames_of_one_host_cost_a_few_time_outs(few_lost, system, apart, direction):
    without, *lost = few_lost[direction, apart, system]
    assert len(lost) == len(LOST) - 1
    assert max(lost) <= without + TIMEOUTS_OF_FEW * LEAST_TIMEOUT_US, lost

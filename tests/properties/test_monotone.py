# SPDX-License-Identifier: BSD-3-Clause
"""No job is slower on faster or shorter links, with larger partitions, or with a larger buffer.

The property holds strictly only with fixed windows. Windows that follow marks and losses may gain from a
disadvantage. With the default windows, the property therefore has named exceptions.
"""

import itertools

import ina_sim
import networks
import pytest
from exceptions import Known, check

RATES = ["10Gbps", "25Gbps", "50Gbps", "100Gbps", "400Gbps"]
DELAYS = ["100us", "10us", "2500ns", "1us", "100ns", "0s"]
HOST_RATES = ["50Gbps", "100Gbps", "101Gbps", "200Gbps"]
UPLINK_RATES = ["50Gbps", "100Gbps", "200Gbps", "400Gbps"]
PARTITIONS = ["4kB", "16kB", "64kB", "256kB", "1MB"]
BUFFERS = ["50kB", "100kB", "200kB", "500kB", "16MB"]
# Partial scenarios. Each is at least as good for a job as the one before it.
BETTER = {
    "rate": {rate: {"topology": networks.links(rate=rate)} for rate in RATES},
    "rate of a host": {rate: {"topology": networks.links("host0", rate=rate)} for rate in HOST_RATES},
    "rate of uplinks": {rate: {"topology": networks.links("racks", rate=rate)} for rate in UPLINK_RATES},
    "delay": {delay: {"topology": networks.links(delay=delay)} for delay in DELAYS},
    "partitions": {size: {"jobs": {"profile": {"partition_bytes": size}}} for size in PARTITIONS},
    "buffer": {size: {"switch": {"buffer_bytes": size}} for size in BUFFERS},
}
TOPOLOGIES_OF = {"rate of uplinks": networks.IN_SEVERAL_RACKS}
WINDOWS = {"fixed": networks.FIXED_WINDOWS, "default": {}}
SHORT, LONG = 25_000, 250_000  # parameters
RUNS = [
    (better, windows, parameters)
    for better in ("rate", "delay", "partitions")
    for windows, parameters in (("fixed", LONG), ("default", LONG), ("default", SHORT))
]
RUNS += [("rate of a host", "default", LONG), ("rate of uplinks", "default", LONG)]
CASES = [
    (*run, system, topology)
    for run in RUNS
    for system in networks.SYSTEMS
    for topology in TOPOLOGIES_OF.get(run[0], networks.TOPOLOGIES)
]
TOLERANCE = 0.003  # one acknowledgement more or less
TIMEOUT_US = 1000  # default floor of every system

COLLISIONS = (
    "Workers that are ahead of others hold aggregators in which their job collides with itself, and what is left"
    " of the older tasks goes by the server."
)
MARKS = "Flows meet on a line, whose marks change windows for long. With fixed windows there is no exception."
UNEVEN = (
    "Flows from a faster host meet others on their receiver's line or on a trunk, and marks cut the windows of"
    " both. With fixed windows halving_doubling still takes a tenth longer, which is not explained."
)
ONE_PARTITION = "One partition of 1 MB takes 0.4 % longer than four of 256 kB, which is not explained."
NO_WINDOW = (
    "SwitchML sends all slots whatever the buffer holds. A few of them lose frame after frame, each with a"
    " time-out that doubles, and how many is not a matter of the buffer alone."
)
MANY_LOSSES = (
    "Buffers of 50 and 100 kB drop ten thousand frames and more, and which of them cost time-outs that double is"
    " not a matter of the buffer alone."
)


def known(better, parameters, reason, limits):
    return {
        (better, "default", parameters, *case): Known(most, reason) for case, most in limits.items()
    }


EXCEPTIONS = (
    {("partitions", "fixed", LONG, "tree", "star"): Known(1.005, ONE_PARTITION)}
    | known("delay", LONG, MARKS, {
        ("tree", "star"): 1.005,
        ("tree", "racks"): 1.06,
        ("tree", "graph"): 1.005,
        ("byteps", "graph"): 1.05,
        ("byteps", "leaf-spine"): 1.1,
        ("byteps", "rail"): 1.1,
    })
    | known("partitions", LONG, MARKS, {("ring", "racks"): 1.06, ("tree", "racks"): 1.05, ("tree", "graph"): 1.04})
    | known("rate of a host", LONG, COLLISIONS, {
        ("dsa", "racks"): 1.004,
        ("dsa", "graph"): 1.02,
        ("dsa", "leaf-spine"): 1.02,
        ("dsa", "rail"): 1.03,
    })
    | known("rate of a host", LONG, UNEVEN, {
        ("ps", "star"): 1.03,
        ("ps", "rail"): 1.005,
        ("ps", "fat tree"): 1.14,
        ("ring", "graph"): 1.03,
        ("ring", "rail"): 1.22,
        ("ring", "fat tree"): 1.04,
        ("halving_doubling", "star"): 1.24,
        ("halving_doubling", "racks"): 1.16,
        ("halving_doubling", "graph"): 1.19,
        ("halving_doubling", "leaf-spine"): 1.2,
        ("halving_doubling", "rail"): 1.11,
        ("halving_doubling", "fat tree"): 1.29,
        ("tree", "star"): 1.02,
        ("tree", "racks"): 1.004,
        ("tree", "graph"): 1.15,
        ("tree", "leaf-spine"): 1.01,
        ("byteps", "racks"): 1.02,
        ("byteps", "fat tree"): 1.03,
    })
    | known("rate of uplinks", LONG, MARKS, {
        ("ps", "racks"): 1.05,
        ("ps", "leaf-spine"): 1.04,
        ("ps", "rail"): 1.04,
        ("tree", "racks"): 1.09,
        ("tree", "graph"): 1.37,
        ("tree", "fat tree"): 1.1,
    })
)
BUFFER_EXCEPTIONS = {
    ("switchml", "fat tree"): Known(1.9, NO_WINDOW),
    ("dsa", "fat tree"): Known(1.4, MANY_LOSSES),
}


@pytest.fixture(scope="module")
def rows_of(tmp_path_factory):
    """Function of a key of BETTER, windows and parameters. It returns (topology, system) -> rows, worst value first."""
    found = {}

    def get(better, windows, parameters):
        key = (better, windows, parameters)
        if key not in found:
            found[key] = by_case(tmp_path_factory.mktemp(better), *key)
        return found[key]

    return get


def by_case(folder, better, windows, parameters):
    scenario = WINDOWS[windows] | {
        "variants": networks.on_each_topology(BETTER[better], TOPOLOGIES_OF.get(better, networks.TOPOLOGIES)),
        "jobs": networks.job(parameters, workers=8),
        "sweep": {"/system": networks.SYSTEMS},
    }
    results = networks.run(folder, scenario)
    dropped = networks.dropped_frames(results)
    cases = {}
    for row in ina_sim.rows(results):
        topology, _ = row["variant"].split(", ")
        of_row = (networks.jct_us(row), dropped[row["point"]])
        cases.setdefault((topology, row["system"]), []).append(of_row)
    assert {len(of_case) for of_case in cases.values()} == {len(BETTER[better])}
    return cases


def largest_rise(times):
    return max(later / earlier for earlier, later in itertools.combinations(times, 2))


@pytest.mark.parametrize(("better", "windows", "parameters", "system", "topology"), CASES)
def test_a_better_value_makes_no_job_slower(rows_of, better, windows, parameters, system, topology):
    times = [time for time, _ in rows_of(better, windows, parameters)[topology, system]]
    check(largest_rise(times), TOLERANCE, EXCEPTIONS.get((better, windows, parameters, system, topology)))


def largest_rise_beyond_a_time_out(rows):
    """Allows a time-out if frames are dropped. Without drops, a larger buffer must not change anything."""
    ratios = [1]
    for (earlier, dropped), (later, _) in itertools.combinations(rows, 2):
        assert dropped or later == earlier
        ratios.append(later / (earlier + TIMEOUT_US if dropped else earlier))
    return max(ratios)


@pytest.mark.parametrize("topology", networks.TOPOLOGIES)
@pytest.mark.parametrize("system", networks.SYSTEMS)
def test_a_larger_buffer_costs_at_most_a_time_out(rows_of, system, topology):
    """Depending on its position, a dropped frame may cost a time-out. A smaller buffer may drop one without cost."""
    rows = rows_of("buffer", "default", LONG)[topology, system]
    check(largest_rise_beyond_a_time_out(rows), 0, BUFFER_EXCEPTIONS.get((system, topology)))

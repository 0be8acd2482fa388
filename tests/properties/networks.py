# SPDX-License-Identifier: BSD-3-Clause
"""Systems and networks for which the properties hold. Points are run without values, many of them with each
call of the simulator."""

import json

import ina_sim

LISTED = json.loads((ina_sim.REPOSITORY / "analysis/systems.json").read_text(encoding="utf-8"))
SYSTEMS = [system["name"] for system in LISTED]
ALL_REDUCES = [system["name"] for system in LISTED if system["format"] == "flow"]
IN_NETWORK = [system["name"] for system in LISTED if system["has_aggregators"]]
# Times can be computed with equal links, and do not depend on the choice of hosts.
EQUAL_LINKS = {"link": {"delay_spread": "0s"}, "uplink": {"delay_spread": "0s"}}
EQUAL_LINKS_OF_FAT_TREE = EQUAL_LINKS | {"core": {"delay_spread": "0s"}}
GRAPH = EQUAL_LINKS | {
    "type": "graph",
    "switches": [{"name": "a", "hosts": 8}, {"name": "b", "hosts": 8}, {"name": "s"}, {"name": "t"}],
    "trunks": [
        {"from": "a", "to": "s"},
        {"from": "b", "to": "s"},
        {"from": "a", "to": "t"},
        {"from": "b", "to": "t"},
    ],
}
# Each topology has 16 hosts and equal links.
TOPOLOGIES = {
    "star": EQUAL_LINKS | {"type": "star", "hosts": 16},
    "racks": EQUAL_LINKS | {"type": "star", "hosts": 16, "racks": 2},
    "graph": GRAPH,
    "leaf-spine": EQUAL_LINKS | {"type": "leaf_spine", "racks": 4, "hosts_per_rack": 4, "spines": 2},
    "rail": EQUAL_LINKS | {"type": "rail", "hosts": 4, "rails": 4, "spines": 2},
    "fat tree": EQUAL_LINKS_OF_FAT_TREE | {"type": "fat_tree", "k": 4},
}
IN_SEVERAL_RACKS = [topology for topology in TOPOLOGIES if topology != "star"]
# If windows do not follow marks and losses, no result depends on which of two frames comes first.
FIXED_WINDOWS = {system: {"congestion_control": False} for system in SYSTEMS if system != "switchml"}
SPREAD = {"placement": "spread", "parameter_servers": 1}


def job(parameters, **keys):
    return {"profile": {"name": f"{parameters} values", "layers": [{"parameters": parameters}]}, **keys}


def links(which="all", **keys):
    """Keys of a topology that set the rate or the delay of links."""
    return {"links": [{"link": which, **keys}]}


def on_each_topology(changes, topologies=TOPOLOGIES):
    """Variants: each topology with each of `changes`, which are partial scenarios by label."""
    return {
        name_of(topology, label): change
        | {"topology": {**TOPOLOGIES[topology], **SPREAD, **change.get("topology", {})}}
        for topology in topologies
        for label, change in changes.items()
    }


def name_of(topology, label):
    return f"{topology}, {label}"


def port(topology, host):
    """The name of a host's link. Hosts are numbered rail by rail."""
    return f"host{host % 4}.rail{host // 4}" if topology == "rail" else f"host{host}"


def run(folder, scenario, name="points"):
    """Runs a scenario. Returns the folder of the results."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.json"
    file.write_text(json.dumps({"payload": "none", **scenario}), encoding="utf-8")
    return ina_sim.run(file, folder / "results")


def jct_us(row):
    assert row["status"] == "finished"
    return float(row["jct_us"])


def dropped_frames(folder):
    """Number of frames that found no room in a buffer, by the number of the point."""
    dropped = {}
    for row in ina_sim.rows(folder, "links.csv"):
        dropped[row["point"]] = dropped.get(row["point"], 0) + int(row["frames_dropped"])
    return dropped

# SPDX-License-Identifier: BSD-3-Clause
"""Random networks and placements for the simulator's campaigns: the values of `topology`, `hosts` and `server`, and
permanent failures."""

from dataclasses import dataclass

WIDE = range(33, 73)  # numbers of workers that exceed one leaf
MOST_BELOW_A_LEAF = 32
FAT_TREE_K = 4
FAT_TREE_HOSTS = FAT_TREE_K**3 // 4


@dataclass(frozen=True)
class Network:
    """A topology. `links` and `switches`: names of those that may fail."""

    topology: dict
    links: list
    switches: list
    host_link: str = "host0"


def draw_star(random_, hosts):
    racks = random_.choice([1, min(2, hosts), min(3, hosts)])
    links = [f"rack{rack}" for rack in range(racks - 1)]
    return Network({"hosts": hosts, "racks": racks}, links, [])


def draw_leaf_spine(random_, hosts):
    least = -(-hosts // MOST_BELOW_A_LEAF)
    racks = random_.randint(max(2, least), max(4, least + 1))
    spines = random_.randint(1, 3)
    topology = {
        "type": "leaf_spine",
        "racks": racks,
        "hosts_per_rack": min(MOST_BELOW_A_LEAF, -(-hosts // racks) + random_.randint(0, 1)),
        "spines": spines,
    }
    links = [f"leaf{leaf}-spine{spine}" for leaf in range(racks) for spine in range(spines)]
    return Network(topology, links, [f"spine{spine}" for spine in range(spines)] + ["leaf0"])


def draw_fat_tree(random_, _hosts):
    half = FAT_TREE_K // 2
    topology = {"type": "fat_tree", "k": FAT_TREE_K}
    links = [
        f"edge{pod * half + edge}-aggregation{pod * half + aggregation}"
        for pod in range(FAT_TREE_K) for edge in range(half) for aggregation in range(half)
    ]  # fmt: skip
    switches = [f"core{core}" for core in range(half**2)] + ["aggregation0", "edge0"]
    return Network(topology, links, switches)


def draw_rail(random_, hosts):
    rails = random_.randint(2, 4)
    spines = random_.randint(1, 2)
    topology = {"type": "rail", "hosts": -(-hosts // rails), "rails": rails, "spines": spines}
    links = [f"rail{rail}-spine{spine}" for rail in range(rails) for spine in range(spines)]
    return Network(topology, links, [f"spine{spine}" for spine in range(spines)], host_link="host0.rail0")


def draw_graph(random_, hosts):
    """Racks under one switch that all of them share. They may have links to other switches, and to each other."""
    racks = random_.randint(2, 4)
    above = random_.randint(1, 3)
    switches = [{"name": f"r{rack}", "hosts": -(-hosts // racks)} for rack in range(racks)]
    switches += [{"name": f"s{number}"} for number in range(above)]
    pairs = [(f"r{rack}", "s0") for rack in range(racks)]
    pairs += [(f"r{rack}", f"s{number}") for rack in range(racks) for number in range(1, above) if random_.random() < 0.7]
    pairs += [(f"s{number}", "s0") for number in range(1, above)]
    if random_.random() < 0.3:
        pairs.append(("r0", f"r{racks - 1}"))
    topology = {
        "type": "graph",
        "switches": switches,
        "trunks": [{"from": one, "to": other} for one, other in pairs],
        "servers_at": random_.choice([f"r{rack}" for rack in range(racks)]),
    }
    return Network(topology, [f"{one}-{other}" for one, other in pairs], [f"s{number}" for number in range(above)])


TYPES = {"leaf_spine": draw_leaf_spine, "fat_tree": draw_fat_tree, "rail": draw_rail, "graph": draw_graph}


def draw_network(random_, hosts):
    """A network with at least `hosts` hosts, one for each worker."""
    allowed = [draw for name, draw in TYPES.items() if name != "fat_tree" or hosts <= FAT_TREE_HOSTS]
    draw = draw_leaf_spine if hosts > MOST_BELOW_A_LEAF else random_.choice(allowed)
    network = draw(random_, hosts)
    network.topology["placement"] = random_.choice(["packed", "spread"])
    return network


ROOTS = ["server_leaf", "spine", "least_loaded"]
MOST_SERVERS = 3


def draw_root(random_, network):
    """Sets the root of jobs' trees, if there are switches above the racks."""
    if "type" in network.topology:
        network.topology["root"] = random_.choice(ROOTS)


PRESETS = ["atp-e1-wire", "atp-e1-payload", "switchml"]
MOST_CORES = 8
DEFAULT_DELAY_NS = 2500  # delay of links, and maximum of its spread


def draw_host(random_):
    """Published or random packet times of a host."""
    own = {
        "spread": random_.choice([0, 0.1, 1]),
        "host_spread": random_.choice([0, 0.1, 0.9]),
        "queue": random_.choice([1, 8, 64, 4096]),
        "reorder": random_.random() < 0.3,
    }
    if random_.random() < 0.3:
        return {"preset": random_.choice(PRESETS)} | random_.choice([{}, own])
    return own | {
        "per_packet": f"{random_.randint(1, random_.choice([20, 200, 2000]))}ns",
        "per_byte": f"{random_.randint(0, random_.choice([100, 1000]))}ps",
        "header_bytes": random_.choice([0, 58]),
        "cores": random_.randint(1, MOST_CORES),
    }


def draw_times(random_, topology):
    """Draws packet times of hosts, and delays of links. In the separate case of equal links, packets arrive at the
    same instant."""
    for kind in ("host", "server"):
        if random_.random() < 0.3:
            topology[kind] = draw_host(random_)
    for kind in ("link", "uplink"):
        differs = random_.random() < 0.3
        spread_ns = round(DEFAULT_DELAY_NS * random_.random() ** 3) if differs else 0
        topology[kind] = {"delay_spread": f"{spread_ns}ns"}
    if topology.get("type") == "fat_tree":
        topology["core"] = {"delay_spread": "0ns"}


def draw_places(random_, jobs, hosts):
    """Draws hosts for workers and servers. Workers may share a host with workers of any job. Servers may share a host
    with each other or with workers, in any rack."""
    places = [f"ps{number}" for number in range(len(jobs))] + [f"host{host}" for host in range(hosts)]
    for job in jobs:
        job["hosts"] = [random_.randrange(hosts) for _ in range(job["workers"])]
        job["server"] = random_.sample(places, random_.randint(1, min(MOST_SERVERS, len(places))))


def name_what_is_struck(random_, jobs, faults, network):
    """Draws the switch that reboots and the server of a job that fails, if there are several."""
    for fault in faults:
        servers = jobs[fault.get("job", 0)].get("server", [])
        if fault["fault"] == "switch_reboots" and network.switches:
            fault["switch"] = random_.choice(network.switches)
        if fault["fault"].startswith("server_") and isinstance(servers, list) and servers:
            fault["server"] = random_.randrange(len(servers))


def draw_failure(random_, network):
    """Permanent failure of a link or a switch."""
    fault = {"at": f"{round(10 * 300 ** random_.random())}us", "duration": f"{random_.choice([0, 20, 200, 2000])}us"}
    if network.switches and random_.random() < 0.4:
        return fault | {"fault": "switch_fails", "switch": random_.choice(network.switches)}
    return fault | {"fault": "link_fails", "link": random_.choice([*network.links, network.host_link])}


def soften(fault):
    """Reduces losses. A frame crosses up to six links to the server: if each lost a third, time-outs would double for
    minutes."""
    for kind in ("loss", "corruption"):
        if kind in fault:
            fault[kind] = min(fault[kind], 0.03)
    if "burst" in fault:
        fault["burst"] = {"start": min(fault["burst"]["start"], 0.01), "end": 0.2, "loss": 0.5}

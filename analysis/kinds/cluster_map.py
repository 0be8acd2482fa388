# SPDX-License-Identifier: BSD-3-Clause
"""Where the nodes of a cluster stand in a drawing: switches in rows by height, hosts below theirs.

All of it follows from the names of the links: of two ends, the one that the first direction of a
link leads to is the upper one.
"""

import re
from dataclasses import dataclass

from analysis.kinds.style import natural
from analysis.results import AnalysisError

END_HOST = re.compile(r"(?:host|ps)\d")
# If there are more than these, hosts are drawn together, those of a switch as one node.
MOST_HOSTS = 48
MOST_SERVERS = 3  # of a switch, likewise
GAP = 1  # between the hosts of two switches, in those of a switch from one another


@dataclass(frozen=True)
class Direction:
    """One direction of a link as it is drawn."""

    start: str
    end: str
    is_up: bool


@dataclass(frozen=True)
class ClusterMap:
    positions: dict  # node: (x from 0 to 1, height from 0)
    directions: dict  # name of the link's direction in the tables: Direction
    gathered: dict  # node that stands for hosts: their names

    @property
    def rows(self):
        """The switches by height, from 1, each row from left to right."""
        heights = sorted({height for _, height in self.positions.values()} - {0})
        return [
            sorted((node for node in self.positions if self.positions[node][1] == height),
                   key=lambda node: self.positions[node][0])
            for height in heights
        ]


def map_of(links, path):
    """The ClusterMap of the names in links.csv, such as "host3>leaf0", in the table's order."""
    ends = {}
    for link in links:
        start, separator, end = link.partition(">")
        if not separator or not start or not end:
            raise AnalysisError(f'{path}: link: found "{link}"; allowed: two names with > between')
        ends[link] = (start, end)
    up = {}
    for pair in ends.values():
        up.setdefault(frozenset(pair), pair)
    switch_of = {low: high for low, high in up.values() if END_HOST.match(low)}
    trunks = [pair for pair in up.values() if pair[0] not in switch_of]
    heights = heights_of(set(switch_of.values()), trunks)
    gathered = gathered_hosts(switch_of)
    node_of = {host: node for node, hosts in gathered.items() for host in hosts}
    directions = {
        link: Direction(
            node_of.get(start, start), node_of.get(end, end), up[frozenset((start, end))][0] == start
        )
        for link, (start, end) in ends.items()
    }
    positions = positions_of(heights, {node_of.get(host, host): switch for host, switch in switch_of.items()})
    return ClusterMap(positions, directions, gathered)


def heights_of(racks, trunks):
    """{switch: height}: 1 with nothing but hosts below, each else above all that are below it."""
    heights = {switch: 1 for switch in racks} | {end: 1 for pair in trunks for end in pair}
    for _ in heights:  # at most as often as a path is long
        for low, high in trunks:
            heights[high] = max(heights[high], heights[low] + 1)
    return heights


def gathered_hosts(switch_of):
    """{node that stands for the hosts or the parameter servers of a switch: [host]}"""
    together = {}
    for host in sorted(switch_of, key=natural):
        kind = "servers" if is_server(host) else "hosts"
        together.setdefault(f"{kind} of {switch_of[host]}", []).append(host)
    are_many = len(switch_of) > MOST_HOSTS
    return {
        node: hosts for node, hosts in together.items()
        if are_many or (is_server(node) and len(hosts) > MOST_SERVERS)
    }


def is_server(node):
    return node.startswith(("ps", "servers"))


def positions_of(heights, switch_of):
    """Hosts over the whole width, those of a switch beside one another and below it; switches
    without hosts over the whole width of their row."""
    positions = {}
    for height in set(heights.values()):
        row = sorted((one for one in heights if heights[one] == height), key=natural)
        positions |= {one: ((index + 0.5) / len(row), height) for index, one in enumerate(row)}
    racks = sorted(set(switch_of.values()), key=natural)
    gap = GAP if any(END_HOST.match(host) for host in switch_of) else 0  # boxes are wide
    width = len(switch_of) + gap * len(racks)
    start = gap / 2
    for rack in racks:
        hosts = sorted((host for host in switch_of if switch_of[host] == rack), key=natural)
        for rank, host in enumerate(hosts):
            positions[host] = ((start + rank + 0.5) / width, 0)
        positions[rack] = ((start + len(hosts) / 2) / width, heights[rack])
        start += len(hosts) + gap
    return positions

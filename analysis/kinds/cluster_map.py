# SPDX-License-Identifier: BSD-3-Clause
"""Positions of the nodes of a cluster in a drawing: switches in rows by height, hosts below their
switch.

Everything follows from the names of the links: the first direction of a link leads to its upper
end.
"""

import re
from dataclasses import dataclass

from analysis.kinds.style import natural
from analysis.results import AnalysisError

END_HOST = re.compile(r"(?:host|ps)\d")
# With more hosts than this, those of each switch are drawn as one node.
MOST_HOSTS = 48
MOST_SERVERS = 3  # maximum number of single parameter servers per switch
GAP = 1  # between the hosts of two switches, in units of the distance between hosts of one


@dataclass(frozen=True)
class Direction:
    """One direction of a link in the drawing."""

    start: str
    end: str
    is_up: bool


@dataclass(frozen=True)
class ClusterMap:
    positions: dict  # {node: (x from 0 to 1, height from 0)}
    directions: dict  # {direction's name in the tables: Direction}
    gathered: dict  # {node that represents several hosts: their names}

    @property
    def rows(self):
        """The rows of switches by height, from 1, each from left to right."""
        heights = sorted({height for _, height in self.positions.values()} - {0})
        return [
            sorted((node for node in self.positions if self.positions[node][1] == height),
                   key=lambda node: self.positions[node][0])
            for height in heights
        ]


def map_of(links, path):
    """The ClusterMap of the names in links.csv, such as "host3>leaf0", in the order of the table."""
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
    """{switch: height}: 1 with only hosts below, otherwise one more than the highest switch below."""
    heights = {switch: 1 for switch in racks} | {end: 1 for pair in trunks for end in pair}
    for _ in heights:  # a path has at most this many switches
        for low, high in trunks:
            heights[high] = max(heights[high], heights[low] + 1)
    return heights


def gathered_hosts(switch_of):
    """{node that represents the hosts or the parameter servers of a switch: [host]}"""
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
    """Hosts use the whole width, grouped below their switch. Switches without hosts use the whole
    width of their row."""
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

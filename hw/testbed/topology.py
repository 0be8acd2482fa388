# SPDX-License-Identifier: BSD-3-Clause
"""The switches of a run, and the links that attach processes to them. A link between two switches
has an upper and a lower end."""

from dataclasses import dataclass

from hw.commands.inputs import members

SWITCH = "switch"  # the namespace of the parameter servers' switch
FIRST_TRUNK = 2**16  # above all numbers of hosts


@dataclass(frozen=True)
class Switch:
    number: int  # in the cluster file
    name: str  # as in the tables
    space: str  # its namespace


@dataclass(frozen=True)
class Link:
    """A link has the name of its lower end."""

    name: str
    space: str  # namespace of the lower end
    number: int  # number of its devices
    peer: str  # the lower end, as in ina-switch's option --port
    above: Switch


def switch_at(cluster, number):
    name = cluster["topology"]["switches"][number]["name"]
    return Switch(number, name, SWITCH if number == number_of_servers(cluster) else name)


def number_of_servers(cluster):
    """Number of the parameter servers' switch, in the last rack."""
    return len([one for one in cluster["topology"]["switches"] if one["height"] == 0]) - 1


def is_star(cluster):
    """Whether the topology is a single switch, or racks."""
    return all(one["height"] == 0 for one in cluster["topology"]["switches"])


def switches_of(cluster):
    """Switches of racks with workers or parameter servers, and the parameter servers' switch, by
    number; then the switches above the racks."""
    switch_of_host = cluster["topology"]["hosts"]
    racks = {switch_of_host[host] for _, host, _ in members(cluster)}
    racks.add(number_of_servers(cluster))
    above = [
        number for number, one in enumerate(cluster["topology"]["switches"]) if one["height"] > 0
    ]
    return [switch_at(cluster, number) for number in (*sorted(racks), *above)]


def links_of(cluster):
    """Links of the workers, then of the servers, then between switches."""
    switches = {one.number: one for one in switches_of(cluster)}
    switch_of_host = cluster["topology"]["hosts"]
    hosts = [
        Link(name, name, host, str(host), switches[switch_of_host[host]])
        for name, host, _ in members(cluster)
    ]
    return hosts + [
        Link(lower.name, lower.space, FIRST_TRUNK + number, lower.name, upper)
        for number, trunk in enumerate(cluster["topology"]["trunks"])
        if (lower := switches.get(trunk["lower"])) and (upper := switches.get(trunk["upper"]))
    ]


def from_above(cluster):
    """The switches in groups: first those without a switch above them, then those whose upper
    switches are in earlier groups, and so on."""
    waiting, begun = switches_of(cluster), []
    links = links_of(cluster)
    above = {one: {link.above for link in links if link.name == one.name} for one in waiting}
    while waiting:
        group = [one for one in waiting if above[one] <= set(begun)]
        yield group
        begun += group
        waiting = [one for one in waiting if one not in group]

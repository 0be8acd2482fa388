# SPDX-License-Identifier: BSD-3-Clause
"""The switches of a run, and the links by which processes hang on them: one switch, or one a rack, of
which the parameter servers' is above the others."""

from dataclasses import dataclass

from hw.plans.inputs import members

SWITCH = "switch"  # the only one; also the namespace of the one above the others
FIRST_UPLINK = 2**16  # numbers of hosts are below


@dataclass(frozen=True)
class Switch:
    rack: int
    name: str  # as in the tables
    space: str  # its namespace


@dataclass(frozen=True)
class Link:
    """Has the name of what hangs on the switch above by it."""

    name: str
    number: int  # of its devices
    peer: str  # what hangs there, as --port of ina-switch has it
    above: Switch


def switch_of(cluster, rack):
    racks = cluster["racks"]["count"]
    name = SWITCH if racks == 1 else f"rack{rack}"
    return Switch(rack, name, SWITCH if rack == racks - 1 else name)


def switch_above(cluster):
    """That of the parameter servers."""
    return switch_of(cluster, cluster["racks"]["count"] - 1)


def switches_of(cluster):
    """Those of racks that have workers, by rack, and the one above."""
    racks = {rack for job in cluster["jobs"] for rack in job["racks"]}
    return [switch_of(cluster, rack) for rack in sorted(racks | {switch_above(cluster).rack})]


def links_of(cluster):
    """Of the workers, then the servers, then the switches that are not above."""
    above = switch_above(cluster)
    racks = {
        host: rack for job in cluster["jobs"] for host, rack in zip(job["workers"], job["racks"], strict=True)
    }
    hosts = [
        Link(name, host, str(host), switch_of(cluster, racks.get(host, above.rack)))
        for name, host, _ in members(cluster)
    ]
    return hosts + [
        Link(one.name, FIRST_UPLINK + one.rack, one.name, above)
        for one in switches_of(cluster)
        if one != above
    ]

# SPDX-License-Identifier: BSD-3-Clause
"""Clusters for hw/p4/control without a scenario, and the effect of its tables on a frame."""

import re

import formats

from hw.p4.control.cabling import Plug
from hw.p4.control.job import Cluster
from hw.p4.control.loading import entries_of
from hw.p4.ptf.golden_trace import cluster_of

FIRST_PORT = 8
HEADERS = {"switchml": formats.SWITCHML, "atp": formats.ATP, "dsa": formats.DSA}
GRADIENT = 1
RESULT_PORT = 48865
SECOND_LEVEL = 8
MEMBERS = {"switchml": "members.members", "atp": "ownership.members", "dsa": "ownership.members"}


def cluster(program, jobs, switch=None) -> Cluster:
    """A cluster with jobs and switch in the form of golden traces. Each host has its own port."""
    return cluster_of(program, jobs, lambda host: Plug(FIRST_PORT + host, "100Gbps", "none"), switch)


def header_of(system, frame) -> dict:
    """The fields of the protocol's header, by name."""
    at = sum(width for _, width in formats.ETHERNET + formats.IPV4 + (formats.UDP if system == "switchml" else []))
    fields = {}
    for name, width in HEADERS[system]:
        fields[name] = int.from_bytes(frame[at : at + width], "big")
        at += width
    return fields


def keys_of(system, frame, port) -> dict:
    """The values of the table's keys that the parser extracts from a frame."""
    fields = header_of(system, frame)
    path = system if system == "switchml" else f"headers.{system}"
    keys = {f"{path}.{name}": value for name, value in fields.items()} | {"intrinsic.ingress_port": port}
    if system == "switchml":
        return keys | {"version": fields["version_and_slot"] >> 15}
    is_gradient = fields["kind"] == GRADIENT
    own = fields.get("bitmap1" if fields["flags"] & SECOND_LEVEL else "bitmap0", 0) if is_gradient else 0
    to = int.from_bytes(frame[4:6], "big")
    return keys | {"metadata.own": own, "beyond": fields["aggregator_index"] >> 14, "destination": to}


def is_result(frame) -> bool:
    """Whether a frame of SwitchML is a result. The UDP port decides, and it selects the table."""
    first_udp = sum(width for _, width in formats.ETHERNET + formats.IPV4)
    return int.from_bytes(frame[first_udp + 2 : first_udp + 4], "big") == RESULT_PORT


class Members:
    """The member table, and SwitchML's table of roots, as printed by a dry run."""

    def __init__(self, system, jobs, switch=None):
        self.system = system
        self.printed = [str(entry) for entry in entries_of(cluster(system, jobs, switch))]
        self.entries = self.entries_in(MEMBERS[system])
        self.roots = self.entries_in("members.roots")

    def entries_in(self, name):
        table = f"pipe.Ingress.{name} "
        return [self.parsed(line.removeprefix(table)) for line in self.printed if line.startswith(table)]

    @staticmethod
    def parsed(text):
        key, _, result = text.partition(" -> ")
        matches = []
        for name, match in re.findall(r"(\S+)=(\S+)", key):
            value, _, mask = match.partition("&&&")
            matches.append((name, 0, 0) if match == "*" else (name, int(value, 0), int(mask or "-1", 0)))
        action, *data = result.split()
        return matches, action.rpartition(".")[2], {name: int(value, 0) for name, value in (d.split("=") for d in data)}

    def of(self, frame, ingress):
        """The action and its data for a frame from a host. None: rejected. Fails if two entries
        match."""
        keys = keys_of(self.system, frame, FIRST_PORT + ingress) | {"$MATCH_PRIORITY": 0}
        entries = self.roots if self.system == "switchml" and is_result(frame) else self.entries
        hits = [
            (action, data)
            for matches, action, data in entries
            if all(keys[name] & mask == value & mask for name, value, mask in matches)
        ]
        assert len(hits) < 2, f"{hits} for one frame"
        if not hits or (self.system == "switchml" and self.is_beyond(frame, hits[0][1])):
            return None
        return hits[0]

    @staticmethod
    def is_beyond(frame, data) -> bool:
        return (header_of("switchml", frame)["version_and_slot"] + data["room"]) >> 15 & 1 == 1

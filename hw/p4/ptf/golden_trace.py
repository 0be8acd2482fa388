# SPDX-License-Identifier: BSD-3-Clause
"""The golden traces of tests/vectors, as a switch with the P4 programs hears them."""

import json
import struct
from dataclasses import dataclass
from pathlib import Path

from hw.p4.control.cluster import Cluster, Host, Job
from hw.p4.control.systems import system_of

FOLDER = Path(__file__).resolve().parents[3] / "tests" / "vectors" / "golden_traces"
NOT_PLAYED = {
    "atp-expiry": "to see that nothing else leaves takes longer than the 50 ms between its packets",
    "atp-second-level": "its packets are another switch's, which the control plane does not know",
}
IPV4 = slice(14, 34)
TRAFFIC_CLASS = 15
CHECKSUM = slice(24, 26)


@dataclass(frozen=True)
class GoldenTrace:
    name: str
    system: str
    values_per_packet: int
    jobs: dict
    steps: list

    @property
    def program(self):
        """The folder of hw/p4."""
        settings = {"values_per_packet": self.values_per_packet}
        return system_of(self.system).program_of(settings)

    def hosts(self):
        jobs = self.jobs.values()
        return sorted({host for job in jobs for host in (*job["workers"], *servers_of(job))})

    def cluster(self, plug_of):
        return cluster_of(self.program, self.jobs, plug_of)


def servers_of(job):
    return [job["server"]] if "server" in job else []


def cluster_of(program, jobs, plug_of):
    """`jobs` as golden traces have them; `plug_of(host)`: where a host hangs on."""

    def host(number):
        return Host(number, plug_of(number))

    def job_of(number, job):
        workers = tuple(map(host, job["workers"]))
        server = host(job["server"]) if "server" in job else None
        return Job(int(number), workers, server, job.get("first_slot", 0), job.get("slots", 0))

    return Cluster(program, tuple(job_of(*job) for job in jobs.items()))


def golden_traces():
    files = sorted(FOLDER.glob("*.json"))
    return [golden_trace_of(file.stem, json.loads(file.read_text(encoding="utf-8"))) for file in files]


def golden_trace_of(name, content):
    system, values = content["system"], content["values_per_packet"]
    return GoldenTrace(name, system, values, content["jobs"], content["steps"])


def receivers(step):
    return step["out"]["hosts"] if step["out"] else []


def frame_in(step):
    return bytes.fromhex(step["frame"])


def frame_out(step):
    """What leaves, as the P4 programs have it: they set marks that contributions left in an
    aggregator in the protocol's flags, and leave IPv4's own alone."""
    frame = bytearray.fromhex(step["out"]["frame"])
    frame[TRAFFIC_CLASS] = frame_in(step)[TRAFFIC_CLASS]
    frame[CHECKSUM] = bytes(2)
    frame[CHECKSUM] = checksum(frame[IPV4]).to_bytes(2, "big")
    return bytes(frame)


def checksum(header):
    """RFC 1071."""
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total

# SPDX-License-Identifier: BSD-3-Clause
"""SwitchML: what its programs do, and what they get."""

from hw.p4.control import fabric
from hw.p4.control.entries import Cells, Entry, Exact, Table
from hw.p4.control.program_text import shared, slots
from hw.p4.control.system import System, check_memory, only, refuse

PROGRAMS = {32: "switchml", 64: "switchml64"}  # by values of a packet
VERSIONS = 2
MEMBERS = Table(
    "pipe.Ingress.members.members",
    VERSIONS * fabric.MAX_JOBS * shared("MAX_WORKERS_PER_SWITCH"),
)
VERSION_BIT = 0x8000
BITS = 0xFFFF  # of a slot with its version


class Switchml(System):
    name = "switchml"
    programs = tuple(PROGRAMS.values())

    def program_of(self, settings):
        values = settings["values_per_packet"]
        if values not in PROGRAMS:
            allowed = f"{' and '.join(map(str, PROGRAMS))}, for which there are programs"
            refuse("/switchml/values_per_packet", values, allowed)
        return PROGRAMS[values]

    def slots_of_job(self, settings):
        return settings["slots"]

    def check(self, planned, program):
        settings = planned["settings"]
        needed = self.slots_of_job(settings) * len(planned["jobs"])
        check_memory(needed, slots(program), "slots")
        only("/switchml/congestion_control", settings["congestion_control"], False)

    def check_job(self, job):
        if len(job.workers) < 2:
            place = f"/jobs/{job.number}/workers"
            refuse(place, len(job.workers), "2 or more with SwitchML's program")

    def entries(self, cluster):
        yield from empty_slots(slots(cluster.program))
        yield from fabric.routes(cluster, "Ingress.forwarding")
        for job in cluster.jobs:
            for rank, worker in enumerate(job.workers):
                for version in range(VERSIONS):
                    yield member(job, rank, worker, version)


def empty_slots(count):
    for array, cells, fields in (
        ("Ingress.ownership.latest", count, ("f1",)),
        ("Ingress.bitmap.seen", count, ("version0", "version1")),
        ("Ingress.count.missing", VERSIONS * count, ("f1",)),
    ):
        data = {f"{array}.{field}": 0 for field in fields}
        yield Entry(Table(f"pipe.{array}"), {"$REGISTER_INDEX": Cells(cells)}, None, data)


def member(job, rank, worker, version):
    """Only a slot beyond the pool sets the top bit of its sum with `room`."""
    room = VERSION_BIT - job.slots + version * VERSION_BIT
    key = {
        "intrinsic.ingress_port": Exact(worker.port),
        "udp.destination_port": Exact(shared("SWITCHML_UPDATE_PORT")),
        "switchml.job": Exact(job.number),
        "switchml.worker": Exact(rank),
        "version": Exact(version),
    }
    data = {
        "first": job.first_slot,
        "room": room & BITS,
        "worker_bit": 1 << rank,
        "others": len(job.workers) - 1,
        "workers": fabric.group(job),
    }
    return Entry(MEMBERS, key, "Ingress.members.admit", data)

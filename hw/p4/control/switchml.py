# SPDX-License-Identifier: BSD-3-Clause
"""SwitchML: requirements of its programs, and the programs' entries."""

from hw.p4.control import forwarding
from hw.p4.control.entries import Cells, Entry, Exact, Table
from hw.p4.control.job import Level
from hw.p4.control.program_text import shared, slots
from hw.p4.control.system import System, only, refuse

PROGRAMS = {32: "switchml", 64: "switchml64"}  # by number of values per packet
VERSIONS = 2
MEMBERS = Table(
    "pipe.Ingress.members.members",
    VERSIONS * forwarding.MAX_JOBS * shared("MAX_WORKERS_PER_SWITCH"),
)
ROOTS = Table("pipe.Ingress.members.roots", VERSIONS * forwarding.MAX_JOBS)
VERSION_BIT = 0x8000
BITS = 0xFFFF  # mask of a slot with its version


class Switchml(System):
    name = "switchml"
    programs = tuple(PROGRAMS.values())
    tables_of_levels = (ROOTS,)

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
        jobs = len(planned["jobs"])
        most = slots(program) // jobs
        if self.slots_of_job(settings) > most:
            found = f"{self.slots_of_job(settings)} for each of {jobs} jobs"
            refuse("/switchml/slots", found, f"at most {most}: the program has {slots(program)}")
        only("/switchml/congestion_control", settings["congestion_control"], False)

    def check_job(self, job):
        if job.level is not Level.LEAF and job.contributions < 2:
            place = f"/jobs/{job.number}/workers"
            refuse(place, job.contributions, "2 or more with SwitchML's program")

    def registers_of_job(self, program, job):
        yield from empty_slots(slots(program), job.first_slot, job.slots)

    def entries(self, cluster):
        yield from forwarding.routes(cluster, "Ingress.forwarding")
        yield from empty_slots(slots(cluster.program), 0, slots(cluster.program))
        for job in cluster.jobs:
            for version in range(VERSIONS) if job.up else ():
                yield root(job, version)
        for job in cluster.jobs:
            for port, number, bit in members(job):
                for version in range(VERSIONS):
                    yield member(job, port, number, bit, version)


def empty_slots(all_slots, first, count):
    """Values and exponents need no reset: the first update of a slot overwrites them."""
    slot_cells = [Cells(count, first)]
    rows = [Cells(count, version * all_slots + first) for version in range(VERSIONS)]
    if count == all_slots:
        rows = [Cells(VERSIONS * count)]
    for array, parts, fields in (
        ("Ingress.ownership.latest", slot_cells, ("f1",)),
        ("Ingress.bitmap.seen", slot_cells, ("version0", "version1")),
        ("Ingress.count.missing", rows, ("f1",)),
    ):
        data = {f"{array}.{field}": 0 for field in fields}
        for cells in parts:
            yield Entry(Table(f"pipe.{array}"), {"$REGISTER_INDEX": cells}, None, data)


def members(job):
    """(port, number in the header, bit) of each sender of updates that the switch adds: workers by
    their place, and branches at the root."""
    for worker in job.workers:
        yield worker.port, worker.path.bit.bit_length() - 1, worker.path.bit
    for leaf in job.leaves:
        yield leaf.port, leaf.branch, 1 << leaf.branch


def member(job, port, number, bit, version):
    """At a leaf the slot also waits for the root's result."""
    is_leaf = job.level is Level.LEAF
    key = {
        "intrinsic.ingress_port": Exact(port),
        "switchml.job": Exact(job.id),
        "switchml.worker": Exact(number),
        "version": Exact(version),
    }
    data = pool(job, version) | {
        "worker_bit": bit,
        "others": job.contributions if is_leaf else job.contributions - 1,
        "workers": forwarding.group(job),
    }
    if not is_leaf:
        return Entry(MEMBERS, key, "Ingress.members.admit", data)
    data |= {"branch": job.branch, "up": job.up.dev_port}
    return Entry(MEMBERS, key, "Ingress.members.admit_at_leaf", data)


def root(job, version):
    """Admits the root's results at a leaf."""
    key = {
        "intrinsic.ingress_port": Exact(job.up.dev_port),
        "switchml.job": Exact(job.id),
        "version": Exact(version),
    }
    data = pool(job, version) | {"slots": job.slots, "workers": forwarding.group(job)}
    return Entry(ROOTS, key, "Ingress.members.admit_result", data)


def pool(job, version):
    """Adding `room` sets the top bit only of slots beyond the job's last."""
    room = VERSION_BIT - job.slots + version * VERSION_BIT
    return {"first": job.first_slot, "room": room & BITS}

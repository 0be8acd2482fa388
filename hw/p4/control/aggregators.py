# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of ATP and DSA: aggregators that all jobs share, and the fields of members."""

from dataclasses import dataclass

from hw.p4.control import forwarding
from hw.p4.control.entries import ANY, Cells, Entry, Exact, Table, Ternary
from hw.p4.control.program_text import AGGREGATORS, NOBODY, shared
from hw.p4.control.system import System, only, refuse

MEMBERS = Table("pipe.Ingress.ownership.members", 2048)
TASKS = Table("pipe.Ingress.ownership.tasks")
AGGREGATOR_BYTES = 4 * shared("FRAGMENT_VALUES")
GRADIENT = shared("KIND_GRADIENT")
RESULT = shared("KIND_RESULT")
REMINDER = shared("KIND_REMINDER")
FRAGMENT_REQUEST = shared("KIND_FRAGMENT_REQUEST")
NOTIFICATION = shared("KIND_NOTIFICATION")
RELEASE = shared("KIND_RELEASE")
RESEND = shared("FLAG_RESEND")
FLOATS = shared("FLAG_FLOATS")
ANSWER = shared("FLAG_ANSWER")
COLLISION = shared("FLAG_COLLISION")
PARTIAL = shared("FLAG_PARTIAL")
SECOND_LEVEL = shared("FLAG_SECOND_LEVEL")
# Flags of sums over several workers, which no worker sends.
OF_SWITCHES = PARTIAL | SECOND_LEVEL


class AggregatorSystem(System):
    tables_of_levels = (forwarding.ROOTS,)

    def check(self, planned, program):
        values = planned["settings"]["values_per_packet"]
        only(f"/{self.name}/values_per_packet", values, shared("FRAGMENT_VALUES"))
        found = planned["environment"]["aggregators"]
        if found > AGGREGATORS:
            most = f"at most {AGGREGATORS * AGGREGATOR_BYTES}B, which hold {AGGREGATORS}"
            refuse("/switch/memory_bytes", f"enough for {found} aggregators", most)

    def registers_of_any_job(self):
        yield from free_aggregators()


@dataclass(frozen=True)
class Layout:
    """Names of the fields in a program's table of members."""

    header: str
    bitmap: str
    more: tuple  # further keys of the table: [name, bits]
    no_flags: int  # mask of flags that no frame of the system has

    def flags(self, set_, unset=0):
        return Ternary(set_, set_ | unset | self.no_flags)

    def entry(self, port, kind, job, action, data, *, flags=None, worker=None, bitmap=None, **more):
        """An entry that matches any value of an omitted field. No two entries match the same frame,
        so they all have the same priority."""
        key = {
            "intrinsic.ingress_port": all_bits(port, 9),
            f"{self.header}.kind": all_bits(kind, 8),
            f"{self.header}.flags": flags or self.flags(0),
            f"{self.header}.job": all_bits(job, 16),
            f"{self.header}.worker": optional(worker, 16),
            self.bitmap: optional(bitmap, 32),
            **{name: optional(more.get(name.rpartition(".")[2]), bits) for name, bits in self.more},
            "beyond": all_bits(0, 18),
            "$MATCH_PRIORITY": Exact(0),
        }
        return Entry(MEMBERS, key, f"Ingress.ownership.{action}", data)

    def pass_through(self, port, kind, job, **fields):
        return self.entry(port, kind, job.id, "pass_through", {}, **fields)


def ports_from_above(job):
    """Ports by which frames of a job's servers and root arrive."""
    ports = {server.port for server in job.servers}
    return sorted(ports | ({job.up.dev_port} if job.up else set()))


def of_members(job, of_worker, of_leaf, from_above):
    """Entries for the frames of each member, as the three functions make them."""
    for worker in job.workers:
        yield from of_worker(job, worker)
    for leaf in job.leaves:
        yield from of_leaf(job, leaf)
    for port in ports_from_above(job):
        yield from from_above(job, port)


def other_bits(contributions, bit):
    """The bits of all contributions to a sum except one."""
    return ((1 << contributions) - 1) & ~bit


def all_bits(value, width):
    return Ternary(value, 2**width - 1)


def optional(value, width):
    return ANY if value is None else all_bits(value, width)


def free_aggregators():
    data = {"Ingress.ownership.tasks.psn": 0, "Ingress.ownership.tasks.job": NOBODY}
    yield Entry(TASKS, {"$REGISTER_INDEX": Cells(AGGREGATORS)}, None, data)

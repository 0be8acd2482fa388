# SPDX-License-Identifier: BSD-3-Clause
"""ATP: requirements of its program, and the program's entries."""

import re
from decimal import Decimal

from hw.p4.control import aggregators as of
from hw.p4.control import forwarding, program_text
from hw.p4.control.system import refuse

LAYOUT = of.Layout(
    "headers.atp",
    "metadata.own",
    (("headers.atp.fan_in_degree0", 8), ("headers.atp.fan_in_degree1", 8)),
    no_flags=0,
)
FLUSH = program_text.number("atp/types.p4", "STEP_FLUSH")
DISCARD = program_text.number("atp/types.p4", "STEP_DISCARD")
PS_OF_MS = 10**9
PS_OF_UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
PS_OF_TIME_UNIT = 2**16 * 1000  # the time unit of the program
EXPIRY_UNITS = program_text.number("atp/ownership.p4", "AGGREGATOR_EXPIRY")


class Atp(of.AggregatorSystem):
    name = "atp"
    programs = ("atp",)

    def check(self, planned, program):
        super().check(planned, program)
        expiry = picoseconds(planned["settings"]["aggregator_expiry"])
        own = EXPIRY_UNITS * PS_OF_TIME_UNIT
        if abs(expiry - own) > PS_OF_TIME_UNIT:
            found, allowed = f"{expiry / PS_OF_MS:g}ms", f"{own / PS_OF_MS:.0f}ms"
            refuse("/atp/aggregator_expiry", found, allowed)

    def entries(self, cluster):
        yield from forwarding.delivery(cluster)
        yield from of.free_aggregators()
        for job in cluster.jobs:
            yield from of.of_members(job, of_worker, of_leaf, from_above)


def picoseconds(time):
    digits, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", time).groups()
    return int(Decimal(digits) * PS_OF_UNITS[unit])


def of_worker(job, worker):
    """A worker at the root is a branch: its packets are of the second level from the beginning."""
    path = worker.path
    level, step = (of.SECOND_LEVEL, DISCARD) if path.is_branch else (0, FLUSH)
    degrees = {"fan_in_degree0": path.fan_in_degree0, "fan_in_degree1": path.fan_in_degree1}
    unset = of.OF_SWITCHES & ~level
    for seen, action, data in (
        (LAYOUT.flags(level, of.RESEND | unset), "contribute", others(path.fan_in, path.bit)),
        (LAYOUT.flags(level | of.RESEND, of.FLOATS | unset), "resend", {"step": step}),
        (LAYOUT.flags(level | of.RESEND | of.FLOATS, unset), "pass_through", {}),
    ):
        yield LAYOUT.entry(
            worker.port, of.GRADIENT, job.id, action, data,
            flags=seen, worker=worker.rank, bitmap=path.bit, **degrees,
        )  # fmt: skip
    # The parser extracts the bitmap of gradients only.
    for kind in (of.NOTIFICATION, of.RELEASE):
        yield LAYOUT.pass_through(worker.port, kind, job, worker=worker.rank)


def others(contributions, bit):
    """The other contributions to a sum: their number and their bits."""
    return {"others": contributions - 1, "expected": of.other_bits(contributions, bit)}


def of_leaf(job, leaf):
    """Frames that a leaf has admitted: sums of its branch, parts of these, and floats, which have
    no level."""
    degrees = {"fan_in_degree0": leaf.workers, "fan_in_degree1": job.branches}
    sums = {"bitmap": 1 << leaf.branch, **degrees}
    level = of.SECOND_LEVEL
    contributors = others(job.contributions, 1 << leaf.branch)
    for seen, action, data, fields in (
        (LAYOUT.flags(level, of.RESEND), "contribute", contributors, sums),
        (LAYOUT.flags(level | of.RESEND, of.FLOATS), "resend", {"step": DISCARD}, sums),
        (LAYOUT.flags(level | of.RESEND | of.FLOATS), "pass_through", {}, sums),
        (LAYOUT.flags(of.RESEND | of.FLOATS, level), "pass_through", {}, degrees),
    ):
        yield LAYOUT.entry(leaf.port, of.GRADIENT, job.id, action, data, flags=seen, **fields)
    for kind in (of.NOTIFICATION, of.RELEASE):
        yield LAYOUT.pass_through(leaf.port, kind, job)


def from_above(job, port):
    yield LAYOUT.entry(port, of.RESULT, job.id, "bring_parameters", {})
    yield LAYOUT.pass_through(port, of.REMINDER, job)
    yield LAYOUT.pass_through(port, of.FRAGMENT_REQUEST, job)

# SPDX-License-Identifier: BSD-3-Clause
"""ATP: what its program does, and what it gets."""

import re
from decimal import Decimal

from hw.p4.control import aggregators as of
from hw.p4.control import fabric, program_text
from hw.p4.control.system import refuse

LAYOUT = of.Layout("headers.atp", "metadata.own", ("fan_in_degree0", "fan_in_degree1"), 0)
FLUSH = program_text.number("atp/types.p4", "STEP_FLUSH")
PS_OF_MS = 10**9
PS_OF_UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
PS_OF_TIME_UNIT = 2**16 * 1000  # of the program
EXPIRY_UNITS = program_text.number("atp/ownership.p4", "AGGREGATOR_EXPIRY")


class Atp(of.AggregatorSystem):
    name = "atp"
    programs = ("atp",)

    def check(self, planned, program):
        super().check(planned, program)
        expiry = picoseconds(planned["settings"]["aggregator_expiry"])
        own = EXPIRY_UNITS * PS_OF_TIME_UNIT
        if abs(expiry - own) > PS_OF_TIME_UNIT:
            found, allowed = f"{expiry / PS_OF_MS:g} ms", f"{own / PS_OF_MS:.0f} ms"
            refuse("/atp/aggregator_expiry", found, allowed)

    def entries(self, cluster):
        yield from of.free_aggregators()
        yield from fabric.delivery(cluster)
        for job in cluster.jobs:
            for rank, worker in enumerate(job.workers):
                yield from of_worker(job, rank, worker)
            yield from LAYOUT.of_server(job, result="bring_parameters", reminder="pass_through")


def picoseconds(time):
    digits, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", time).groups()
    return int(Decimal(digits) * PS_OF_UNITS[unit])


def of_worker(job, rank, worker):
    """The whole job is under this switch: gradients have its fan-in, and no second level."""
    fan_in = len(job.workers)
    for seen, action, data in (
        (LAYOUT.flags(0, of.RESEND | of.OF_SWITCHES), "contribute", {"others": fan_in - 1}),
        (LAYOUT.flags(of.RESEND, of.FLOATS | of.OF_SWITCHES), "resend", {"step": FLUSH}),
        (LAYOUT.flags(of.RESEND | of.FLOATS, of.OF_SWITCHES), "pass_through", {}),
    ):
        yield LAYOUT.entry(
            worker.port, of.GRADIENT, job.number, action, data,
            flags=seen, worker=rank, bitmap=1 << rank, degrees=(fan_in, 0),
        )  # fmt: skip
    # The parser takes the bitmap of gradients only.
    for kind in (of.NOTIFICATION, of.RELEASE):
        yield LAYOUT.entry(worker.port, kind, job.number, "pass_through", {}, worker=rank)

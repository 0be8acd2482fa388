# SPDX-License-Identifier: BSD-3-Clause
"""What ATP's program gets."""

from hw.p4.control import aggregators as of
from hw.p4.control import fabric, program_text

LAYOUT = of.Layout("headers.atp", "metadata.own", ("fan_in_degree0", "fan_in_degree1"), 0)
FLUSH = program_text.number("atp/types.p4", "STEP_FLUSH")


def entries(cluster):
    yield from of.free_aggregators()
    yield from fabric.delivery(cluster)
    for job in cluster.jobs:
        for rank, worker in enumerate(job.workers):
            yield from of_worker(job, rank, worker)
        yield from LAYOUT.of_server(job, result="bring_parameters", reminder="pass_through")


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

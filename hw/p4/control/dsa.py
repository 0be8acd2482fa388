# SPDX-License-Identifier: BSD-3-Clause
"""DSA: what its program does, and what it gets."""

from hw.p4.control import aggregators as of
from hw.p4.control import fabric
from hw.p4.control.entries import Entry, Exact, Table
from hw.p4.control.system import only

NO_FLAGS = of.FLOATS
LAYOUT = of.Layout("headers.dsa", "headers.dsa.bitmap0", ("fan_in_degree0",), NO_FLAGS)
SERVERS = Table("pipe.Ingress.exits.servers.servers", fabric.MAX_JOBS)
POLICY = "priority"
JOIN_PRIORITY = "keep"


class Dsa(of.AggregatorSystem):
    name = "dsa"
    programs = ("dsa",)

    def check(self, planned, program):
        super().check(planned, program)
        only("/dsa/policy", planned["settings"]["policy"], POLICY)
        only("/dsa/join_priority", planned["settings"]["join_priority"], JOIN_PRIORITY)

    def entries(self, cluster):
        yield from of.free_aggregators()
        yield from fabric.delivery(cluster)
        for job in cluster.jobs:
            yield server(job)
        for job in cluster.jobs:
            for rank, worker in enumerate(job.workers):
                yield from of_worker(job, rank, worker)
            yield from LAYOUT.of_server(job, result="bring_result", reminder="fetch_and_free")


def server(job):
    host = job.server.number
    data = {"mac": fabric.mac(host), "ip": fabric.ip(host), "workers": len(job.workers)}
    key = {"metadata.owner": Exact(job.number)}
    return Entry(SERVERS, key, "Ingress.exits.servers.address", data)


def of_worker(job, rank, worker):
    bit = 1 << rank
    others = {"others": ((1 << len(job.workers)) - 1) & ~bit}
    first = ("contribute", others) if others["others"] else ("contribute_alone", {})
    passed_by = of.ANSWER | of.OF_SWITCHES
    for seen, (action, data) in (
        (LAYOUT.flags(0, of.RESEND | passed_by), first),
        (LAYOUT.flags(of.RESEND, passed_by), ("contribute_again", others)),
        (LAYOUT.flags(of.ANSWER, of.OF_SWITCHES), ("pass_through", {})),
    ):
        yield LAYOUT.entry(
            worker.port, of.GRADIENT, job.number, action, data,
            flags=seen, worker=rank, bitmap=bit, degrees=(len(job.workers),),
        )  # fmt: skip
    for kind in (of.NOTIFICATION, of.RELEASE):
        yield LAYOUT.entry(
            worker.port, kind, job.number, "pass_through", {}, worker=rank, bitmap=bit
        )

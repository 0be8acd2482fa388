# SPDX-License-Identifier: BSD-3-Clause
"""DSA: requirements of its program, and the program's entries."""

from hw.p4.control import aggregators as of
from hw.p4.control import forwarding
from hw.p4.control.entries import Entry, Exact, Table
from hw.p4.control.job import Level
from hw.p4.control.program_text import number
from hw.p4.control.system import only, refuse

NO_FLAGS = of.FLOATS
LAYOUT = of.Layout(
    "headers.dsa",
    "headers.dsa.bitmap0",
    (
        ("headers.dsa.fan_in_degree0", 8),
        ("headers.dsa.fan_in_degree1", 8),
        ("headers.dsa.branch", 16),
        ("destination", 16),
    ),
    NO_FLAGS,
)
DESTINATIONS = Table("pipe.Ingress.exits.destinations.destinations", 3 * forwarding.MAX_JOBS)
COMPLETE = number("dsa/types.p4", "EXIT_COMPLETE")
EVICTED = number("dsa/types.p4", "EXIT_EVICTED")
FETCHED = number("dsa/types.p4", "EXIT_FETCHED")
POLICY = "priority"
JOIN_PRIORITY = "keep"
ANSWERED_BY = "switch"


class Dsa(of.AggregatorSystem):
    name = "dsa"
    programs = ("dsa",)

    def check(self, planned, program):
        super().check(planned, program)
        only("/dsa/policy", planned["settings"]["policy"], POLICY)
        only("/dsa/join_priority", planned["settings"]["join_priority"], JOIN_PRIORITY)
        only("/dsa/answered_by", planned["settings"]["answered_by"], ANSWERED_BY)

    def check_job(self, job):
        if len(job.servers) > 1:
            allowed = "one: the program's table has where a job's partial aggregates go, of any PSN"
            refuse(f"/jobs/{job.number}/server", f"{len(job.servers)} servers", allowed)

    def entries(self, cluster):
        yield from forwarding.delivery(cluster)
        for job in cluster.jobs:
            yield of_complete(job)
            yield of_partial(job, EVICTED, of.PARTIAL)
            yield of_partial(job, FETCHED, of.PARTIAL | of.RESEND)
        yield from of.free_aggregators()
        for job in cluster.jobs:
            yield from of.of_members(job, of_worker, of_leaf, from_above)


def destination(job, way_out, action, data):
    key = {"metadata.way_out": Exact(way_out), "metadata.owner": Exact(job.id)}
    return Entry(DESTINATIONS, key, f"Ingress.exits.destinations.{action}", data)


def of_complete(job):
    """The entry that converts a sum with all contributions of this switch."""
    action, data = {Level.ONLY: "answer", Level.ROOT: "answer_as_root"}.get(job.level), {}
    if job.level is Level.LEAF:
        action, data = "hand_up", {"branch_bit": 1 << job.branch}
    return destination(job, COMPLETE, action, data)


def of_partial(job, way_out, flags):
    """The entry that addresses a job's partial sums to its only server, and describes their
    contributors. The flag `resend` means that a reminder asked for the sum."""
    (host,) = job.servers
    at_leaf, at_root = job.level is Level.LEAF, job.level is Level.ROOT
    data = {
        "mac": forwarding.mac(host.number),
        "ip": forwarding.ip(host.number),
        "workers": job.contributions,
        "branches": job.branches,
        "branch": job.branch + 1 if at_leaf else 0,
        "flags": flags | (of.SECOND_LEVEL if at_root else 0),
    }
    return destination(job, way_out, "address", data)


def of_worker(job, worker):
    """A worker at the root is a branch: its packets are of the second level from the beginning."""
    path = worker.path
    path_flags = of.SECOND_LEVEL if path.is_branch else 0
    branch = path.bitmap1.bit_length()
    fields = {
        "worker": worker.rank,
        "bitmap": path.bit,
        "branch": 0 if path.is_branch else branch,
        "fan_in_degree0": path.fan_in_degree0,
        "fan_in_degree1": path.fan_in_degree1,
    }
    yield from contributions(worker.port, job, path.bit, path.fan_in, path_flags, fields)
    for kind in (of.NOTIFICATION, of.RELEASE):
        yield LAYOUT.pass_through(
            worker.port, kind, job, worker=worker.rank, bitmap=path.bitmap0, branch=branch
        )


def contributions(port, job, bit, fan_in, path_flags, fields):
    others = {"others": of.other_bits(fan_in, bit)}
    first = ("contribute", others) if others["others"] else ("contribute_alone", {})
    unset = of.OF_SWITCHES & ~path_flags
    for seen, (action, data) in (
        (LAYOUT.flags(path_flags, of.RESEND | of.ANSWER | unset), first),
        (LAYOUT.flags(path_flags | of.RESEND, of.ANSWER | unset), ("contribute_again", others)),
        (LAYOUT.flags(path_flags | of.ANSWER, unset), ("pass_through", {})),
    ):
        yield LAYOUT.entry(port, of.GRADIENT, job.id, action, data, flags=seen, **fields)


def of_leaf(job, leaf):
    """Frames that a leaf has admitted: the sums of its branch, and partial sums, which bypass the
    aggregators."""
    degrees = {"fan_in_degree0": leaf.workers, "fan_in_degree1": job.branches}
    bit = 1 << leaf.branch
    sums = {"bitmap": bit, "branch": 0, **degrees}
    yield from contributions(leaf.port, job, bit, job.branches, of.SECOND_LEVEL, sums)
    parts = {"branch": leaf.branch + 1, **degrees}
    level_ = of.SECOND_LEVEL
    for seen, fields in (
        (LAYOUT.flags(of.PARTIAL, level_), {"branch": leaf.branch + 1}),
        (LAYOUT.flags(of.RESEND, of.PARTIAL | level_), parts),
        (LAYOUT.flags(of.ANSWER, of.RESEND | of.PARTIAL | level_), parts),
        (LAYOUT.flags(of.COLLISION, of.ANSWER | of.RESEND | of.PARTIAL | level_), parts),
    ):
        yield LAYOUT.pass_through(leaf.port, of.GRADIENT, job, flags=seen, **fields)
    for kind in (of.NOTIFICATION, of.RELEASE):
        yield LAYOUT.pass_through(leaf.port, kind, job, branch=leaf.branch + 1)
    yield LAYOUT.pass_through(leaf.port, of.REMINDER, job)  # the answer of a leaf to a reminder


def from_above(job, port):
    """Frames that a job's server and root send. At the root, a reminder passes to its
    destination."""
    yield LAYOUT.entry(port, of.RESULT, job.id, "bring_result", {})
    yield LAYOUT.pass_through(port, of.FRAGMENT_REQUEST, job)
    fetch = "fetch_at_leaf" if job.level is Level.LEAF else "fetch_and_free"
    own = {"destination": job.servers[0].number} if job.level is Level.ROOT else {}
    yield LAYOUT.entry(port, of.REMINDER, job.id, fetch, {}, **own)
    for leaf in job.leaves:
        yield LAYOUT.pass_through(port, of.REMINDER, job, destination=leaf.first)

# SPDX-License-Identifier: BSD-3-Clause
"""Registers a job of a running switch anew, under a fresh id."""

from dataclasses import replace
from itertools import groupby

from hw.commands.errors import CommandError
from hw.p4.control.job import Cluster
from hw.p4.control.system import refuse
from hw.p4.control.systems import BY_PROGRAM

IDS = range(1 << 16)


def register_job(switch, cluster, number, new_id, again=False):
    """Replaces the id of a job at a switch that has `cluster` loaded, while the other jobs
    continue. Frames with the former id are no longer admitted, and the job begins at PSN 0.
    `again`: the switch may still hold sums under `new_id` from an earlier registration. Returns
    the new cluster of the switch. After a CommandError the job may have no id at all; the same
    call can be repeated."""
    old = next((job for job in cluster.jobs if job.number == number), None)
    if old is None:
        refuse(f"/jobs/{number}", "not loaded", ", ".join(str(job.number) for job in cluster.jobs))
    used = {job.id for job in cluster.jobs}
    if new_id in used or new_id not in IDS:
        refuse(f"/jobs/{number}", f"id {new_id}", f"0 to {IDS[-1]}, except {sorted(used)}")
    new = replace(old, registered_as=new_id)
    system = BY_PROGRAM[cluster.program]
    before, after = (entries_with_id(system, cluster.program, job) for job in (old, new))
    try:
        # A frame stays in the pipeline for microseconds, so none is left when the next call
        # arrives.
        delete(switch, reversed(before), [*before, *after])
        add(switch, system.registers_of_job(cluster.program, old))
        if again:
            add(switch, system.registers_of_any_job())
        add(switch, after)
    except CommandError as error:
        message = f"{error}; job {number} has to be registered again: its frames are dropped"
        raise CommandError(message, error.status) from error
    jobs = tuple(new if job is old else job for job in cluster.jobs)
    return replace(cluster, jobs=jobs)


def entries_with_id(system, program, job):
    """The job's entries that depend on its id."""
    other = replace(job, registered_as=next(one for one in IDS if one != job.id))
    same = set(map(str, system.entries(Cluster(program, (other,)))))
    return [one for one in system.entries(Cluster(program, (job,))) if str(one) not in same]


def delete(switch, ordered, entries):
    """Deletes those of `entries` that exist, in the order of the tables of `ordered`."""
    keys = {frozenset(entry.key.items()) for entry in entries}
    for table in dict.fromkeys(entry.table for entry in ordered):
        there = switch.read(table)
        switch.delete([one for one in there if frozenset(one.key.items()) in keys])


def add(switch, entries):
    for _, some in groupby(entries, key=lambda entry: entry.table):
        switch.add(list(some))

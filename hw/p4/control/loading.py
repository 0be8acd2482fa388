# SPDX-License-Identifier: BSD-3-Clause
"""All entries of a cluster's program."""

from collections import Counter

from hw.commands.errors import CommandError
from hw.p4.control import forwarding, looping
from hw.p4.control.systems import BY_PROGRAM


def entries_of(cluster):
    """Entries in the order of loading. Members come last, when everything is ready for their
    frames. Raises CommandError if a table would overflow."""
    entries = [
        *forwarding.ports(cluster),
        *looping.entries(cluster),
        *forwarding.multicast(cluster),
        *forwarding.registration_paths(cluster),
        *BY_PROGRAM[cluster.program].entries(cluster),
    ]
    for table, count in Counter(entry.table for entry in entries).items():
        if table.capacity is not None and count > table.capacity:
            allowed = f"at most {table.capacity}, of fewer jobs or workers"
            raise CommandError(f"/jobs: {count} entries of {table.name}; allowed: {allowed}")
    return entries


def tables_of(cluster):
    """Tables that have entries only at some levels of a job's tree, with a registrar, or with
    looped ports."""
    program = cluster.program
    return (*BY_PROGRAM[program].tables_of_levels, forwarding.PATHS, *looping.tables(program))

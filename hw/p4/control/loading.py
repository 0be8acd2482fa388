# SPDX-License-Identifier: BSD-3-Clause
"""All that a cluster's program gets."""

from collections import Counter

from hw.commands.errors import CommandError
from hw.p4.control import forwarding
from hw.p4.control.systems import BY_PROGRAM


def entries_of(cluster):
    """In the order of loading: members are loaded last, when all is ready for its frames.
    Raises CommandError for more than a table holds."""
    entries = [
        *forwarding.ports(cluster),
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
    """Those that have entries at some levels of a job's tree only, or with a registrar only."""
    return (*BY_PROGRAM[cluster.program].tables_of_levels, forwarding.PATHS)

# SPDX-License-Identifier: BSD-3-Clause
"""All that a cluster's program gets."""

from collections import Counter

from hw.p4.control import atp, dsa, fabric, switchml
from hw.testbed.plan import TestbedError

PROGRAMS = {"switchml": switchml, "switchml64": switchml, "atp": atp, "dsa": dsa}


def entries_of(cluster):
    """In the order of loading: members are loaded last, when all is ready for its frames.
    Raises TestbedError for more than a table holds."""
    entries = [
        *fabric.ports(cluster),
        *fabric.multicast(cluster),
        *PROGRAMS[cluster.program].entries(cluster),
    ]
    for table, count in Counter(entry.table for entry in entries).items():
        if table.capacity is not None and count > table.capacity:
            raise TestbedError(f"{table.name}: {count} entries; allowed: {table.capacity}")
    return entries

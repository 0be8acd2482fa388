# SPDX-License-Identifier: BSD-3-Clause
"""Hardware switches of a run on several machines: Tofinos, which the control plane of hw/p4 loads
before the workers start, and clears afterwards."""

import contextlib

from hw.commands.errors import CommandError
from hw.commands.interrupts import undisturbed
from hw.p4.control.bfrt import Switch
from hw.p4.control.cabling import read_cabling
from hw.p4.control.cluster import read_cluster
from hw.p4.control.loading import entries_of, tables_of
from hw.p4.control.replacing import clear, replace


def tofinos_of(inventory, run):
    """(Tofino, its cluster, its entries) for each one that the run has. `run`: as `ina-sim plan`
    prints it. Raises CommandError if a program or a cabling file cannot serve it."""
    names = [switch["name"] for switch in run["cluster"]["topology"]["switches"]]
    found = []
    for tofino in inventory.tofinos.values():
        if tofino.name in names:
            only = tofino.name if len(names) > 1 else None
            cabling = read_cabling(tofino.cabling)
            try:
                cluster = read_cluster(run, cabling, only)
                found.append((tofino, cluster, entries_of(cluster)))
            except CommandError as error:
                raise CommandError(f"{tofino.name}: {error}") from None
    return found


@contextlib.contextmanager
def loaded(inventory, run):
    """The run's jobs are loaded within this context. Then all entries and registers that the
    programs had are cleared."""
    with contextlib.ExitStack() as stack:
        for tofino, cluster, entries in tofinos_of(inventory, run):
            with undisturbed():  # nothing is loaded without being cleared
                switch = Switch(tofino.bfrt, cluster.program)
                stack.callback(switch.close)
            tables = tables_of(cluster)
            stack.callback(clear_in_turn, switch, entries, tables)
            replace(switch, entries, tables)
        yield


def clear_in_turn(switch, entries, tables):
    with undisturbed():
        clear(switch, entries, tables)

# SPDX-License-Identifier: BSD-3-Clause
"""Replaces a switch's entries, or leaves the switch unchanged."""

import contextlib
from itertools import groupby

from hw.commands.errors import CommandError, Interrupted
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.p4.control.cabling import SPEEDS, shown
from hw.p4.control.forwarding import PORTS

LANES = {speed.name: speed.lanes for speed in SPEEDS.values()}


def replace(switch, entries, more_tables=()):
    """Loads `entries` table by table, in the given order, in place of the contents of these tables
    and of `more_tables`. The last table is cleared first, so that no frame is admitted
    meanwhile. After an error or interrupt, restores the previous contents. Raises CommandError,
    which lists what could not be restored."""
    change = Change(switch, entries, more_tables)
    change.check_lanes()
    try:
        change.make()
    except CommandError as error:
        raise CommandError(f"{error}; {change.undo()}", error.status) from error
    except Interrupted as error:
        message = f"{switch.address}: interrupted; {change.undo()}"
        raise CommandError(message, 128 + error.number) from error


def clear(switch, entries, more_tables=()):
    """Clears the tables of `entries` and `more_tables`, the last one first, and then the registers.
    Raises CommandError."""
    change = Change(switch, entries, more_tables)
    change.clear()
    change.add([entry for entry in entries if entry.is_register])


class Change:
    def __init__(self, switch, entries, more_tables):
        self.switch, self.entries = switch, entries
        own = (entry.table for entry in entries if not entry.is_register)
        self.tables = list(dict.fromkeys([*more_tables, *own]))
        found = {table: switch.read(table) for table in self.tables}
        self.before = {table: self.replaced(table, found[table]) for table in self.tables}
        self.others_ports = [
            entry for entry in found.get(PORTS, []) if entry not in self.before[PORTS]
        ]
        self.cleared_registers = []

    def replaced(self, table, found):
        """The entries among `found` that the change replaces."""
        if table.known is None:
            return found
        added = {entry.first_key for entry in self.entries if entry.table == table}
        return [one for one in found if one.first_key in added or one.first_key in table.known]

    def check_lanes(self):
        """Checks that the ports that stay do not use lanes of the new ones."""
        taken = {lane: other for other in self.others_ports for lane in lanes_of(other)}
        for entry in self.entries:
            lanes = lanes_of(entry) if entry.table == PORTS else ()
            for lane in lanes:
                if lane in taken:
                    other = taken[lane]
                    raise CommandError(
                        f"{self.switch.address}: port {other.first_key} "
                        f"({other.data['$SPEED']}), which is not in the cabling, has a lane of "
                        f"port {shown(lanes)} ({entry.data['$SPEED']}); allowed: a cabling that "
                        "leaves it alone, or to delete it first",
                        ENVIRONMENT_ERROR,
                    )

    def make(self):
        self.clear()
        self.add(self.entries)

    def add(self, entries):
        for table, some in groupby(entries, key=lambda entry: entry.table):
            some = list(some)
            if some[0].is_register:
                self.cleared_registers.append(table.name)
            self.switch.add(some)

    def clear(self):
        for table in reversed(self.tables):
            self.clear_table(table)

    def clear_table(self, table):
        if table.known is None:
            self.switch.clear(table)
        else:
            self.switch.delete(self.replaced(table, self.switch.read(table)))

    def undo(self):
        """Restores the previous contents and returns a description of the result. Continues after
        errors: the comparison at the end finds what they left."""
        for table in reversed(self.tables):
            with contextlib.suppress(CommandError):
                self.clear_table(table)
        for table in self.tables:
            with contextlib.suppress(CommandError):
                self.switch.add(self.before[table])
        wrong = [words for table in self.tables for words in self.differences(table)]
        if self.cleared_registers:
            names = ", ".join(self.cleared_registers)
            wrong.append(f"the content of {names}: start the programs of all jobs again")
        if wrong:
            return f"the switch does not have its previous entries; missing: {'; '.join(wrong)}"
        return "the switch has its previous entries again"

    def differences(self, table):
        try:
            now = self.replaced(table, self.switch.read(table))
        except CommandError:
            if self.before[table]:
                yield f"perhaps {counted(table, self.before[table])}"
            return
        if missing := without(self.before[table], now):
            yield counted(table, missing)
        if added := without(now, self.before[table]):
            yield f"the removal of {counted(table, added)}"


def without(entries, others):
    known = set(map(str, others))
    return [entry for entry in entries if str(entry) not in known]


def counted(table, entries):
    """Describes entries; those in tables of the device by their keys."""
    if table.known is None:
        return f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'} of {table.name}"
    return f"{table.name} {', '.join(str(entry.first_key) for entry in entries)}"


def lanes_of(port):
    return range(port.first_key, port.first_key + LANES.get(port.data["$SPEED"], 1))

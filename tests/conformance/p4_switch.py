# SPDX-License-Identifier: BSD-3-Clause
"""An interpreted program as a switch. hw/p4/control can write to it between packets."""

from p4_interpreter.device import Device


class ControlledSwitch:
    """Part of hw.p4.control.bfrt.Switch's interface."""

    def __init__(self, source, entries):
        self.device = Device(source)
        self.entries = []
        self.add(entries)

    def read(self, table):
        return [entry for entry in self.entries if entry.table == table]

    def add(self, entries):
        for entry in entries:
            self.device.load_one(entry)
            if not entry.is_register:
                self.entries.append(entry)

    def delete(self, entries):
        gone = set(map(str, entries))
        left = [entry for entry in self.entries if str(entry) not in gone]
        names = {entry.table.name for entry in entries}
        for name in names:
            self.device.program.tables[name].clear()
        self.entries = [entry for entry in left if entry.table.name not in names]
        self.add(entry for entry in left if entry.table.name in names)

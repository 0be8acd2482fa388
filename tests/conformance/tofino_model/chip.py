# SPDX-License-Identifier: BSD-3-Clause
"""The vendor's model of the chip with a compiled program. Its test harness obeys a script."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from p4_interpreter.device import Left, Pass, PassByPass, is_recirculation_port

from hw.p4.control.cabling import PIPES, PORTS_OF_PIPE

HARNESS = os.environ.get("TOFINO_HARNESS")
LAST_OWN_PORT = 71
PICOSECONDS_OF_US = 10**6


class ChipError(Exception):
    """The harness reported an error or ended."""


class Chip(PassByPass):
    """Has the methods of p4_interpreter.device.Device. The registers are those of one pipe.
    `folder`: folder of the compiled and assembled program. `queue_cells`: added to the depth of every
    queue. The model itself counts packets there, not cells."""

    def __init__(self, folder, schema, pipe=0, queue_cells=0):
        self.binary, self.pipe, self.queue_cells = folder / "assembled", pipe, queue_cells
        self.context = context = json.loads((self.binary / "context.json").read_text(encoding="utf-8"))
        move_slices(context)
        tables = json.loads((folder / schema).read_text(encoding="utf-8"))["tables"]
        self.keys = {
            table["name"]: {key["name"]: (key.get("start_bit", 0), key["bit_width"]) for key in table["match_key_fields"]}
            for table in context["tables"]
            if table["table_type"] == "match"
        }
        self.cell_fields = {
            table["name"]: [one["singleton"] for one in table["data"]] for table in tables if table["table_type"] == "Register"
        }
        self.process = None

    # The harness.

    def start(self):
        self.close()
        self.folder = tempfile.TemporaryDirectory()  # for the files that the model writes
        self.left = open(f"{self.folder.name}/left", "a+", encoding="utf-8")
        self.errors = open(f"{self.folder.name}/errors", "a+", encoding="utf-8")
        program = Path(self.folder.name) / "program"
        program.mkdir()
        (program / "context.json").write_text(json.dumps(self.context), encoding="utf-8")
        (program / "tofino.bin").symlink_to(self.binary / "tofino.bin")
        self.process = subprocess.Popen(
            [HARNESS, "--observation-log", self.left.name, "-l", program, "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, cwd=self.folder.name, text=True,
        )  # fmt: skip
        self.at_us, self.marks, self.resubmitted, self.priorities, self.nodes = 0, 0, 0, {}, {}
        for port in range(PIPES * PORTS_OF_PIPE):
            if port % PORTS_OF_PIPE <= LAST_OWN_PORT:
                self.say(f"expect {port}")  # any packets
        self.say(f"queue_depth {self.queue_cells}")

    def close(self):
        if self.process is None:
            return
        self.process.kill()
        self.process.communicate()
        self.left.close()
        self.errors.close()
        self.folder.cleanup()
        self.process = None

    def say(self, line):
        self.process.stdin.write(f"{line}\n")

    def heard(self):
        """Waits for everything that was said, and returns the lines that the harness printed."""
        self.marks += 1
        mark, lines = f"mark {self.marks}", []
        self.say(f"echo {mark}")
        self.process.stdin.flush()
        while (line := self.process.stdout.readline().strip()) != mark:
            if not line and self.process.poll() is not None:
                raise ChipError(f"the harness ended with {self.process.returncode}: {self.errors.read()}")
            lines.append(line)
        if error := self.errors.read():
            raise ChipError(error)
        return lines

    # The control plane.

    def load(self, entries):
        """Starts the chip with these entries of hw/p4/control."""
        self.start()
        for entry in entries:
            self.load_one(entry)
        self.heard()

    def load_one(self, entry):
        name = entry.table.name
        if name == "$PORT":
            return
        if name == "$pre.node":
            self.nodes[entry.key["$MULTICAST_NODE_ID"].value] = entry.data
        elif name == "$pre.mgid":
            (number,) = entry.data["$MULTICAST_NODE_ID"]
            node = self.nodes[number]
            ports = " ".join(map(str, node["$DEV_PORT"]))
            self.say(f"multicast {entry.key['$MGID'].value} {node['$MULTICAST_RID']} {ports}")
        elif entry.is_register:
            (cells,) = entry.key.values()
            values = " ".join(f"{self.halves(name)[field]}={value}" for field, value in entry.data.items())
            self.say(f"set_register {short(name)}({cells.first}..{cells.first + cells.count - 1}) {values}")
        else:
            self.say(self.addition(entry))

    def addition(self, entry):
        """The script's line that adds an entry. A number in front of the keys is its priority."""
        name = short(entry.table.name)
        is_ternary = "$MATCH_PRIORITY" in entry.key
        keys = [
            f"{key}: {bits(match, *self.keys[name][key], is_ternary)}"
            for key, match in entry.key.items()
            if key != "$MATCH_PRIORITY"
        ]
        place = ""
        if is_ternary:
            self.priorities[name] = self.priorities.get(name, -1) + 1
            place = f"{self.priorities[name]} "
        data = ", ".join(f"{field}: {int(value)}" for field, value in entry.data.items())
        return f"add {name} {place}{', '.join(keys)} {short(entry.action)}({data})"

    def halves(self, array):
        """The harness's names of a cell's fields."""
        return {field["name"]: half for field, half in zip(self.cell_fields[array], ("lo", "hi"))}

    def cell(self, array, index):
        """The cell by field, with the names of the BfRt schema. Signed values are given as bits."""
        self.say(f"get_register {self.pipe}:{short(array)}({index})")
        (line,) = [line for line in self.heard() if line.startswith("cell ")]
        found = dict(word.split("=") for word in line.split() if "=" in word)
        halves = self.halves(array)
        return {
            field["name"]: int(found[halves[field["name"]]]) & (1 << field["type"]["width"]) - 1
            for field in self.cell_fields[array]
        }

    # Packets.

    def one_pass(self, came):
        """Runs one pass of a packet. Returns its further passes and the packets that left. `resubmitted`
        of a further pass is the harness's number of the packet."""
        if came.at_us > self.at_us:
            self.say(f"advance {(came.at_us - self.at_us) * PICOSECONDS_OF_US}")
            self.at_us = came.at_us
        if came.resubmitted is None:
            self.say(f"packet {came.port} {came.frame.hex()}")
        else:
            self.say(f"resubmit {came.resubmitted}")
        self.say("wait")
        self.say("resubmitted")
        return [*self.resubmissions(came), *map(self.left_or_recirculated, self.left.readlines())]

    def resubmissions(self, came):
        (line,) = [line for line in self.heard() if line.startswith("resubmitted ")]
        before, self.resubmitted = self.resubmitted, int(line.split()[1])
        return [Pass(came.port, came.frame, came.at_us, number) for number in range(before, self.resubmitted)]

    def left_or_recirculated(self, line):
        """The test is the cable of the pipes' own ports."""
        word, digits = line.split()
        port, frame = int(word), bytes.fromhex(digits)
        return Pass(port, frame, self.at_us) if is_recirculation_port(port) else Left(port, frame)


def move_slices(context):
    """Shifts slices of fields in constant entries: the harness expects them at their position in the field."""
    for table in context["tables"]:
        first_bits = {key["name"]: key.get("start_bit", 0) for key in table.get("match_key_fields", [])}
        for entry in table.get("static_entries", []):
            for key in entry["match_key_fields_values"]:
                for part in ("value", "mask"):
                    if part in key:
                        key[part] = hex(int(key[part], 0) << first_bits[key["field_name"]])


def short(path):
    return path.removeprefix("pipe.")


def bits(match, first_bit, width, is_ternary):
    """A key in the script's notation. The harness expects a slice of a field at its position there."""
    if not is_ternary:
        return hex(match.value << first_bit)
    mask = getattr(match, "mask", (1 << width) - 1)
    digits = ("*" if not mask >> bit & 1 else str(match.value >> bit & 1) for bit in reversed(range(width)))
    return f"0b{''.join(digits)}{'0' * first_bit}"

# SPDX-License-Identifier: BSD-3-Clause
"""Golden traces: packets that arrive at a switch one after the other, and the effect of each on its
registers and output. The expectations are written by hand in make_golden_traces.py and share no
code with the data-plane programs."""

import json
import pathlib
import re
import struct

import formats

FOLDER = pathlib.Path(__file__).with_name("golden_traces")
ALL_WORKERS = 0xFFFF
GRADIENT, RESULT, REMINDER = 1, 2, 3
ECN, RESEND, COLLISION, SECOND_LEVEL, VERSION, PARTIAL, ANSWER = 1, 2, 4, 8, 16, 64, 128
FLOATS = VERSION  # SwitchML's header has no flags
SWITCHML_PORTS = {GRADIENT: 48864, RESULT: 48865}
FREE = "free"  # the content of `task` in a free aggregator
LOWEST, HIGHEST = -(2**31), 2**31 - 1
VALUES_PER_PACKET = {"switchml": 32, "atp": 62, "dsa": 62}


def line(first, step=1):
    """Values that distinguish lanes: `first`, `first + step` ..."""
    return lambda count: [first + step * i for i in range(count)]


def const(value):
    return line(value, 0)


def packet(**fields):
    return fields


def frame_of(system, packet, values_per_packet=None):
    """The packet's bytes on the wire. `values_per_packet`: SwitchML's number, if it is not 32."""
    ecn = bool(packet.get("flags", 0) & ECN)
    values = packet["values"](values_per_packet or VALUES_PER_PACKET[system]) if "values" in packet else []
    if system == "switchml":
        version = packet.get("flags", 0) & VERSION
        fields = {
            "job": packet["job"],
            "worker": packet["worker"],
            "version_and_slot": (0x8000 if version else 0) | packet["aggregator_index"],
            "offset": packet["psn"],
            "exponents": packet.get("exponents", 0),
        }
        layout, protocol, port = formats.SWITCHML, 17, SWITCHML_PORTS[packet["kind"]]
    else:
        fields = {name: value for name, value in packet.items() if name != "values"}
        layout, protocol = (formats.ATP, 253) if system == "atp" else (formats.DSA, 254)
        port = None
    parts = formats.headers(
        protocol, packet["source"], packet["destination"], layout, fields, len(values), ecn, port
    )
    frame = b"".join(formats.header_bytes(part, content) for _, part, content in parts)
    return frame + struct.pack(f">{len(values)}i", *values)


def on_one_line(array):
    return "[" + re.sub(r"\s+", " ", array.group(1)) + "]"


class GoldenTrace:
    """`jobs`: by id, {"workers": [host ...], "server": host or [host ...]}, for SwitchML with
    "first_slot" and "slots", and with "racks" if there are several switches. README.md describes
    them and `switch`."""

    folder = FOLDER

    def __init__(self, system, name, about, jobs, values_per_packet=None, switch=None):
        self.system, self.name = system, name
        self.values = values_per_packet or VALUES_PER_PACKET[system]
        self.content = {"description": about, "system": system, "values_per_packet": self.values, "jobs": jobs}
        self.content |= {"switch": switch} if switch else {}
        self.content["steps"] = []
        self.registers = {}

    def step(self, says, came, out=None, to=(), at_us=None, by=None, **changes):
        """`out` goes to the hosts `to`. `by`: the ingress port, if the packet comes from another
        switch. `changes`: changed cells by register array. None: the content of a cell no longer
        matters."""
        source = {"ingress": came["source"] if by is None else by, "frame": self.frame(came)}
        self.add(says, at_us, source, out, to, changes)

    def add(self, says, at_us, source, out, to, changes):
        """`source`: the keys of the packet that the step processes."""
        for array, cells in changes.items():
            known = self.registers.setdefault(array, {})
            for index, value in cells.items():
                known[index] = value(self.values) if callable(value) else value
        step = {"says": says, "at_us": at_us if at_us is not None else len(self.content["steps"])}
        step |= source
        step |= {
            "out": out and {"hosts": list(to), "frame": self.frame(out)},
            "registers": {
                array: {str(index): value for index, value in sorted(cells.items()) if value is not None}
                for array, cells in self.registers.items()
            },
        }
        self.content["steps"].append(json.loads(json.dumps(step)))

    def frame(self, packet):
        return frame_of(self.system, packet, self.values).hex()

    def write(self):
        self.folder.mkdir(exist_ok=True)
        text = re.sub(r"\[\s+([^][{}]*?)\s+\]", on_one_line, json.dumps(self.content, indent=1))
        (self.folder / f"{self.system}-{self.name}.json").write_text(text + "\n")

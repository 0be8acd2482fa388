#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the golden packets, one *.hex per system, from the layouts in formats.py.

Value i of a packet is i + 1, and every third one is negative (-(i + 1)). Packets with floats hold
half of these. The files are committed. Run this program only after a deliberate change of a format,
and review the difference.
"""
import pathlib
import struct

from formats import ATP, DSA, FLOW, PS, SWITCHML, headers


def write(name, about, protocol, source, destination, layout, fields, values, congested=False, port=None,
          floats=False):
    parts = headers(protocol, source, destination, layout, fields, values, congested, port)
    lines = ["", f"[{name}]", f"# {about}"]
    for title, part, content in parts:
        lines.append(f"# {title}")
        for field, width in part:
            lines.append(f"{content.get(field, 0):0{2 * width}x}  # {field}")
    if values:
        form = "float32: (i + 1) / 2" if floats else "int32: i + 1"
        lines.append(f"# {values} values, {form}, every third one negative")
        numbers = [-(i + 1) if i % 3 == 2 else i + 1 for i in range(values)]
        words = [struct.pack(">f", number / 2) if floats else struct.pack(">i", number) for number in numbers]
        for i in range(0, values, 8):
            lines.append(" ".join(word.hex() for word in words[i:i + 8]))
    with vectors_of(name.partition("-")[0]).open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def vectors_of(packet_format):
    return pathlib.Path(__file__).with_name(f"{packet_format}.hex")


def main():
    for name in ("switchml", "atp", "dsa", "ps", "flow"):
        vectors_of(name).write_text("# SPDX-License-Identifier: BSD-3-Clause\n", encoding="utf-8")
    write("switchml-32-update", "SwitchML 3.3: 180 bytes, worker 3 of job 7 updates slot 5 in version 1", 17, 0x0103,
          0x0103, SWITCHML, {"job": 7, "worker": 3, "version_and_slot": 0x8005, "offset": 0x01020304,
                             "exponents": 0xA1B2}, 32, port=48864)
    write("switchml-64-result", "SwitchML, NSDI: 308 bytes, the result of slot 32767 in version 0, marked", 17, 0x0204,
          0xFFFF, SWITCHML, {"job": 255, "worker": 31, "version_and_slot": 0x7FFF, "offset": 0xFFFFFFFF,
                             "exponents": 1}, 64, congested=True, port=48865)
    write("switchml-256-update", "SwitchML, NSDI: 1076 bytes", 17, 1, 1, SWITCHML,
          {"job": 0, "worker": 0, "version_and_slot": 0, "offset": 0}, 256, port=48864)
    write("switchml-366-update", "SwitchML 5.5: 1516 bytes, an MTU of values", 17, 1, 1, SWITCHML,
          {"job": 0, "worker": 0, "version_and_slot": 0, "offset": 0}, 366, port=48864)
    common = {"job": 0x0102, "psn": 0x03040506, "aggregator_index": 0x0708090A, "bitmap0": 0x80000001}
    atp = common | {"bitmap1": 0x0B0C0D0E, "fan_in_degree0": 32, "fan_in_degree1": 16, "worker": 31}
    write("atp-gradient", "ATP 3.3: 306 bytes, a gradient that collided (collision, resend, second level), marked", 253,
          0x0A0B, 0x0C0D, ATP, atp | {"kind": 1, "flags": 1 + 2 + 4 + 8}, 62, congested=True)
    write("atp-result", "ATP 3.6: parameter packet with a rehashed index in bitmap0", 253, 0x0C0D, 0xFFFF, ATP,
          common | {"kind": 2, "flags": 4 + 32, "bitmap0": 99, "fan_in_degree0": 32}, 62)
    write("atp-request", "ATP: the server asks for a fragment, 58 bytes without values", 253, 0x0C0D, 0xFFFF, ATP,
          common | {"kind": 4, "fan_in_degree0": 32}, 0)
    write("atp-float-request", "ATP 3.8: after an overflow the server asks for the fragment as floats", 253, 0x0C0D,
          0xFFFF, ATP, common | {"kind": 4, "flags": 16, "fan_in_degree0": 32}, 0)
    write("atp-float-gradient", "ATP 3.8: a worker's fragment as floats (resend, answer), past all aggregators", 253,
          0x0A0B, 0x0C0D, ATP, common | {"kind": 1, "flags": 2 + 16 + 128, "bitmap0": 0x80000000, "fan_in_degree0": 32,
                                         "worker": 31}, 62, floats=True)
    write("atp-float-result", "ATP 3.8: the sum of floats", 253, 0x0C0D, 0xFFFF, ATP,
          common | {"kind": 2, "flags": 2 + 16, "bitmap0": 0, "fan_in_degree0": 32}, 62, floats=True)
    dsa = common | {"priority": 0xBEEF, "fan_in_degree0": 8, "worker": 5}
    write("dsa-gradient", "DSA III: 306 bytes, a gradient with its priority", 254, 0x0A0B, 0x0C0D, DSA,
          dsa | {"kind": 1}, 62)
    write("dsa-partial", "DSA IV: what a reminder fetched (partial, resend), marked", 254, 0x0C0D, 0x0C0D, DSA,
          dsa | {"kind": 1, "flags": 1 + 2 + 64}, 62, congested=True)
    write("dsa-result", "DSA III: result", 254, 0x0A0B, 0xFFFF, DSA, dsa | {"kind": 2}, 62)
    write("dsa-reminder", "DSA IV: the server asks the switch; 306 bytes, so that it can come back with values", 254,
          0x0C0D, 0x0C0D, DSA, common | {"kind": 3, "fan_in_degree0": 8}, 62)
    write("dsa-request", "DSA IV: the server asks the workers", 254, 0x0C0D, 0xFFFF, DSA,
          common | {"kind": 4, "fan_in_degree0": 8}, 0)
    write("dsa-notification", "DSA IV: a worker asks the server to run its reminder", 254, 0x0A0B, 0x0C0D, DSA,
          common | {"kind": 5, "bitmap0": 32, "worker": 5}, 0)
    write("dsa-release", "DSA: a worker needs the task no more", 254, 0x0A0B, 0x0C0D, DSA,
          common | {"kind": 6, "bitmap0": 32, "worker": 5}, 0)
    ps = {"job": 0x0102, "psn": 0x03040506, "bitmap0": 0x80000001}
    write("ps-gradient", "Plain parameter server: 306 bytes, the answer to a request (resend, answer), marked", 17,
          0x0A0B, 0x0C0D, PS, ps | {"kind": 1, "flags": 1 + 2 + 128, "bitmap0": 0x80000000, "worker": 31}, 62,
          congested=True, port=48866)
    write("ps-result", "Plain parameter server: the sum, to one worker, after a retransmission (resend)", 17, 0x0C0D,
          0x0A0B, PS, ps | {"kind": 2, "flags": 2, "bitmap0": 0xFFFFFFFF}, 62, port=48866)
    write("ps-request", "Plain parameter server: the server asks a worker for a fragment", 17, 0x0C0D, 0x0A0B, PS,
          ps | {"kind": 4}, 0, port=48866)
    write("ps-release", "Plain parameter server: a worker needs the task no more", 17, 0x0A0B, 0x0C0D, PS,
          ps | {"kind": 6, "bitmap0": 32, "worker": 5}, 0, port=48866)
    flow = {"job": 0x0102, "worker": 31}
    write("flow-gradient", "Among workers: 1514 bytes, what some workers' parts add up to, sent again, marked", 17,
          0x0A0B, 0x0C0D, FLOW, flow | {"kind": 1, "flags": 1 + 2, "psn": 0x03040506, "sequence": 0x0708090A}, 363,
          congested=True, port=48867)
    write("flow-result", "Among workers: the sum, on its way to everyone; what came the other way was marked", 17,
          0x0A0B, 0x0C0D, FLOW,
          flow | {"kind": 2, "flags": 4, "psn": 0x03040506, "sequence": 0x0708090B, "acknowledged_before": 0x01020304,
                  "credit": 0x03FF}, 363, port=48867)
    write("flow-acknowledgement", "Among workers: a frame is there that was marked, and all before another one", 17,
          0x0C0D, 0x0A0B, FLOW,
          flow | {"kind": 7, "flags": 4, "sequence": 0x0708090A, "acknowledged_before": 0x07080903, "credit": 0x0400},
          0, port=48867)


if __name__ == "__main__":
    main()

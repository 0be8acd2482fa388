# SPDX-License-Identifier: BSD-3-Clause
"""Frames as bytes: pcap files, golden packets, and the fields of a frame according to the layouts
of hw/protocol/wire."""

import re
import struct
from pathlib import Path

import formats

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
NANOSECONDS = 0xA1B23C4D  # magic number of a pcap file with nanosecond time stamps
ETHERNET = 1
UDP = 17
REGISTRATION_PORT = 48868
REGISTRATION_WORDS = 11


def read_pcap(path) -> list[bytes]:
    data = path.read_bytes()
    magic, *_, link_type = struct.unpack_from("<IHHiIII", data)
    assert (magic, link_type) == (NANOSECONDS, ETHERNET)
    at, frames = 24, []
    while at < len(data):
        _, _, captured, length = struct.unpack_from("<IIII", data, at)
        assert captured == length
        frames.append(data[at + 16 : at + 16 + length])
        at += 16 + length
    return frames


def write_pcap(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", NANOSECONDS, 2, 4, 0, 0, 65535, ETHERNET))
        for frame in frames:
            file.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)


def golden(system) -> dict[str, bytes]:
    """The golden packets of a system, by name."""
    text = re.sub(r"#[^\n]*", "", (VECTORS / f"{system}.hex").read_text(encoding="utf-8"))
    return {name: bytes.fromhex(digits) for name, digits in re.findall(r"\[(.+)\]([^\[]*)", text)}


def fields(wire, system, frame) -> tuple[dict[str, int], bytes]:
    """The header of a frame's system, and the bytes after it."""
    below = ("ethernet", "ipv4", "udp") if system not in ("atp", "dsa") else ("ethernet", "ipv4")
    at = sum(bits for name in below for _, bits in wire["headers"][name]) // 8
    header = {}
    for name, bits in wire["headers"][system]:
        header[name] = int.from_bytes(frame[at : at + bits // 8], "big")
        at += bits // 8
    return header, frame[at:]


def with_traffic_class(frame, traffic_class):
    """The frame with another traffic class in its IPv4 header."""
    ip = bytearray(frame[14:34])
    ip[1], ip[10:12] = traffic_class, bytes(2)
    ip[10:12] = formats.checksum(ip).to_bytes(2, "big")
    return frame[:14] + bytes(ip) + frame[34:]


def other_traffic(source, destination, traffic_class=0, protocol=6):
    """An IPv4 frame that belongs to none of the systems and has no field that is 0."""
    parts = formats.headers(protocol, source, destination, [], {}, 0)
    fields = {"identification": 0x1234, "fragment": 0x5678, "time_to_live": 0x9A, "total_length": 0xBCDE}
    frame = b"".join(formats.header_bytes(layout, content | fields) for _, layout, content in parts)
    return with_traffic_class(frame + b"something else", traffic_class)


def registration_message(source, destination):
    """A frame with the addresses and the UDP port of a registration message. A switch reads nothing
    else."""
    parts = formats.headers(UDP, source, destination, [], {}, REGISTRATION_WORDS, port=REGISTRATION_PORT)
    frame = b"".join(formats.header_bytes(layout, content) for _, layout, content in parts)
    return frame + bytes(4 * REGISTRATION_WORDS)

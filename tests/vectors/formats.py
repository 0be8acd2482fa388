# SPDX-License-Identifier: BSD-3-Clause
"""The formats of frames as layout tables: a second implementation that shares no code with
hw/protocol/wire. All fields are big-endian."""

import struct

ETHERNET = [("destination", 6), ("source", 6), ("ether_type", 2)]
IPV4 = [("version_and_length", 1), ("traffic_class", 1), ("total_length", 2), ("identification", 2),
        ("fragment", 2), ("time_to_live", 1), ("protocol", 1), ("checksum", 2), ("source", 4), ("destination", 4)]
UDP = [("source_port", 2), ("destination_port", 2), ("length", 2), ("checksum", 2)]
SWITCHML = [("job", 1), ("worker", 1), ("version_and_slot", 2), ("offset", 4), ("exponents", 2)]
ATP = [("kind", 1), ("flags", 1), ("job", 2), ("psn", 4), ("aggregator_index", 4), ("bitmap0", 4), ("bitmap1", 4),
       ("fan_in_degree0", 1), ("fan_in_degree1", 1), ("worker", 2)]
DSA = [("kind", 1), ("flags", 1), ("job", 2), ("psn", 4), ("aggregator_index", 4), ("bitmap0", 4), ("priority", 2),
       ("branch", 2), ("fan_in_degree0", 1), ("fan_in_degree1", 1), ("worker", 2)]
PS = [("kind", 1), ("flags", 1), ("job", 2), ("psn", 4), ("bitmap0", 4), ("branch", 2), ("worker", 2)]
FLOW = [("kind", 1), ("flags", 1), ("job", 2), ("psn", 4), ("sequence", 4), ("acknowledged_before", 4), ("credit", 2),
        ("worker", 2)]

# UDP ports of systems that use one number as source and destination port.
OWN_PORTS = {id(PS): 48866, id(FLOW): 48867}


def header_bytes(layout, fields):
    return b"".join(fields.get(name, 0).to_bytes(width, "big") for name, width in layout)


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def headers(protocol, source, destination, layout, fields, values, congested=False, port=None):
    """(title, layout, content) of each header. `values` 32-bit values follow the last one."""
    payload_bytes = sum(width for _, width in layout) + 4 * values
    udp = 8 if port else 0
    ip = {"version_and_length": 0x45, "traffic_class": 3 if congested else 0, "total_length": 20 + udp + payload_bytes,
          "time_to_live": 64, "protocol": protocol, "source": 0x0A000000 | source,
          "destination": 0x0A000000 | destination}
    ip["checksum"] = checksum(header_bytes(IPV4, ip))
    parts = [("Ethernet", ETHERNET, {"destination": 0x020000000000 | destination,
                                     "source": 0x020000000000 | source, "ether_type": 0x0800}),
             ("IPv4", IPV4, ip)]
    if udp:
        parts.append(("UDP", UDP, {"source_port": OWN_PORTS.get(id(layout), 48864), "destination_port": port,
                                   "length": 8 + payload_bytes}))
    parts.append(("header", layout, fields))
    return parts

# SPDX-License-Identifier: BSD-3-Clause
"""The peer of each port of the switch: a host, another switch, the registrar, or the port itself."""

import re
from dataclasses import dataclass

from hw.commands.json_input import only_keys, read_json, refuse


@dataclass(frozen=True)
class Speed:
    """`fecs`: error correction codes of Ethernet at this speed that the chip's port manager
    accepts."""

    name: str  # in the BfRt schema
    lanes: int
    fecs: tuple


SPEEDS = {
    "10Gbps": Speed("BF_SPEED_10G", 1, ("none", "fc")),
    "25Gbps": Speed("BF_SPEED_25G", 1, ("none", "fc", "rs")),
    "40Gbps": Speed("BF_SPEED_40G", 4, ("none", "fc")),
    "50Gbps": Speed("BF_SPEED_50G", 2, ("none", "fc", "rs")),
    "100Gbps": Speed("BF_SPEED_100G", 4, ("none", "rs")),
}
FECS = {"none": "BF_FEC_TYP_NONE", "fc": "BF_FEC_TYP_FC", "rs": "BF_FEC_TYP_RS"}
AUTO_NEGOTIATION = {
    "default": "PM_AN_DEFAULT",
    "on": "PM_AN_FORCE_ENABLE",
    "off": "PM_AN_FORCE_DISABLE",
}
# Clause 73 has no code for two lanes of 25 Gbps.
NOT_NEGOTIATED = "50Gbps"
NAMES = r"(host|ps)(0|[1-9]\d{0,4})|(?!host|ps)[A-Za-z0-9_]{1,32}"
PIPES = 4
PORTS_OF_PIPE = 128  # number of port numbers; those from FRONT_PORTS on are not front ports
FRONT_PORTS = 64


@dataclass(frozen=True, order=True)
class Plug:
    dev_port: int
    speed: str
    fec: str
    auto_negotiation: str = "default"

    @property
    def pipe(self):
        return self.dev_port // PORTS_OF_PIPE

    @property
    def lanes(self):
        """The lanes of the port, as port numbers."""
        return range(self.dev_port, self.dev_port + SPEEDS[self.speed].lanes)


@dataclass(frozen=True)
class Registrar:
    """The control plane's own link, by which ina-registrar registers sessions. `plug`: None if the
    port keeps its configuration, as the chip's CPU port does."""

    dev_port: int
    plug: Plug | None
    device: str  # DPDK device at the other end


@dataclass(frozen=True)
class Cabling:
    plugs: dict  # plugs by name of the peer: a host's link, or a switch
    registrar: Registrar | None
    looped: tuple = ()  # plugs of front ports in loopback


def read_cabling(path):
    """Reads a cabling file. Raises CommandError."""
    content = only_keys(read_json(path, "a cabling file"), f"{path}", ["ports"], ["registrar", "looped"])
    plugs, names = read_ports(content["ports"], path)
    looped = read_looped(content.get("looped", []), f"{path}: /looped", names, plugs)
    if "registrar" not in content:
        return Cabling(plugs, None, looped)
    place = f"{path}: /registrar"
    registrar = read_registrar(content["registrar"], place)
    lanes = registrar.plug.lanes if registrar.plug else [registrar.dev_port]
    claim_lanes(lanes, "the registrar", f"{place}/dev_port", names, plugs)
    return Cabling(plugs, registrar, looped)


def read_ports(ports, path):
    """The plugs by name, and the names by lane."""
    if not isinstance(ports, dict) or not ports:
        refuse(f"{path}: /ports", ports, "an object with host0, ps0 ...")
    plugs, names = {}, {}
    for name, fields in ports.items():
        place = f"{path}: /ports/{name}"
        if not re.fullmatch(NAMES, name, flags=re.ASCII):
            refuse(place, name, "host0, ps0 ..., and names of switches")
        plug = plugs[name] = read_plug(fields, place)
        claim_lanes(plug.lanes, name, f"{place}/dev_port", names, plugs)
    return plugs, names


def read_looped(ports, place, names, plugs):
    """The plugs of ports in loopback. They carry 100 Gbps without error correction."""
    if not isinstance(ports, list):
        refuse(place, ports, "a list of dev_port")
    looped = {}
    for at, port in enumerate(ports):
        check_front_port(port, f"{place}/{at}")
        plug = looped[f"looped port {port}"] = Plug(port, "100Gbps", "none")
        check_first_lane(plug, f"{place}/{at}")
        claim_lanes(plug.lanes, f"looped port {port}", f"{place}/{at}", names, plugs | looped)
    return tuple(looped.values())


def claim_lanes(lanes, name, place, names, plugs):
    """Records the owner of the lanes in `names`. Raises CommandError if a lane is taken."""
    for lane in lanes:
        if lane in names:
            other = plugs[names[lane]]
            taken = f"{names[lane]} has {shown(other.lanes)} at {other.speed}"
            refuse(place, lanes[0], f"lanes that no other port has; {taken}")
        names[lane] = name


def read_registrar(fields, place):
    keys = ["dev_port", "device"]
    if isinstance(fields, dict) and {"speed", "fec"} & set(fields):
        keys += ["speed", "fec"]
    fields = only_keys(fields, place, keys, ["speed", "fec", "auto_negotiation"])
    device, port = fields["device"], fields["dev_port"]
    if not isinstance(device, str) or not device:
        refuse(f"{place}/device", device, "a DPDK device, such as net_af_packet0,iface=eth0")
    if "speed" in fields:
        own = {key: value for key, value in fields.items() if key != "device"}
        return Registrar(port, read_plug(own, place), device)
    if "auto_negotiation" in fields:
        refuse(f"{place}/auto_negotiation", fields["auto_negotiation"], "with speed and fec only")
    if type(port) is not int or not 0 <= port < PIPES * PORTS_OF_PIPE:
        refuse(f"{place}/dev_port", port, f"0 to {PIPES * PORTS_OF_PIPE - 1}")
    return Registrar(port, None, device)


def read_plug(fields, place):
    optional = {"auto_negotiation": "default"}
    fields = optional | only_keys(fields, place, ["dev_port", "speed", "fec"], optional)
    check_front_port(fields["dev_port"], f"{place}/dev_port")
    choices = {"speed": SPEEDS, "fec": FECS, "auto_negotiation": AUTO_NEGOTIATION}
    for key, allowed in choices.items():
        if not isinstance(fields[key], str) or fields[key] not in allowed:
            refuse(f"{place}/{key}", fields[key], ", ".join(allowed))
    plug = Plug(fields["dev_port"], *(fields[key] for key in choices))
    check_first_lane(plug, f"{place}/dev_port")
    check_speed(plug, place)
    return plug


def check_front_port(port, place):
    is_port = type(port) is int and 0 <= port < PIPES * PORTS_OF_PIPE
    if not is_port or port % PORTS_OF_PIPE >= FRONT_PORTS:
        refuse(place, port, "0-63, 128-191, 256-319, 384-447, by pipe")


def check_first_lane(plug, place):
    """Checks that the port can have its speed. Raises CommandError."""
    lanes = SPEEDS[plug.speed].lanes
    if plug.dev_port % lanes:
        allowed = f"a multiple of {lanes} at {plug.speed}, the first of its lanes"
        refuse(place, plug.dev_port, allowed)


def check_speed(plug, place):
    """Checks that the speed allows the other settings. Raises CommandError."""
    speed = SPEEDS[plug.speed]
    if plug.fec not in speed.fecs:
        refuse(f"{place}/fec", plug.fec, f"{', '.join(speed.fecs)} at {plug.speed}")
    if plug.auto_negotiation == "on" and plug.speed == NOT_NEGOTIATED:
        allowed = f"default, off at {plug.speed}, which has no auto-negotiation"
        refuse(f"{place}/auto_negotiation", plug.auto_negotiation, allowed)


def shown(lanes):
    return f"{lanes[0]}" if len(lanes) == 1 else f"{lanes[0]} to {lanes[-1]}"

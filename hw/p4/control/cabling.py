# SPDX-License-Identifier: BSD-3-Clause
"""What each port of the switch leads to: a host, or another switch."""

import json
import re
from dataclasses import dataclass

from hw.plans.errors import CommandError

SPEEDS = {f"{gbps}Gbps": f"BF_SPEED_{gbps}G" for gbps in (10, 25, 40, 50, 100)}
FECS = {"none": "BF_FEC_TYP_NONE", "fc": "BF_FEC_TYP_FC", "rs": "BF_FEC_TYP_RS"}
NAMES = r"(host|ps)(0|[1-9]\d{0,4})|(?!host|ps)[A-Za-z0-9_]{1,32}"
PIPES = 4
PORTS_OF_PIPE = 128  # numbers; those from FRONT_PORTS on lead nowhere outside
FRONT_PORTS = 64


@dataclass(frozen=True, order=True)
class Plug:
    dev_port: int
    speed: str
    fec: str

    @property
    def pipe(self):
        return self.dev_port // PORTS_OF_PIPE


def read_cabling(path):
    """The plug of each host by the name of its link, and of other switches by theirs. Raises
    CommandError."""
    content = read_json(path)
    ports = only_keys(content, f"{path}", ["ports"])["ports"]
    if not isinstance(ports, dict) or not ports:
        refuse(f"{path}: /ports", ports, "an object with host0, ps0 ...")
    plugs, names = {}, {}
    for name, fields in ports.items():
        place = f"{path}: /ports/{name}"
        if not re.fullmatch(NAMES, name, flags=re.ASCII):
            refuse(place, name, "host0, ps0 ..., and names of switches")
        plugs[name] = read_plug(fields, place)
        port = plugs[name].dev_port
        if port in names:
            refuse(f"{place}/dev_port", port, f"a port of its own; {names[port]} has this one")
        names[port] = name
    return plugs


def read_plug(fields, place):
    fields = only_keys(fields, place, ["dev_port", "speed", "fec"])
    port = fields["dev_port"]
    is_port = type(port) is int and 0 <= port < PIPES * PORTS_OF_PIPE
    if not is_port or port % PORTS_OF_PIPE >= FRONT_PORTS:
        refuse(f"{place}/dev_port", port, "0-63, 128-191, 256-319, 384-447, by pipe")
    for key, allowed in (("speed", SPEEDS), ("fec", FECS)):
        if not isinstance(fields[key], str) or fields[key] not in allowed:
            refuse(f"{place}/{key}", fields[key], ", ".join(allowed))
    return Plug(port, fields["speed"], fields["fec"])


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=without_twins)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}; allowed: a cabling file") from None
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path}: {error}; allowed: JSON") from None


def without_twins(pairs):
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f'"{name}" twice in an object')
    return dict(pairs)


def only_keys(fields, place, names):
    allowed = f"an object with {', '.join(names)}"
    if not isinstance(fields, dict):
        refuse(place, fields, allowed)
    for name in fields:
        if name not in names:
            refuse(place, name, allowed)
    for name in names:
        if name not in fields:
            raise CommandError(f"{place}: no {name}; allowed: {allowed}")
    return fields


def refuse(place, found, allowed):
    raise CommandError(f"{place}: {json.dumps(found)}; allowed: {allowed}")

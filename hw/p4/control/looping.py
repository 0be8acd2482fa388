# SPDX-License-Identifier: BSD-3-Clause
"""Front ports in loopback, by which a pipe's packets come back in addition to its own port."""

from hw.p4.control.aggregators import all_bits
from hw.p4.control.cabling import PORTS_OF_PIPE
from hw.p4.control.entries import Entry, Exact, Table
from hw.p4.control.forwarding import of_port
from hw.p4.control.program_text import macro, number
from hw.p4.control.system import refuse

INDICES = 64  # values of the index bits that choose a port
OWN_PORT = number("shared/recirculation.p4", "RECIRCULATION_PORT")
PARSED = Table("pipe.IngressParser.looped_ports", macro("shared/recirculation.p4", "MAX_LOOPED_PORTS"))
CHOSEN = Table("pipe.Ingress.way_back.ports_of_indices", 4 * INDICES)
PORT_BITS = 9
WITHOUT = "switchml"  # program whose packets take one pass


def tables(program):
    return () if program == WITHOUT else (PARSED, CHOSEN)


def entries(cluster):
    """The packets of a slot or aggregator take one port, so that they stay in order."""
    if cluster.looped and cluster.program == WITHOUT:
        refuse("/looped", f"{len(cluster.looped)} ports in loopback", "none: no packet of the program returns")
    for plug in cluster.looped:
        yield of_port(plug, {"$LOOPBACK_MODE": "BF_LPBK_MAC_NEAR"})
    for plug in cluster.looped:
        yield Entry(PARSED, {"f1": all_bits(plug.dev_port, PORT_BITS)}, None, {})
    for pipe in sorted({plug.pipe for plug in cluster.looped}):
        own = pipe * PORTS_OF_PIPE + OWN_PORT
        ports = [own, *(plug.dev_port for plug in cluster.looped if plug.pipe == pipe)]
        for index in range(INDICES):
            key = {"pipe": Exact(pipe), "index": Exact(index)}
            data = {"looped_port": ports[index % len(ports)]}
            yield Entry(CHOSEN, key, "Ingress.way_back.take", data)

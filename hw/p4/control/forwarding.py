# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of all programs: ports, multicast groups, routes to hosts."""

from hw.p4.control import program_text
from hw.p4.control.cabling import AUTO_NEGOTIATION, FECS, SPEEDS
from hw.p4.control.entries import Entry, Exact, Table
from hw.p4.control.program_text import shared
from hw.p4.control.system import refuse

ALL_WORKERS = 0xFFFF
REGISTRAR = 0xFFFE  # same as in hw/protocol/wire/registration.hpp
ROUTES = 1024
MAX_JOBS = shared("MAX_JOBS")
PATHS = Table("pipe.Ingress.registration.registration_paths", 2 * ROUTES)
UP = program_text.number("shared/delivery.p4", "EXIT_UP")
ROOTS = Table("pipe.Ingress.delivery.roots_of_jobs", MAX_JOBS)
# Tables of the device, in which other programs may have entries.
PORTS = Table(
    "$PORT",
    known=(),
    settings=(
        "$SPEED",
        "$FEC",
        "$AUTO_NEGOTIATION",
        "$PORT_ENABLE",
        "$LOOPBACK_MODE",
        "$TX_MTU",
        "$RX_MTU",
        "$TX_PFC_EN_MAP",
        "$RX_PFC_EN_MAP",
        "$TX_PAUSE_FRAME_EN",
        "$RX_PAUSE_FRAME_EN",
        "$CUT_THROUGH_EN",
        "$PORT_DIR",
    ),
)
GROUP_NUMBERS = range(1, MAX_JOBS + 1)
NODES = Table("$pre.node", known=GROUP_NUMBERS)
GROUPS = Table("$pre.mgid", known=GROUP_NUMBERS)


def mac(host):
    return shared("ALL_WORKERS_MAC") & ~ALL_WORKERS | host


def ip(host):
    return shared("ALL_WORKERS_IP") & ~ALL_WORKERS | host


def group(job):
    """The multicast group of a job's workers. Group 0 is reserved for "no group"."""
    return job.number + 1


def hosts(cluster):
    """Hosts by number. Raises CommandError if a host is reached by two ports."""
    found = {}
    for job in cluster.jobs:
        for host in job.hosts:
            if found.setdefault(host.number, host) != host:
                ways = f"host {host.number} by ports {found[host.number].port} and {host.port}"
                refuse(f"/jobs/{job.number}", ways, "one way to a host: an address has one port")
    return [found[number] for number in sorted(found)]


def ports(cluster):
    plugs = {plug for job in cluster.jobs for plug in job.plugs}
    if cluster.registrar and cluster.registrar.plug:
        plugs.add(cluster.registrar.plug)
    for plug in sorted(plugs):
        yield of_port(plug)


def of_port(plug, settings=None):
    """`settings`: further fields of the port."""
    data = {
        "$SPEED": SPEEDS[plug.speed].name,
        "$FEC": FECS[plug.fec],
        "$AUTO_NEGOTIATION": AUTO_NEGOTIATION[plug.auto_negotiation],
        "$PORT_ENABLE": True,
    }
    return Entry(PORTS, {"$DEV_PORT": Exact(plug.dev_port)}, None, data | (settings or {}))


def multicast(cluster):
    """A group's node has the group's number, also as replication id, so that no copy is pruned."""
    for job in cluster.jobs:
        number = group(job)
        copies = {"$MULTICAST_LAG_ID": [], "$DEV_PORT": job.ports_of_group}
        node = {"$MULTICAST_RID": number} | copies
        yield Entry(NODES, {"$MULTICAST_NODE_ID": Exact(number)}, None, node)
    for job in cluster.jobs:
        number = group(job)
        nodes = {
            "$MULTICAST_NODE_ID": [number],
            "$MULTICAST_NODE_L1_XID_VALID": [False],
            "$MULTICAST_NODE_L1_XID": [0],
        }
        yield Entry(GROUPS, {"$MGID": Exact(number)}, None, nodes)


def registration_paths(cluster):
    """The ports by which registration messages may pass between hosts and the registrar."""
    if cluster.registrar is None:
        return
    port = cluster.registrar.dev_port
    for host in hosts(cluster):
        if host.port == port:
            continue  # the messages do not pass this switch
        for ingress, source, destination in (
            (host.port, host.number, REGISTRAR),
            (port, REGISTRAR, host.number),
        ):
            key = {
                "intrinsic.ingress_port": Exact(ingress),
                "ethernet.source": Exact(mac(source)),
                "ethernet.destination": Exact(mac(destination)),
            }
            yield Entry(PATHS, key, "Ingress.registration.let_pass", {})


def routes(cluster, control):
    """`control`: path of the instance of Forwarding."""
    table = Table(f"pipe.{control}.routes", ROUTES)
    ports_of = {host.number: host.port for host in hosts(cluster)}
    if cluster.registrar:
        ports_of[REGISTRAR] = cluster.registrar.dev_port
    for number, port in ports_of.items():
        key = {"ethernet.destination": Exact(mac(number))}
        yield Entry(table, key, f"{control}.send", {"port": port})


def delivery(cluster):
    """Entries of ATP and DSA: frames of a job to all of its workers, sums to the root, and the
    routes of all other frames."""
    table = Table("pipe.Ingress.delivery.workers_of_job", MAX_JOBS)
    for job in cluster.jobs:
        key = {
            "ethernet.destination": Exact(shared("ALL_WORKERS_MAC")),
            "has_job": Exact(1),
            "job": Exact(job.id),
        }
        yield Entry(table, key, "Ingress.delivery.spread", {"workers": group(job)})
    for job in cluster.jobs:
        if job.up:
            key = {"way_out": Exact(UP), "job": Exact(job.id)}
            yield Entry(ROOTS, key, "Ingress.delivery.climb", {"port": job.up.dev_port})
    yield from routes(cluster, "Ingress.delivery.forwarding")

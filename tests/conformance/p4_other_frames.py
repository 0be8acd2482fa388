# SPDX-License-Identifier: BSD-3-Clause
"""Tests for frames that golden traces do not contain: foreign frames, and single broken ones."""

from dataclasses import replace

import golden_traces
from frames import UDP, other_traffic, registration_message, with_traffic_class

from hw.p4.control import forwarding
from hw.p4.control.entries import Entry, Exact, Table
from hw.p4.control.job import Host
from hw.p4.control.loading import entries_of
from hw.p4.ptf.golden_trace import frame_in, frame_out, receivers
from hw.p4.ptf.golden_trace import golden_traces as all_golden_traces

TCP = 6
SENDER, RECEIVER, LINK, NOBODY, GROUP = 4, 1, 50, 57, 58  # their ports exist on the chip
UDP_CHECKSUM = 40
# IPv4's ECN field on arrival, and on departure through a long queue (RFC 3168).
MARKS = {0: 0, 1: 3, 2: 3, 3: 3}
CONGESTED = 3


def sums(program):
    """The golden trace with the jobs of these tests."""
    return next(golden_trace for golden_trace in all_golden_traces() if golden_trace.program == program and golden_trace.name.endswith("sums"))


def differences(player, program):
    """Yields the differences between the program's behaviour and the expected one, for each of
    these frames."""
    player.load(sums(program))
    for says, host, frame, expected in [
        *forwarded(player.setting.marks),
        *of_other_systems(player, program),
        *dropped(program),
    ]:
        for difference in player.difference(player.send(host, frame), expected):
            yield f"{says}: {difference}"
    yield from (f"behind broken frames, {difference}" for difference in player.differences(sums(program)))
    yield from of_padding(player, program)
    yield from of_group(player, program)
    yield from of_registration(player, program)
    if program.startswith("switchml"):
        yield from of_udp_checksums(player, program)
    else:
        yield from of_tree(player, program)


def forwarded(marks):
    for ecn, leaves in MARKS.items():
        for protocol in (TCP, UDP):
            frame = other_traffic(SENDER, RECEIVER, ecn, protocol)
            expected = with_traffic_class(frame, leaves if marks else ecn)
            yield f"protocol {protocol} with ECN field {ecn}", SENDER, frame, [(RECEIVER, expected)]
    plain = other_traffic(SENDER, RECEIVER)
    for says, frame in (
        ("of another type", plain[:12] + bytes.fromhex("0806") + plain[14:]),
        ("a VLAN tag", plain[:12] + bytes.fromhex("81000005") + plain[12:]),
        ("IPv4 options", plain[:14] + b"\x46" + plain[15:]),
    ):
        yield says, SENDER, frame, [(RECEIVER, frame)]


def of_other_systems(player, program):
    """Frames of other systems are ordinary traffic, too, but they may be marked."""
    for system in ("switchml", "atp", "dsa"):
        if not program.startswith(system):
            packet = {"kind": golden_traces.GRADIENT, "job": 1, "psn": 7, "aggregator_index": 5, "worker": 0, "source": SENDER,
                      "destination": RECEIVER, "values": golden_traces.line(1)}  # fmt: skip
            frame = golden_traces.frame_of(system, packet)
            yield f"a frame of {system}", SENDER, frame, [(RECEIVER, player.marked(system, frame))]
            if system != "switchml":
                flagged = golden_traces.frame_of(system, packet | {"flags": golden_traces.ECN})
                without = with_traffic_class(flagged, 0)
                says = f"a frame of {system} with its flag, but not IPv4's mark"
                yield says, SENDER, without, [(RECEIVER, with_traffic_class(flagged, CONGESTED))]


def dropped(program):
    first = sums(program).steps[0]
    own = frame_in(first)
    for says, frame in (
        ("an address without a route", other_traffic(SENDER, NOBODY)),
        ("a wrong checksum", with_wrong_checksum(own)),
        ("a byte too few", own[:-1]),
        ("half a header", own[:40]),
        ("less than IPv4's header", own[:20]),
        ("less than Ethernet's", own[:9]),
    ):
        yield says, first["ingress"], frame, []
    yield "other traffic with a wrong checksum", SENDER, with_wrong_checksum(other_traffic(SENDER, RECEIVER)), []


def with_wrong_checksum(frame):
    return frame[:24] + bytes([frame[24] ^ 1]) + frame[25:]


def of_padding(player, program):
    """Bytes after a frame are forwarded after it."""
    golden_trace = sums(program)
    player.load(golden_trace)
    for step in golden_trace.steps:
        expected = [(host, player.marked(golden_trace.system, frame_out(step)) + b"pad") for host in receivers(step)]
        yield from player.difference(player.send(step["ingress"], frame_in(step) + b"pad", step["at_us"]), expected)


def of_group(player, program):
    """An address may lead to several ports. The control plane itself installs no such address."""
    path = f"pipe.Ingress.{'' if program.startswith('switchml') else 'delivery.'}forwarding.routes"
    key = {"ethernet.destination": Exact(forwarding.mac(GROUP))}
    player.device.load_one(Entry(Table(path), key, f"{path.removesuffix('routes')}spread", {"group": 2}))
    receivers_of_job = sums(program).jobs["1"]["workers"]
    frame = other_traffic(SENDER, GROUP)
    yield from player.difference(player.send(SENDER, frame), [(host, frame) for host in receivers_of_job])


def of_registration(player, program):
    """Only registration messages to or from the registrar pass, and only at their sender's port.
    Without a registrar, none pass."""
    registrar = forwarding.REGISTRAR
    ways = {(SENDER, registrar): (SENDER, LINK), (registrar, RECEIVER): (LINK, RECEIVER)}
    for link in (LINK, None):
        player.load(sums(program), link)
        for addresses in (*ways, (SENDER, RECEIVER), (registrar, NOBODY), (NOBODY, registrar)):
            frame = registration_message(*addresses)
            came, leaves = ways.get(addresses, (None, None)) if link else (None, None)
            for host in (SENDER, RECEIVER, LINK, NOBODY):
                expected = [(leaves, frame)] if host == came else []
                for difference in player.difference(player.send(host, frame), expected):
                    yield f"a registration message from {addresses[0]} to {addresses[1]} at the port of {host}: {difference}"


def of_tree(player, program):
    """A leaf's sum leaves by the port to the root, even if the address of its server leads
    elsewhere."""
    leaf = next(one for one in all_golden_traces() if one.name == f"{program}-leaf")
    cluster = leaf.cluster(player.plug_of)
    jobs = (replace(job, servers=(Host(job.servers[0].number, player.plug_of(NOBODY)),)) for job in cluster.jobs[:1])
    player.device.load(entries_of(replace(cluster, jobs=tuple(jobs))))
    for step in leaf.steps[:2]:
        expected = [(host, player.marked(leaf.system, frame_out(step))) for host in receivers(step)]
        yield from player.difference(player.send(step["ingress"], frame_in(step), step["at_us"]), expected)


def of_udp_checksums(player, program):
    """A result has no UDP checksum, even if its update had one."""
    golden_trace = sums(program)
    player.load(golden_trace)
    for step in golden_trace.steps:
        came = frame_in(step)[:UDP_CHECKSUM] + b"\x12\x34" + frame_in(step)[UDP_CHECKSUM + 2 :]
        expected = [(host, player.marked(golden_trace.system, frame_out(step))) for host in receivers(step)]
        yield from player.difference(player.send(step["ingress"], came, step["at_us"]), expected)

# SPDX-License-Identifier: BSD-3-Clause
"""Sessions of a job at a switch with a P4 program: the registrar and the workers receive each
other's messages, and no sum contains a part of an earlier session."""

import struct
from dataclasses import replace

import control
import p4_text
import pytest
from p4_interpreter.device import Left
from p4_switch import ControlledSwitch

from hw.p4.control import forwarding
from hw.p4.control.cabling import Plug, Registrar
from hw.p4.control.linking import linked
from hw.p4.control.loading import entries_of
from hw.p4.control.registering import register_job
from hw.p4.ptf.golden_trace import golden_traces

REGISTRAR_PORT = 192
JOB = 1
LATER_ID = 3
FIRST_VALUE = {"switchml": 52, "atp": 62, "dsa": 62}
ADDED = 100_000  # to the values of the second session
each_program = pytest.mark.parametrize("program", p4_text.NAMES)


@pytest.fixture(scope="module")
def sources():
    return {program: p4_text.preprocessed(program) for program in p4_text.NAMES}


def port_of(host):
    return 8 + host


TRACES = {one.name: one for one in golden_traces()}


def sums(program):
    """The golden trace with complete sums of two jobs."""
    return next(one for name, one in TRACES.items() if one.program == program and name.endswith("sums"))


def played(*systems):
    """Names of golden traces with complete sums: at the only switch of the jobs, at a leaf, and at
    a root."""
    ends = ("sums", "leaf", "root", "second-level")
    return [name for name, one in TRACES.items() if one.system in systems and name.endswith(ends)]


def cluster_of(golden_trace):
    cluster = golden_trace.cluster(lambda host: Plug(port_of(host), "100Gbps", "none"))
    return replace(cluster, registrar=Registrar(REGISTRAR_PORT, None, "net_null0"))


def switch_with(sources, cluster):
    return ControlledSwitch(sources[cluster.program], entries_of(cluster))


@each_program
def test_registration_messages_are_forwarded_unchanged(sources, wire, program):
    registration = wire["registration"]
    device = switch_with(sources, cluster_of(sums(program))).device
    join, welcome = (bytes.fromhex(registration[kind]) for kind in ("join", "welcome"))
    assert registration["registrar"] == forwarding.REGISTRAR
    worker_port = port_of(registration["worker"])
    assert device.send(worker_port, join, 0) == [Left(REGISTRAR_PORT, join)]
    assert device.send(REGISTRAR_PORT, welcome, 0) == [Left(worker_port, welcome)]


@each_program
@pytest.mark.parametrize("kind", ["join", "welcome"])
def test_a_registration_message_that_another_host_forges_changes_nothing(sources, wire, program, kind):
    """The message is forged in the name of a member of the job, or of the registrar."""
    registration = wire["registration"]
    cluster = cluster_of(sums(program))
    switch, latter = switch_with(sources, cluster), Program(sums(program), JOB)
    forged = bytes.fromhex(registration[kind])
    own_port = {"join": port_of(registration["worker"]), "welcome": REGISTRAR_PORT}[kind]
    others = {plug.dev_port for job in cluster.jobs for plug in job.plugs} | {REGISTRAR_PORT, port_of(77)}
    for port in others - {own_port}:
        assert switch.device.send(port, forged, 0) == []
    assert list(latter.play(switch)) == own_sums(sources, cluster, latter, JOB)


TREE = {"workers": [1, 2, 3], "racks": [0, 0, 1], "first_slot": 0, "slots": 8}  # hosts 1 and 2 are at a leaf
TRUNK = 70
SERVERS = {"atp": {"server": 9}, "dsa": {"server": 9}}


@each_program
def test_registration_messages_pass_a_leaf_by_its_hosts_own_ports(sources, wire, program):
    registration = wire["registration"]
    jobs = {"0": TREE | SERVERS.get(program, {})}
    leaf, root = (
        control.cluster(program, jobs, {"rack": rack, "root": 1, "ports": {f"{TRUNK}": [1 - rack]}}) for rack in (0, 1)
    )
    root = replace(root, registrar=Registrar(REGISTRAR_PORT, None, "net_null0"))
    leaf, root = (switch_with(sources, one).device for one in linked([leaf, root], len(jobs)))
    join, welcome = (bytes.fromhex(registration[kind]) for kind in ("join", "welcome"))
    worker_port, trunk = port_of(registration["worker"]), port_of(TRUNK)
    assert leaf.send(worker_port, join, 0) == [Left(trunk, join)]
    assert root.send(trunk, join, 0) == [Left(REGISTRAR_PORT, join)]
    assert root.send(REGISTRAR_PORT, welcome, 0) == [Left(trunk, welcome)]
    assert leaf.send(trunk, welcome, 0) == [Left(worker_port, welcome)]
    assert leaf.send(port_of(2), join, 0) == leaf.send(port_of(2), welcome, 0) == []
    assert root.send(port_of(3), join, 0) == root.send(port_of(3), welcome, 0) == []


class Program:
    """The packets of the job in the golden trace, under an id."""

    def __init__(self, golden_trace, id_, added=0):
        self.golden_trace, self.id, self.added = golden_trace, id_, added
        system = golden_trace.system
        self.steps = [step for step in golden_trace.steps if job_in(system, bytes.fromhex(step["frame"])) == JOB]

    def frame(self, step):
        system = self.golden_trace.system
        frame = bytearray.fromhex(step["frame"])
        if system == "switchml":
            frame[42] = self.id
        else:
            frame[36:38] = self.id.to_bytes(2, "big")
        values = frame[FIRST_VALUE[system] :]
        numbers = struct.unpack(f">{len(values) // 4}i", values)
        frame[FIRST_VALUE[system] :] = struct.pack(f">{len(numbers)}i", *(one + self.added for one in numbers))
        return bytes(frame)

    def play(self, switch, count=None):
        """Yields the output for each of the first `count` packets, or for all."""
        for step in self.steps[:count]:
            yield sorted(switch.device.send(port_of(step["ingress"]), self.frame(step), step["at_us"]))


def job_in(system, frame):
    return frame[42] if system == "switchml" else int.from_bytes(frame[36:38], "big")


def own_sums(sources, cluster, packets, id_):
    """The output on a fresh switch."""
    jobs = tuple(replace(job, registered_as=id_) if job.number == JOB else job for job in cluster.jobs)
    switch = switch_with(sources, replace(cluster, jobs=jobs))
    return list(packets.play(switch))


@pytest.mark.parametrize("name", played("switchml"))
def test_the_next_session_of_switchml_has_sums_of_its_own(sources, name):
    """The earlier session may end after any packet. Both sessions use the same PSNs in the same
    slots."""
    cluster = cluster_of(TRACES[name])
    former, latter = Program(TRACES[name], JOB), Program(TRACES[name], LATER_ID, ADDED)
    expected = own_sums(sources, cluster, latter, LATER_ID)
    assert any(expected)
    for count in range(len(former.steps) + 1):
        switch = switch_with(sources, cluster)
        list(former.play(switch, count))
        register_job(switch, cluster, JOB, LATER_ID)
        assert list(former.play(switch)) == [[]] * len(former.steps)
        assert list(latter.play(switch)) == expected, count


@pytest.mark.parametrize("name", played("atp", "dsa"))
def test_an_id_that_comes_round_again_finds_no_aggregator_of_its_own(sources, name):
    cluster = cluster_of(TRACES[name])
    former, latter = Program(TRACES[name], JOB), Program(TRACES[name], JOB, ADDED)
    expected = own_sums(sources, cluster, latter, JOB)
    assert any(expected)
    for count in range(len(former.steps) + 1):
        switch = switch_with(sources, cluster)
        list(former.play(switch, count))
        between = register_job(switch, cluster, JOB, LATER_ID)
        assert list(former.play(switch)) == [[]] * len(former.steps)
        register_job(switch, between, JOB, JOB, again=True)
        assert list(latter.play(switch)) == expected, count


def test_a_session_under_an_id_that_left_aggregators_would_get_their_sums(sources):
    cluster = cluster_of(sums("atp"))
    former, latter = Program(sums("atp"), JOB), Program(sums("atp"), JOB, ADDED)
    switch = switch_with(sources, cluster)
    list(former.play(switch, 1))
    between = register_job(switch, cluster, JOB, LATER_ID)
    register_job(switch, between, JOB, JOB)
    assert list(latter.play(switch)) != own_sums(sources, cluster, latter, JOB)

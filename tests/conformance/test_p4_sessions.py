# SPDX-License-Identifier: BSD-3-Clause
"""Sessions of a job at a switch with a P4 program: the registrar gets the workers' messages and they its answers, and no sum has
a part of an earlier session."""

import struct
from dataclasses import replace

import p4_text
import pytest
from p4_interpreter.device import Left
from p4_switch import ControlledSwitch

from hw.p4.control import fabric
from hw.p4.control.cabling import Plug, Registrar
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


def sums(program):
    """The golden trace of two jobs whose sums are complete."""
    return next(one for one in golden_traces() if one.program == program and one.name.endswith("sums"))


def cluster_of(program):
    cluster = sums(program).cluster(lambda host: Plug(port_of(host), "100Gbps", "none"))
    return replace(cluster, registrar=Registrar(REGISTRAR_PORT, None, "net_null0"))


def switch_with(sources, cluster):
    return ControlledSwitch(sources[cluster.program], entries_of(cluster))


@each_program
def test_registration_messages_are_forwarded_unchanged(sources, wire, program):
    registration = wire["registration"]
    device = switch_with(sources, cluster_of(program)).device
    join, welcome = (bytes.fromhex(registration[kind]) for kind in ("join", "welcome"))
    assert registration["registrar"] == fabric.REGISTRAR
    worker_port = port_of(registration["worker"])
    assert device.send(worker_port, join, 0) == [Left(REGISTRAR_PORT, join)]
    assert device.send(REGISTRAR_PORT, welcome, 0) == [Left(worker_port, welcome)]


@each_program
@pytest.mark.parametrize("kind", ["join", "welcome"])
def test_a_registration_message_that_another_host_forges_changes_nothing(sources, wire, program, kind):
    """In the name of a member of the job, or in that of the registrar."""
    registration = wire["registration"]
    cluster = cluster_of(program)
    switch, latter = switch_with(sources, cluster), Program(sums(program), JOB)
    forged = bytes.fromhex(registration[kind])
    own_port = {"join": port_of(registration["worker"]), "welcome": REGISTRAR_PORT}[kind]
    others = {plug.dev_port for job in cluster.jobs for plug in job.plugs} | {REGISTRAR_PORT, port_of(77)}
    for port in others - {own_port}:
        assert switch.device.send(port, forged, 0) == []
    assert list(latter.play(switch)) == own_sums(sources, cluster, latter, JOB)


class Program:
    """The packets that the golden trace has of the job, under an id."""

    def __init__(self, golden_trace, id_, added=0):
        self.golden_trace, self.id, self.added = golden_trace, id_, added
        of_job = golden_trace.jobs[str(JOB)]
        hosts = {*of_job["workers"], of_job.get("server")}
        self.steps = [step for step in golden_trace.steps if step["ingress"] in hosts]

    def frame(self, step):
        system = self.golden_trace.system
        frame = bytearray.fromhex(step["frame"])
        assert self.golden_trace.steps and job_in(system, frame) == JOB
        if system == "switchml":
            frame[42] = self.id
        else:
            frame[36:38] = self.id.to_bytes(2, "big")
        values = frame[FIRST_VALUE[system] :]
        numbers = struct.unpack(f">{len(values) // 4}i", values)
        frame[FIRST_VALUE[system] :] = struct.pack(f">{len(numbers)}i", *(one + self.added for one in numbers))
        return bytes(frame)

    def play(self, switch, count=None):
        """What each of the first `count` packets makes leave; None: of all."""
        for step in self.steps[:count]:
            yield sorted(switch.device.send(port_of(step["ingress"]), self.frame(step), step["at_us"]))


def job_in(system, frame):
    return frame[42] if system == "switchml" else int.from_bytes(frame[36:38], "big")


def own_sums(sources, cluster, program, id_):
    """What leaves if nothing was before."""
    jobs = tuple(replace(job, registered_as=id_) if job.number == JOB else job for job in cluster.jobs)
    switch = switch_with(sources, replace(cluster, jobs=jobs))
    return list(program.play(switch))


@pytest.mark.parametrize("program", ["switchml", "switchml64"])
def test_the_next_session_of_switchml_has_sums_of_its_own(sources, program):
    """The former one may have ended behind any packet. Both have the same PSNs in the same slots."""
    cluster = cluster_of(program)
    former, latter = Program(sums(program), JOB), Program(sums(program), LATER_ID, ADDED)
    expected = own_sums(sources, cluster, latter, LATER_ID)
    assert any(expected)
    for count in range(len(former.steps) + 1):
        switch = switch_with(sources, cluster)
        list(former.play(switch, count))
        register_job(switch, cluster, JOB, LATER_ID)
        assert list(former.play(switch)) == [[]] * len(former.steps)
        assert list(latter.play(switch)) == expected, count


@pytest.mark.parametrize("program", ["atp", "dsa"])
def test_an_id_that_comes_round_again_finds_no_aggregator_of_its_own(sources, program):
    cluster = cluster_of(program)
    former, latter = Program(sums(program), JOB), Program(sums(program), JOB, ADDED)
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
    cluster = cluster_of("atp")
    former, latter = Program(sums("atp"), JOB), Program(sums("atp"), JOB, ADDED)
    switch = switch_with(sources, cluster)
    list(former.play(switch, 1))
    between = register_job(switch, cluster, JOB, LATER_ID)
    register_job(switch, between, JOB, JOB)
    assert list(latter.play(switch)) != own_sums(sources, cluster, latter, JOB)

# SPDX-License-Identifier: BSD-3-Clause
"""The entries of hw/p4/control admit the same frames as the member table of the switch models, and
select the right action of the P4 programs. The tests do not forge fields that the programs ignore
(hw/p4/README.md): addresses, and ATP's bitmaps of the second level and of all frames except
gradients."""

import json
import os
import random
import subprocess

import pytest
import golden_traces
from control import Members, header_of

from hw.p4.ptf.golden_trace import golden_traces as golden_traces_of_files
from hw.p4.ptf.golden_trace import servers_of

SYSTEMS = ("switchml", "atp", "dsa")
SEED = 2021
FORGERIES = 4000
EVERY_TRACE = {one.name: one for one in golden_traces_of_files()}
GOLDEN_TRACES = {name: one for name, one in EVERY_TRACE.items() if one.switch is None}
OF_LEVELS = {name: one for name, one in EVERY_TRACE.items() if one.switch}
GRADIENT, RESULT, REMINDER, REQUEST, NOTIFICATION, RELEASE = range(1, 7)
FLAGS = [1 << bit for bit in range(8)]
FLUSH = 3  # STEP_FLUSH of atp/types.p4
AGGREGATORS = 16384


def admitted(system, values_per_packet, jobs, frames, switch=None):
    """Whether the switch models admit each [ingress, bytes]."""
    asked = {"system": system, "values_per_packet": values_per_packet, "jobs": jobs,
             "frames": [[ingress, frame.hex()] for ingress, frame in frames]}  # fmt: skip
    asked |= {"switch": switch} if switch else {}
    done = subprocess.run([os.environ["PRINT_MEMBERS"]], input=json.dumps(asked), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def treatment(system, jobs, frame):
    """The expected action for an admitted frame. None: the program has no such cell."""
    fields = header_of(system, frame)
    job = jobs[str(fields["job"])]
    workers = len(job["workers"])
    if system == "switchml":
        slot, version = fields["version_and_slot"] & 0x7FFF, fields["version_and_slot"] >> 15
        room = 0x8000 * (1 + version) - job["slots"]
        data = {"first": job["first_slot"], "room": room & 0xFFFF, "worker_bit": 1 << fields["worker"],
                "others": workers - 1, "workers": fields["job"] + 1}  # fmt: skip
        return ("admit", data) if slot < job["slots"] else None
    if fields["aggregator_index"] >= AGGREGATORS:
        return None
    flags, kind = fields["flags"], fields["kind"]
    if kind != GRADIENT:
        frees = {"atp": {RESULT: "bring_parameters"}, "dsa": {RESULT: "bring_result", REMINDER: "fetch_and_free"}}
        return frees[system].get(kind, "pass_through"), {}
    if system == "atp":
        if not flags & golden_traces.RESEND:
            return "contribute", {"others": workers - 1, "expected": (1 << workers) - 1 - (1 << fields["worker"])}
        return ("pass_through", {}) if flags & golden_traces.FLOATS else ("resend", {"step": FLUSH})
    others = {"others": (1 << workers) - 1 - (1 << fields["worker"])}
    if flags & golden_traces.ANSWER:
        return "pass_through", {}
    if flags & golden_traces.RESEND:
        return "contribute_again", others
    return ("contribute", others) if workers > 1 else ("contribute_alone", {})


def arrivals(golden_trace):
    return [(step["ingress"], bytes.fromhex(step["frame"])) for step in golden_trace.steps]


@pytest.mark.parametrize("name", GOLDEN_TRACES)
def test_frames_of_golden_traces_are_admitted(name):
    one = GOLDEN_TRACES[name]
    assert all(admitted(one.system, one.values_per_packet, one.jobs, arrivals(one)))
    members = Members(one.system, one.jobs)
    for ingress, frame in arrivals(one):
        assert members.of(frame, ingress) == treatment(one.system, one.jobs, frame)


@pytest.mark.parametrize("name", OF_LEVELS)
def test_frames_of_golden_traces_are_admitted_at_each_level(name):
    one = OF_LEVELS[name]
    assert all(admitted(one.system, one.values_per_packet, one.jobs, arrivals(one), one.switch))
    members = Members(one.system, one.jobs, one.switch)
    for ingress, frame in arrivals(one):
        assert members.of(frame, ingress) is not None


@pytest.mark.parametrize("name", EVERY_TRACE)
def test_frames_of_golden_traces_are_refused_at_any_other_port(name):
    """Exceptions (hw/p4/README.md): reminders across switches, since only addresses tell their
    senders apart, and frames at the port of another server."""
    one = EVERY_TRACE[name]
    members = Members(one.system, one.jobs, one.switch)
    servers = [set(servers_of(job)) for job in one.jobs.values()]
    hosts = {0}.union(*servers, *(job["workers"] for job in one.jobs.values()))
    trunks = {int(port) for port in one.switch["ports"]} if one.switch else set()
    for ingress, frame in arrivals(one):
        is_reminder = one.system == "dsa" and header_of("dsa", frame)["kind"] == REMINDER
        same = {ingress}.union(*(some for some in servers if ingress in some))
        for port in (hosts | trunks) - same if not (trunks and is_reminder) else ():
            assert members.of(frame, port) is None


class Forger:
    """Almost correct frames. Each comes from some host, in its own name or in another's."""

    def __init__(self, system, jobs):
        self.system, self.jobs = system, jobs
        self.random = random.Random(SEED)
        self.hosts = [*{host for job in jobs.values() for host in [*job["workers"], job.get("server", 7)]}, 50]

    def frame(self):
        draw = self.random
        number, job = draw.choice(list(self.jobs.items()))
        worker = draw.randrange(len(job["workers"]))
        kind = draw.choice([GRADIENT] * 4 + [RESULT, REMINDER, REQUEST, NOTIFICATION, RELEASE])
        if self.system == "switchml":
            kind = draw.choice([GRADIENT] * 4 + [RESULT])
        of_server = kind in (RESULT, REMINDER, REQUEST)
        ingress = job.get("server", 7) if of_server else job["workers"][worker]
        packet = {"kind": kind, "job": int(number), "worker": worker, "psn": draw.getrandbits(32),
                  "aggregator_index": draw.choice([0, 7, 8, 15, 16, 16383]),
                  "flags": sum(draw.sample(FLAGS, draw.choice([0, 0, 1, 2])))}  # fmt: skip
        if self.system != "switchml":
            packet["bitmap0"] = 0 if of_server else 1 << worker
            packet["fan_in_degree0"] = len(job["workers"])
        for _ in range(draw.choice([0, 0, 1, 1, 2])):
            self.forge(packet)
        ingress = draw.choice(self.hosts) if draw.random() < 0.2 else ingress
        return ingress, golden_traces.frame_of(self.system, self.addressed(packet, ingress))

    def forge(self, packet):
        kept = {"kind", "psn"}
        if self.system == "atp" and packet["kind"] != GRADIENT:
            kept |= {"bitmap0"}
        name = self.random.choice([name for name in packet if name not in kept])
        choices = {
            "job": [0, 1, 2, 3, 255],
            "worker": [0, 1, 2, 3, 31, 32, 255],
            "aggregator_index": [16, 64, 16383, 16384, 32767] if self.system == "switchml" else [16384, 1 << 20, 2**32 - 1],
            "flags": range(256),
            "bitmap0": [0, 1, 2, 3, 4, 7, 2**31, 2**32 - 1],
            "fan_in_degree0": range(5),
        }
        packet[name] = self.random.choice(choices[name])

    def addressed(self, packet, ingress):
        """The frame with addresses that match its content."""
        job = self.jobs.get(str(packet["job"]), {})
        if self.system == "switchml":
            to = ingress
        else:
            to = golden_traces.ALL_WORKERS if packet["kind"] in (RESULT, REQUEST) else job.get("server", 0)
        values = {"values": golden_traces.const(1)} if packet["kind"] in (GRADIENT, RESULT, REMINDER) else {}
        return packet | {"source": ingress, "destination": to} | values


@pytest.mark.parametrize("system", SYSTEMS)
def test_admits_what_the_switch_models_admit(system):
    print(f"seed {SEED}")
    jobs = {
        "0": {"workers": [11, 10], "server": 20, "first_slot": 16, "slots": 8},
        "2": {"workers": [12, 13, 14], "server": 21, "first_slot": 0, "slots": 16},
        "255": {"workers": list(range(100, 132)), "server": 22, "first_slot": 64, "slots": 64},
    }
    if system == "switchml":
        for job in jobs.values():
            del job["server"]
    else:
        jobs["1"] = {"workers": [15], "server": 23}
    forger = Forger(system, jobs)
    frames = [forger.frame() for _ in range(FORGERIES)]
    members = Members(system, jobs)
    treatments = set()
    refused = 0
    admits = admitted(system, golden_traces.VALUES_PER_PACKET[system], jobs, frames)
    for (ingress, frame), is_admitted in zip(frames, admits, strict=True):
        expected = treatment(system, jobs, frame) if is_admitted else None
        assert members.of(frame, ingress) == expected, f"host {ingress}: {header_of(system, frame)}"
        refused += expected is None
        treatments |= {expected[0]} if expected else set()
    assert refused > FORGERIES / 10
    assert len(treatments) == {"switchml": 1, "atp": 4, "dsa": 6}[system]

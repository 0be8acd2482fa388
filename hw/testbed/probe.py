# SPDX-License-Identifier: BSD-3-Clause
"""Probes the links between the machines of an inventory. Interfaces of the kernel get frames that name
their sender. Ports that belong to DPDK are probed by the programs themselves, in a small run."""

import json
import re
import selectors
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from hw.commands.errors import CommandError
from hw.commands.inputs import Limits
from hw.testbed.inventory import device_of, is_pci
from hw.testbed.lab import LabLinks
from hw.testbed.machines import RUN
from hw.testbed.namespaces import MTU

ETHERNET_BYTES = 14
BROADCAST_BYTES, SMALL_BYTES, LARGE_BYTES = 90, 100, MTU + ETHERNET_BYTES
PROBE_SIZES = (BROADCAST_BYTES, SMALL_BYTES, LARGE_BYTES)
PROBE_S = 1.0
PROGRAMS_S = 60  # limit of a small run
SURE_LINES = 3  # a worker that waits says so every 5 s; the first time, others may still be starting
MOST_WORKERS = 32  # of a job under one switch
READ_BYTES = 2**16
LIMITS = Limits(least_timeout_ps=20 * 10**9, most_packets=256)
# The largest frames, for all hosts; then small ones, which also pass servers.
LARGEST = {"system": "switchml", "switchml": {"values_per_packet": 366, "slots": 32}}
WITH_SERVERS = {"system": "ps"}
PROFILE = {
    "name": "probe",
    "partition_bytes": "20kB",
    "layers": [{"parameters": 5000, "forward": "1us", "backward": "1us"}],
}


@dataclass(frozen=True)
class Finding:
    """`mend`: the command, or the change of the inventory, that mends it."""

    machine: str
    text: str
    mend: str

    def __str__(self):
        return f"{self.machine}: {self.text}; mend: {self.mend}"


@dataclass(frozen=True)
class End:
    """A port. `port`: an interface that can be probed."""

    machine: str
    process: str
    peer: str  # "": a host has one port
    port: str

    def __str__(self):
        return f"{self.process}{f' to {self.peer}' if self.peer else ''} ({self.machine}, {self.port})"


def links_to_probe(inventory, facts):
    """Pairs of ends of links, those of the switches first: pairs of interfaces, and other pairs.
    Links of ports that do not exist are left out, since the ports are findings."""
    ends = {}
    for machine in inventory.machines.values():
        for placed in machine.processes.values():
            for peer, port in placed.ports.items():
                ends[placed.name, peer] = End(machine.name, placed.name, peer, port)
    pairs, others = [], []
    for (process, peer), end in ends.items():
        if not peer or (peer, process) in ends and (peer, process) < (process, peer):
            continue  # the other end has the link's name
        other = ends.get((peer, process)) or ends.get((peer, ""))
        if other is None:
            continue  # the inventory has more ports than hosts
        if any(is_missing(one, facts) for one in (end, other)):
            continue
        both = [interface_of(one, facts) for one in (end, other)]
        if all(both):
            pairs.append(tuple(both))
        else:
            others.append((end, other))
    return pairs, others


def is_missing(end, facts):
    return end.machine in facts and facts[end.machine]["ports"][end.port] is None


def interface_of(end, facts):
    """The end with an interface of the kernel, or None."""
    there = facts.get(end.machine, {"ports": {}})["ports"].get(end.port)
    if there is None:
        return None
    if not is_pci(end.port):
        return end
    if there["interfaces"]:
        return End(end.machine, end.process, end.peer, there["interfaces"][0])
    return None


def probe(machines, pairs):
    """Sends frames over all links at once, and compares the received ones with the inventory."""
    requests = {}
    by_name = {}
    for end in (end for pair in pairs for end in pair):
        request = requests.setdefault(
            end.machine, {"do": "probe", "sizes": PROBE_SIZES, "seconds": PROBE_S, "interfaces": {}}
        )
        request["interfaces"][end.port] = [end.machine, end.process, end.peer]
        by_name[end.machine, end.process, end.peer] = end
    answers = machines.ask_all(requests)
    for pair in pairs:
        yield from pair_findings(pair, answers, by_name, machines.inventory)


def pair_findings(pair, answers, by_name, inventory):
    """At most one finding for a link."""
    for end, expected in (pair, reversed(pair)):
        answer = answers[end.machine]
        if error := answer["errors"].get(end.port):
            yield Finding(end.machine, f"{end}: {error}", "look at the other findings of this port")
            return
        received = answer["received"][end.port]
        senders = {by_name[tuple(sender)] for sender, _ in received if tuple(sender) in by_name}
        sizes = {size for sender, size in received if by_name.get(tuple(sender)) == expected}
        if others := sorted(map(str, senders - {expected})):
            if expected in senders:
                text = f"{end}: frames also arrive from {', '.join(others)}"
                mend = "cable the ports directly, without a switch that floods or learns"
            else:
                text = f"{end}: is cabled to {', '.join(others)}, not to {expected}"
                mend = f"swap the cables, or exchange the ports in {inventory.path}"
            yield Finding(end.machine, text, mend)
            return
        if not sizes:
            text = f"{end}: nothing arrives from {expected}"
            yield Finding(end.machine, text, "plug in the cable between these two ports")
            return
        if missing := sorted(set(PROBE_SIZES) - sizes):
            text = f"{end}: frames of {missing[-1]} bytes from {expected} do not arrive"
            yield Finding(end.machine, text, f"set the MTU of every port on the link to {MTU}")
            return


# ---- links whose ports belong to DPDK


def probe_by_programs(machines, programs, pairs):
    """Runs the switch and the programs of hosts over these links. The switch refuses a host on the
    link of another one. Returns findings, and the names of links that this cannot probe: those of
    machines that were not reached, and those between switches."""
    findings, not_probed = [], []
    by_switch = {}
    for above, below in pairs:
        ends = (machines.all[one.machine] for one in (above, below))
        facts_known = not any(machine.lost for machine in ends)
        if facts_known and not below.peer:
            by_switch.setdefault(above.process, []).append((above, below))
        else:
            not_probed.append(f"{above.process} to {above.peer}")
    for links in by_switch.values():
        findings += SmallRuns(machines, programs, links).findings()
    return findings, not_probed


class SmallRuns:
    """Runs that probe the links of a switch: pairs of the switch's end and the host's end."""

    def __init__(self, machines, programs, links):
        self.machines = machines
        self.programs = programs
        self.links = {below.process: (above, below) for above, below in links}
        names = dict.fromkeys(end.machine for pair in links for end in pair)
        self.lab = LabLinks(machines.inventory, machines, list(names))

    def findings(self):
        try:
            self.lab.open()
            self.lab.install(self.programs, [])
        except CommandError as error:
            machine, _, text = str(error).partition(": ")
            return [Finding(machine, text, "look at the other findings of this machine")]
        findings = {}
        hosts = [name for name in self.links if name.startswith("host")]
        servers = [name for name in self.links if name.startswith("ps")]
        for first in range(0, len(hosts), MOST_WORKERS):
            findings |= self.run(LARGEST, hosts[first : first + MOST_WORKERS], [])
        good = [name for name in hosts if name not in findings]
        if good and servers:
            findings |= self.run(WITH_SERVERS, good[:1], servers)
        return [self.finding(name, *found) for name, found in findings.items()]

    def finding(self, name, text, mend):
        above, below = self.links[name]
        return Finding(below.machine, f"{below}: {text}, on the link to {above}", mend)

    def run(self, keys, hosts, servers):
        """(text, mend) by name, of the hosts and servers whose links fail."""
        with tempfile.TemporaryDirectory(prefix="ina-probe-") as folder:
            cluster = self.plan(Path(folder) / "probe.json", keys, hosts, servers)
            (Path(folder) / "cluster.json").write_text(json.dumps(cluster), encoding="utf-8")
            self.lab.prepare(Path(folder))
        names = [*hosts, *servers]
        switch = self.start_switch(names, cluster)
        members = {name: Listened(self.start_member(name, cluster)) for name in names}
        workers = {name: members[name] for name in hosts}
        try:
            listen(members.values(), workers.values())
        finally:
            for process in (*(member.process for member in members.values()), switch):
                process.kill()
        return {name: found for name, found in self.verdicts(members, workers, servers) if found}

    def verdicts(self, members, workers, servers):
        """(name, (text, mend) or None) of the members."""
        missing = {servers[at] for worker in workers.values() for at in worker.missing_servers()}
        silent = [name for name, worker in workers.items() if worker.has_no_answer()] + sorted(missing)
        lost = f"frames of {LARGE_BYTES} bytes are lost", f"set the MTU of every port on the link to {MTU}"
        for name, member in members.items():
            if member.ended:
                exchange = f"swap the cables, or exchange the ports in {self.machines.inventory.path}"
                yield name, (member.last_error(), exchange)
            elif name in silent:
                yield name, ("no answer from the switch", "plug in the cable between these two ports")
            else:
                complete = not silent and not any(one.ended for one in members.values())
                yield name, lost if complete and name in workers and not member.is_done else None

    def plan(self, path, keys, hosts, servers):
        numbers = {name: int(name.lstrip("hostp")) for name in (*hosts, *servers)}
        job = {"hosts": [numbers[name] for name in hosts], "iterations": 1, "profile": PROFILE}
        topology = {"hosts": max(numbers[name] for name in hosts) + 1}
        if servers:
            job["server"] = servers
            topology["parameter_servers"] = max(numbers[name] for name in servers) + 1
        switch = {"memory_bytes": "1MB"}
        path.write_text(json.dumps(keys | {"topology": topology, "switch": switch, "jobs": [job]}))
        planned = self.programs.ask_simulator(["plan", str(path), *LIMITS.options()])
        return planned[0]["runs"][0]["cluster"]

    def start_switch(self, names, cluster):
        above, _ = next(iter(self.links.values()))
        cores = max(len(self.lab.cores_of(above.process)), 1)
        words = self.words(above.process, "ina-switch", above)
        words += ["--switch", "switch", "--cores", str(cores)]
        for name in names:
            number = number_of(name, cluster)
            device = device_of(self.links[name][0].port, number, cores)
            words += ["--port", f"{number}={device}"]
        return self.start(above.process, words)

    def start_member(self, name, cluster):
        end = self.links[name][1]
        number = number_of(name, cluster)
        program = "ina-worker" if name.startswith("host") else "ina-ps"
        words = self.words(name, program, end)
        return self.start(name, [*words, "--host", str(number), "--port", device_of(end.port, number)])

    def words(self, name, program, end):
        path = self.machines.all[end.machine].program(self.programs, program)
        return [path, *self.lab.options_of(name), "--cluster", "cluster.json"]

    def start(self, name, words):
        machine = self.lab.machine_of(name)
        return machine.start(words, RUN, name, self.lab.cores_of(name), captures_errors=True)


def number_of(name, cluster):
    """Number of a host in the cluster file."""
    topology = cluster["topology"]
    number = int(name.lstrip("hostp"))
    first = 0 if name.startswith("host") else len(topology["hosts"]) - topology["parameter_servers"]
    return first + number


class Listened:
    """A program of a small run, and what it has printed."""

    def __init__(self, process):
        self.process = process
        self.said = {process.stdout: b"", process.stderr: b""}

    def listen(self, pipe):
        data = pipe.read(READ_BYTES)
        self.said[pipe] += data
        return bool(data)

    @property
    def ended(self):
        return self.process.ended.is_set()

    @property
    def is_done(self):
        return b"done\n" in self.said[self.process.stdout]

    def errors(self):
        return self.said[self.process.stderr].decode(errors="replace").splitlines()

    def last_error(self):
        lines = self.errors()
        return lines[-1].partition(": ")[2] if lines else "the program ended"

    def waits_for(self):
        """The last line about why the worker waits."""
        return "" if self.is_done else "".join(self.errors()[-1:])

    def has_no_answer(self):
        return self.waits_for().endswith("no answer from the switch")

    def missing_servers(self):
        """Indices of the servers for which the worker waits."""
        found = re.search(r"waiting for servers? ([\d, ]+)", self.waits_for())
        return [int(at) for at in found[1].split(", ")] if found else []

    def is_sure(self):
        """Whether the worker has ended, or its state will not change."""
        waits_for_workers = "waiting for rank" in self.waits_for()
        return self.is_done or self.ended or waits_for_workers or len(self.errors()) >= SURE_LINES


def listen(members, workers):
    """Reads what the programs print until the state of all workers is known, or PROGRAMS_S have
    passed."""
    until = time.monotonic() + PROGRAMS_S
    with selectors.DefaultSelector() as selector:
        for member in members:
            for pipe in member.said:
                selector.register(pipe, selectors.EVENT_READ, member)
        while selector.get_map() and (left := until - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                if not key.data.listen(key.fileobj):
                    selector.unregister(key.fileobj)
            if all(worker.is_sure() for worker in workers):
                return

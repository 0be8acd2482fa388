# SPDX-License-Identifier: BSD-3-Clause
"""Translates a planned run into the configuration of a switch."""

from hw.commands.errors import CommandError
from hw.commands.inputs import members
from hw.p4.control.job import Cluster, Host, Job, Leaf, Path, Worker
from hw.p4.control.system import only, refuse
from hw.p4.control.systems import system_of

# Values that the programs define as constants of their own.
ECN_THRESHOLD_CELLS = 750
BYTES_OF_CELL = 80


class Surroundings:
    """The peers of a switch's ports."""

    def __init__(self, planned, plugs, name):
        self.topology = planned["topology"]
        self.names = [switch["name"] for switch in self.topology["switches"]]
        self.plugs = plugs
        self.at = self.number_of(name)
        self.hosts = {host: link for link, host, _ in members(planned)}

    def number_of(self, name):
        """Index of the switch to load."""
        if name is None and len(self.names) == 1:
            return 0
        if name not in self.names:
            refuse("--switch", name or "nothing", ", ".join(self.names))
        return self.names.index(name)

    def plug_to_host(self, number):
        return self.plug(self.hosts[number], "a port for every host of the switch")

    def plug_to_switch(self, trunk):
        ends = self.topology["trunks"][trunk]
        (other,) = {ends["lower"], ends["upper"]} - {self.at}
        return self.plug(self.names[other], "a port for every switch to which a job's tree leads")

    def host(self, number, trunk):
        """`trunk`: the switch by which the host is reached; None: the host is attached to this
        switch."""
        plug = self.plug_to_host(number) if trunk is None else self.plug_to_switch(trunk)
        return Host(number, plug)

    def plug(self, name, allowed):
        if name not in self.plugs:
            raise CommandError(f"{name}: not in the cabling; allowed: {allowed}")
        return self.plugs[name]


def read_cluster(run, cabling, switch=None):
    """The cluster of a run, as `ina-sim plan` prints it, at a switch with this cabling. `switch`:
    its name, if there are several. Raises CommandError if the programs or the cabling cannot
    serve it."""
    planned = run["cluster"]
    system, settings = system_of(planned["system"]), planned["settings"]
    program = system.program_of(settings)
    around = Surroundings(planned, cabling.plugs, switch)
    system.check(planned, program)
    check_environment(planned)
    slots = system.slots_of_job(settings)
    jobs = []
    for number, (planned_job, tree) in enumerate(zip(planned["jobs"], run["trees"], strict=True)):
        places = {place["switch"]: place for place in tree["places"]}
        if around.at not in places:
            continue
        place = places[around.at]
        if place["level"] == "forwards":
            refuse(f"/jobs/{number}", "a switch that only forwards it", "its leaves and its root")
        check_root(number, tree)
        pool = {"first_slot": number * slots, "slots": slots}
        jobs.append(job_of(number, planned_job, tree["paths"], place, around, pool))
        system.check_job(jobs[-1])
        check_pipes(jobs[-1])
    if not jobs:
        refuse("--switch", switch, "one that frames of a job pass")
    return Cluster(program, tuple(jobs), cabling.registrar, cabling.looped)


def job_of(number, planned_job, paths, place, around, pool):
    """A job at a switch. `place`: the switch's place in the planned tree."""
    hosts = planned_job["workers"]
    paths = [Path(*path) for path in paths]
    below = [(one["rank"], one["trunk"]) for one in place["below"]]
    up = None if place["up"] is None else around.plug_to_switch(place["up"])
    servers = tuple(map(around.host, planned_job.get("servers", []), place["server_trunks"]))
    here = [rank for rank, trunk in below if trunk is None]
    workers = tuple(Worker(rank, around.host(hosts[rank], None), paths[rank]) for rank in here)
    through = {rank: around.plug_to_switch(trunk) for rank, trunk in below if trunk is not None}
    elsewhere = {rank: up for rank in range(len(hosts)) if rank not in here} | through
    leaves = () if place["level"] != "root" else leaves_of(hosts, paths, through)
    beyond = tuple(Host(hosts[rank], plug) for rank, plug in sorted(elsewhere.items()))
    branches = paths[0].fan_in_degree1
    tree = {"branches": branches, "leaves": leaves, "up": up, "beyond": beyond}
    return Job(number, workers, servers, **pool, **tree)


def leaves_of(hosts, paths, plugs):
    """`plugs`: those towards workers below other switches, by rank."""
    leaves = {}
    for rank, plug in sorted(plugs.items()):
        path = paths[rank]
        branch = path.bitmap1.bit_length() - 1
        leaves.setdefault(branch, Leaf(branch, plug, path.fan_in_degree0, hosts[rank]))
    return tuple(leaves.values())


def check_environment(planned):
    """Checks that the scenario's settings are those that all programs implement."""
    marked = f"{ECN_THRESHOLD_CELLS * BYTES_OF_CELL // 1000}kB"
    only("/switch/ecn_threshold_bytes", planned["environment"]["ecn_threshold_bytes"], marked)
    if planned["node_faults"]:
        refuse("/faults/nodes", f"{len(planned['node_faults'])} faults", "none")
    if planned["faults"]:
        refuse("/faults/links", f"{len(planned['faults'])} faults", "none: a chip injects no faults")


def check_root(number, tree):
    """Checks that the path to the server passes the root, because frames that are not sums are
    routed by the server's address."""
    root = next(place for place in tree["places"] if place["level"] in ("only", "root"))
    if any(trunk is not None for trunk in root["server_trunks"]):
        allowed = (
            "one at the switch of its tree's root, as with /topology/root=server_leaf: an address has "
            "one way, whoever sends there"
        )
        refuse(f"/jobs/{number}/server", "a host behind another switch", allowed)


def check_pipes(job):
    pipes = sorted({plug.pipe for plug in job.plugs})
    if len(pipes) > 1:
        found = f"ports of pipes {' and '.join(map(str, pipes))}"
        refuse(f"/jobs/{job.number}", found, "one: registers are a pipe's own")

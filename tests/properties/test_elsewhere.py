# SPDX-License-Identifier: BSD-3-Clause
"""A job takes exactly the same time whatever happens on links and switches that its frames cannot pass: other
jobs and their faults, other traffic, lossy, slow and failing links, reboots."""

import ina_sim
import networks
import pytest

# Hosts of the workers, and the host of the server, if there is one. The last two hosts belong to other jobs.
PLACES = {
    ("star", "one rack"): ([0, 1, 2], 3),
    ("racks", "one rack"): ([0, 1, 2], 3),
    ("graph", "one rack"): ([0, 1, 2], 3),
    ("leaf-spine", "one rack"): ([0, 1, 2], 3),
    ("leaf-spine", "two racks"): ([0, 1, 4, 5], 6),
    ("rail", "one rack"): ([0, 1, 2], 3),
    ("rail", "two racks"): ([0, 1, 4, 5], 2),
    ("fat tree", "one rack"): ([0, 1], 0),
    ("fat tree", "one pod"): ([0, 1, 2], 3),
    ("fat tree", "two pods"): ([0, 1, 4, 5], 6),
}
OTHER_HOSTS = [14, 15]
PROFILE = networks.job(25_000)["profile"]
AT_US, LASTS_US = 6, 2
AT = {"at": f"{AT_US}us", "duration": f"{LASTS_US}us"}  # while the job runs
JITTER = {"uniform": ["0us", "2us"]}  # other random draws must not change those of the job


def scenario(topology, place):
    hosts, server = PLACES[topology, place]
    job = {"hosts": hosts, "server": networks.port(topology, server), "profile": PROFILE, "jitter": JITTER}
    return {
        "topology": {**networks.TOPOLOGIES[topology], "parameter_servers": 0},
        "jobs": [job],
        "sweep": {"/system": networks.SYSTEMS},
    }


def link_name(first, second):
    """A link's name in scenarios. `first` and `second`: its ends, in the order of links.csv."""
    if first.startswith("host"):
        return first
    return first if first.startswith("rack") else f"{first}-{second}"


def unused(folder):
    """Links and switches that no frame passes under any system."""
    links, switches = {}, {}
    for row in ina_sim.rows(folder, "links.csv"):
        ends = row["link"].split(">")
        key = frozenset(ends)
        links.setdefault(key, [link_name(*ends), 0])[1] += int(row["frames_sent"])
        for end in ends:
            switches[end] = switches.get(end, 0) + int(row["frames_sent"])
    idle_switches = [name for name, frames in switches.items() if not frames and not name.startswith("host")]
    return [name for name, frames in links.values() if not frames], idle_switches


def other_jobs(topology, job):
    """Variants with another job. They do not hold on a star, because jobs share the aggregators of its switch."""
    server = networks.port(topology, OTHER_HOSTS[1])
    other = {"hosts": OTHER_HOSTS, "server": server, "profile": PROFILE, "iterations": 2, "start": "1us"}
    events = ["worker_pauses", "worker_returns", "worker_is_lost"]
    nodes = [{"fault": fault, "job": 1, "worker": 0, **AT} for fault in events]
    killed = {"fault": "job_is_killed", "at": "12us", "job": 1}
    link = networks.port(topology, OTHER_HOSTS[0])
    jobs = {"jobs": [job, other]}
    return {
        "another job": jobs,
        "another job, lossy": jobs | {"faults": {"links": [{"link": link, "loss": 0.05, "duplication": 0.05}]}},
        "another job, struck": jobs | {"faults": {"nodes": nodes}},
        "another job, killed": jobs | {"faults": {"nodes": [killed]}},
    }


def other_traffic(topology):
    sender, receiver = (networks.port(topology, host) for host in OTHER_HOSTS)
    flows = [
        {"kind": "bulk", "from": sender, "to": receiver, "bytes": "100kB"},
        {"kind": "on_off", "from": receiver, "to": sender, "rate": "2Gbps"},
    ]
    return {"traffic": {"flows": flows}}


def faults_of_nodes(faults):
    return {"faults": {"nodes": [fault | AT for fault in faults]}}


def elsewhere(topology, job, links, switches):
    """Variants by their names."""
    slow = [{"link": link, "rate": "1Gbps", "delay": "50us"} for link in links]
    lossy = [{"link": link, "loss": 0.3, "corruption": 0.1, "reordering": 0.1} for link in links]
    found = {
        "traffic": other_traffic(topology),
        "slow links": {"topology": {"links": slow}},
        "lossy links": {"faults": {"links": lossy}},
        "links that fail": faults_of_nodes({"fault": "link_fails", "link": link} for link in links),
    }
    if switches:
        found |= other_jobs(topology, job)
    for fault in ("switch_reboots", "switch_fails") if switches else ():
        found[fault] = faults_of_nodes({"fault": fault, "switch": switch} for switch in switches)
    return found


def what_counts(row):
    return {column: row[column] for column in ("status", "jct_us", "retransmissions", "registrations")}


@pytest.mark.parametrize(("topology", "place"), PLACES)
def test_a_job_is_untouched_by_what_is_elsewhere(tmp_path, topology, place):
    content = scenario(topology, place)
    results = networks.run(tmp_path / "alone", content)
    alone = {row["system"]: what_counts(row) for row in ina_sim.rows(results)}
    assert all(float(row["jct_us"]) > AT_US + LASTS_US for row in alone.values())
    variants = elsewhere(topology, content["jobs"][0], *unused(results))
    rows = ina_sim.rows(networks.run(tmp_path / "disturbed", content | {"variants": variants}))
    of_job = [row for row in rows if row["job"] == "0"]
    assert len(of_job) == len(variants) * len(networks.SYSTEMS)
    moved = {
        (row["variant"], row["system"]): (alone[row["system"]], what_counts(row))
        for row in of_job
        if what_counts(row) != alone[row["system"]]
    }
    assert not moved


@pytest.fixture(scope="module", params=PLACES, ids=", ".join)
def beside_distant_hosts(request, tmp_path_factory):
    """By system: JCT of a job that loses frames with unused hosts 10 ms away, divided by the JCT without them."""
    folder = tmp_path_factory.mktemp("distant")
    content = scenario(*request.param) | {"faults": {"links": [{"link": "host0", "loss": 0.01}]}}
    links, _ = unused(networks.run(folder / "alone", content))
    distant = [{"link": link, "delay": "10ms"} for link in links if link.startswith("host")]
    variants = {"alone": {}, "distant": {"topology": {"links": distant}}}
    jct = {}
    for row in ina_sim.rows(networks.run(folder / "distant", content | {"variants": variants})):
        jct[row["variant"], row["system"]] = networks.jct_us(row)
    return {system: jct["distant", system] / jct["alone", system] for system in networks.SYSTEMS}


@pytest.mark.parametrize("system", networks.SYSTEMS)
def test_time_outs_are_untouched_by_hosts_of_no_job(beside_distant_hosts, system):
    assert beside_distant_hosts[system] == 1


def test_a_server_of_systems_that_have_none_has_no_place(tmp_path):
    without = ["switchml", *networks.ALL_REDUCES]
    content = {
        "topology": networks.EQUAL_LINKS
        | {"type": "star", "hosts": 12, "racks": 3, "parameter_servers": 0},
        "variants": {"none": {}} | {host: {"jobs": {"server": host}} for host in ("host0", "host9")},
        "jobs": networks.job(1_000_000, hosts=[4, 5, 0, 8]),
        "sweep": {"/system": without},
    }
    times = {}
    for row in ina_sim.rows(networks.run(tmp_path, content)):
        times.setdefault(row["system"], set()).add(networks.jct_us(row))
    assert {system: len(times[system]) for system in without} == dict.fromkeys(without, 1)


def test_a_job_is_touched_by_what_is_on_its_way(tmp_path):
    """The same elements have an effect if they concern a link of the job."""
    content = scenario("leaf-spine", "two racks")
    alone = ina_sim.rows(networks.run(tmp_path / "alone", content))
    jct = {row["system"]: row["jct_us"] for row in alone}
    variants = elsewhere("leaf-spine", content["jobs"][0], ["host0"], [])
    del variants["traffic"], variants["links that fail"]  # one is elsewhere, the other cuts the job off
    rows = ina_sim.rows(networks.run(tmp_path / "disturbed", content | {"variants": variants}))
    assert len(rows) == 2 * len(networks.SYSTEMS)
    for row in rows:
        assert row["jct_us"] != jct[row["system"]], (row["variant"], row["system"])

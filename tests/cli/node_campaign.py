# SPDX-License-Identifier: BSD-3-Clause
"""Random campaigns in the simulator: small clusters under random faults of links and nodes.

Every second cluster has several switches of any type, or shared hosts. One in 25 has a job with more workers than a
leaf has hosts. In half of the clusters hosts take time for packets, and in half the delays of links differ.

    INA_SIM=build/release/bin/ina-sim python3 tests/cli/node_campaign.py dsa --first-seed 1 --runs 100

Each seed gives one scenario, which must end with status 0: the run verifies everything. Every fourth scenario must give
the same tables with both engines. A failure prints its seed and keeps its scenario. Replay it with ina-sim, or with
--first-seed and --runs 1.
"""

import argparse
import collections
import json
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

import campaign_networks
import ina_sim

SCHEMA = Path(__file__).resolve().parents[2] / "scenarios" / "scenario.schema.json"
DSA = json.loads(SCHEMA.read_text())["properties"]["dsa"]["properties"]
POLICIES = DSA["policy"]["oneOf"][0]["enum"]
FRAMES = {
    "switchml": ["gradient", "result"],
    "atp": ["gradient", "partial", "result", "fragment_request", "release"],
    "dsa": ["gradient", "partial", "result", "reminder", "fragment_request", "notification"],
    "ps": ["gradient", "result", "fragment_request", "release"],
    "ring": ["gradient", "result"],
    "tree": ["gradient", "result"],
}
AMONG_WORKERS = ("ring", "tree")
WITHOUT_SERVERS = ("switchml", *AMONG_WORKERS)
SYSTEMS = tuple(FRAMES)
# Deliberate mistakes, which the campaign has to find.
MISTAKES = {
    "workers-never-send-again": {
        "switchml": {"rto": "1000s"},
        "atp": {"min_rto": "1000s"},
        "dsa": {"min_rto": "1000s"},
        "ps": {"min_rto": "1000s"},
        "ring": {"min_rto": "1000s"},
    },
    "the-server-never-reminds": {"dsa": {"reminder_min_timeout": "1000s"}},
}
OF_WORKERS = ("worker_pauses", "worker_returns", "worker_is_lost")
OF_SERVERS = ("server_pauses", "server_restarts")
FOR_GOOD = ("link_fails", "switch_fails")
SEEDS_OF_BOTH_ENGINES = 4  # one in four seeds runs with both engines
OF_LINKS = ("lost", "corrupted", "duplicated", "delayed")


def draw_time(random_, longest_us) -> str:
    """A time between 10 us and the longest. All orders of magnitude are equally likely."""
    return f"{round(10 * (longest_us / 10) ** random_.random())}us"


def draw_job(random_) -> dict:
    layers = [
        {
            "parameters": random_.randint(1, 3000),
            "forward": f"{random_.randint(0, 50)}us",
            "backward": f"{random_.randint(0, 50)}us",
        }
        for _ in range(random_.randint(1, 3))
    ]
    return {
        "workers": random_.randint(1, 5),
        "iterations": random_.randint(1, 4),
        "profile": {"layers": layers, "partition_bytes": "2kB"},
        "start": {"uniform": ["0us", draw_time(random_, 1000)]},
        "jitter": {"uniform": ["0us", draw_time(random_, 300)]},
    }


def draw_link_fault(random_, system, racks) -> dict:
    kind = random_.choice(
        ["loss", "burst", "corruption", "duplication", "reordering", "lost_frames"]
    )
    rate = random_.choice([0.0001, 0.001, 0.01, 0.1, 0.3])
    if kind == "burst":
        value = {"start": min(rate, 0.1), "end": 0.2, "loss": 0.9}
    elif kind == "lost_frames":
        value = sorted(random_.sample(range(100), random_.randint(1, 10)))
    else:
        value = rate
    fault = {
        "link": random_.choice(["all", "hosts", "host0", *(["racks"] if racks > 1 else [])]),
        "direction": random_.choice(["both", "to_switch", "from_switch"]),
        kind: value,
    }
    if random_.random() < 0.4:
        fault["frames"] = [random_.choice(FRAMES[system])]
    if kind == "reordering":
        fault["reordering_delay"] = draw_time(random_, 5000)
    return fault


def draw_node_fault(random_, system, jobs) -> dict:
    kinds = [*OF_WORKERS, "switch_reboots", "job_is_killed"]
    kinds += OF_SERVERS if system not in WITHOUT_SERVERS else ()
    kind = random_.choice(kinds)
    job = random_.randrange(len(jobs))
    fault = {"fault": kind, "at": draw_time(random_, 3000)}
    if kind != "job_is_killed":
        fault["duration"] = draw_time(random_, 20000)
    if kind != "switch_reboots":
        fault["job"] = job
    if kind in OF_WORKERS:
        fault["worker"] = random_.randrange(jobs[job]["workers"])
    return fault


def draw_scenario(system, seed, mistake=None) -> dict:
    random_ = random.Random(f"{system} {seed}")
    addressing = random.Random(f"addressing {system} {seed}").choice(["table", "hash", "linear"])
    jobs = [draw_job(random_) for _ in range(random_.randint(1, 3))]
    if system in AMONG_WORKERS:
        for job in jobs:
            job["workers"] = max(job["workers"], 2)
    aggregators = random_.choice([3, 10, 100])
    hosts = sum(job["workers"] for job in jobs)
    star = campaign_networks.draw_star(random_, hosts)
    racks = star.topology["racks"]
    scenario = {
        "system": system,
        "topology": star.topology | {"parameter_servers": len(jobs)},
        "switch": {
            "memory_bytes": f"{256 * aggregators}B",
            "hash": random.Random(f"hash {seed}").choice(["crc16", "crc32", "crc64", "ideal"]),
        },
        "dsa": {"policy": random_.choice(POLICIES), "addressing": addressing},
        "atp": {
            "addressing": addressing,
            "rehash": random_.random() < 0.5,
            "kept_results": random_.choice([2, 8192]),
            "levels": random_.choice([1, 2]),
            "overflow": random_.choice([0, 0, 0.02, 0.5]),
        },
        "engine": random_.choice(["fast", "reference"]),
        # All runs take less. With a mistake, the default limit would be long, because it follows the time-outs.
        "time_limit": "60s",
        "jobs": jobs,
        "faults": {
            "links": [
                draw_link_fault(random_, system, racks) for _ in range(random_.choice([0, 1, 2]))
            ],
            "nodes": [
                draw_node_fault(random_, system, jobs) for _ in range(random_.choice([1, 1, 2, 4]))
            ],
        },
        "seeds": seed,
    }
    widen(random.Random(f"network {system} {seed}"), scenario, star)
    campaign_networks.draw_times(random.Random(f"times {system} {seed}"), scenario["topology"])
    if mistake:
        scenario.setdefault(system, {}).update(MISTAKES[mistake][system])
        # By default, a minute of waiting would add 600 000 rows per switch and job to the table.
        scenario["outputs"] = {"switch_interval": "100ms"}
    return scenario


def widen(random_, scenario, network):
    """Changes a star into other networks, and adds shared hosts and permanent failures."""
    jobs, topology, faults = scenario["jobs"], scenario["topology"], scenario["faults"]
    hosts = topology["hosts"]
    is_wide = random_.random() < 0.04
    if is_wide:
        jobs[0] |= {"workers": random_.choice(campaign_networks.WIDE), "iterations": 1}
        hosts = sum(job["workers"] for job in jobs)
    if is_wide or random_.random() < 0.5:
        network = campaign_networks.draw_network(random_, hosts)
        campaign_networks.draw_root(random_, network)
        topology.clear()
        topology |= network.topology | {"parameter_servers": len(jobs)}
        for fault in faults["links"]:
            campaign_networks.soften(fault)
            if fault["link"] == "racks" and random_.random() < 0.5:
                fault["link"] = random_.choice(network.links)
    if not is_wide and topology.get("type") != "rail" and random_.random() < 0.3:
        campaign_networks.draw_places(random_, jobs, hosts)
    campaign_networks.name_what_is_struck(random_, jobs, faults["nodes"], network)
    if (network.links or network.switches) and random_.random() < 0.3:
        faults["nodes"].append(campaign_networks.draw_failure(random_, network))


def is_shared(scenario):
    places = [host for job in scenario["jobs"] for host in job.get("hosts", [])]
    return len(set(places)) < len(places)


def count(scenario, folder, counts):
    """Counts the events in the run of a scenario."""
    counts.update(fault["fault"] for fault in scenario["faults"]["nodes"])
    for row in ina_sim.rows(folder):
        counts[row["status"]] += 1
        counts["registered again"] += int(row["registrations"]) - 1
    for row in ina_sim.rows(folder, "links.csv"):
        counts.update({what: int(row[f"frames_{what}"]) for what in OF_LINKS})
    counts["lost by number"] += any("lost_frames" in f for f in scenario["faults"]["links"])
    topology = scenario["topology"]
    in_racks = topology.get("racks", 1) > 1 or "type" in topology
    counts["racks"] += in_racks
    counts[topology.get("type", "star")] += 1
    counts["host stages"] += "host" in topology
    counts["server stages"] += "server" in topology
    counts["delay spreads"] += any(topology[kind]["delay_spread"] != "0ns" for kind in ("link", "uplink"))
    counts["shared places"] += is_shared(scenario)
    counts["roots above racks"] += topology.get("root", "server_leaf") != "server_leaf"
    servers = [job.get("server", []) for job in scenario["jobs"]]
    counts["several servers"] += any(len(names) > 1 for names in servers)
    counts["servers beside workers"] += any(name.startswith("host") for names in servers for name in names)
    counts["reboots by name"] += any("switch" in f and f["fault"] == "switch_reboots" for f in scenario["faults"]["nodes"])
    counts["wide jobs"] += any(job["workers"] in campaign_networks.WIDE for job in scenario["jobs"])
    if scenario["system"] == "atp":
        counts["overflow in racks"] += in_racks and scenario["atp"]["overflow"] > 0


def run(system, seed, folder, counts, mistake=None) -> bool:
    scenario = draw_scenario(system, seed, mistake)
    path = folder / f"{system}-{seed}.json"
    path.write_text(json.dumps(scenario, indent=1))
    done = ina_sim.ina("run", path, "--out", folder / "results", "--parallel", 1)
    if done.returncode != 0:
        print(f"{system}, seed {seed}: status {done.returncode}: {done.stderr.strip()}")
        print(f"replay: ./ina run {path}")
        return False
    if seed % SEEDS_OF_BOTH_ENGINES == 0 and not engines_agree(scenario, path, folder):
        print(f"{system}, seed {seed}: the engines' tables differ")
        print(f"replay: ./ina run {path} --set /engine=fast, and with reference")
        return False
    count(scenario, folder / "results" / path.stem, counts)
    shutil.rmtree(folder / "results" / path.stem)
    path.unlink()
    return True


def engines_agree(scenario, path, folder) -> bool:
    """Whether the other engine writes the same tables."""
    other = {"fast": "reference", "reference": "fast"}[scenario["engine"]]
    done = ina_sim.ina("run", path, "--out", folder / "other", "--parallel", 1, "--set", f"/engine={other}")
    if done.returncode != 0:
        return False
    first, second = (folder / name / path.stem for name in ("results", "other"))
    same = all((first / table).read_bytes() == (second / table).read_bytes() for table in ina_sim.TABLES)
    shutil.rmtree(second)
    return same


def what_did_not_happen(system, counts) -> list[str]:
    """Events that the campaign should have exercised but did not. Node faults and overflows count when they are drawn,
    all other events when they happen."""
    wanted = [*OF_LINKS, "lost by number", *OF_WORKERS, "switch_reboots", "job_is_killed"]
    wanted += OF_SERVERS if system not in WITHOUT_SERVERS else ()
    wanted += ["finished", "killed", "worker_lost", "registered again", "racks"]
    wanted += [*campaign_networks.TYPES, *FOR_GOOD, "shared places", "roots above racks", "reboots by name"]
    wanted += ["several servers", "servers beside workers", "host stages", "server stages", "delay spreads"]
    wanted += ["overflow in racks"] if system == "atp" else ()
    return [what for what in wanted if counts[what] == 0]


def positive(text) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number}; allowed: at least 1")
    return number


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--runs", type=positive, default=100)
    parser.add_argument("--mistake", choices=MISTAKES, help="shows that the campaign can fail")
    arguments = parser.parse_args()
    if arguments.mistake and arguments.system not in MISTAKES[arguments.mistake]:
        parser.error(f"--mistake {arguments.mistake} is of {', '.join(MISTAKES[arguments.mistake])}")
    if "INA_SIM" not in os.environ:
        parser.error("INA_SIM is not set; it has to be the path of ina-sim")
    folder = Path(tempfile.mkdtemp(prefix="ina-campaign-"))
    counts = collections.Counter()
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.runs)
    failed = [
        s for s in seeds if not run(arguments.system, s, folder, counts, arguments.mistake)
    ]
    print(f"{arguments.system}: {len(seeds)} runs, {len(failed)} failed; {dict(counts)}")
    if not failed:
        shutil.rmtree(folder)
    missed = what_did_not_happen(arguments.system, counts) if len(seeds) >= 100 else []
    if missed:
        print(f"never met with: {', '.join(missed)}")
    return 3 if failed or missed else 0


if __name__ == "__main__":
    sys.exit(main())

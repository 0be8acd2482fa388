# SPDX-License-Identifier: BSD-3-Clause
"""The command `ina switch load`: the entries that it would load, and the input that it refuses. The
program ina-sim is in the folder that INA_PROGRAMS names."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hw.commands.errors import CommandError
from hw.p4.control.__main__ import main
from hw.p4.control.cabling import Plug
from hw.p4.control.job import Cluster, Host, Job, Worker, one_level
from hw.p4.control.loading import entries_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
CABLING = HERE.parent / "example-cabling.json"
TWO_JOBS = HERE / "two-jobs.json"
SYSTEMS = ("switchml", "atp", "dsa")
VALUES_64 = ("/system=switchml", "/switchml/values_per_packet=64")
OUR_PLUG = {"dev_port": 4, "speed": "25Gbps", "fec": "none"}


@pytest.fixture
def load(capfd):
    """Runs the command in this process, because a process of its own would spend most of its time
    on starting."""

    def run_here(*arguments, cabling=CABLING):
        words = words_of(TWO_JOBS, "--cabling", cabling, *arguments)
        status = main(words)
        return subprocess.CompletedProcess(words, status, *capfd.readouterr())

    return run_here


def words_of(*arguments):
    return ["load", "--programs", os.environ["INA_PROGRAMS"], *map(str, arguments)]


def run(*arguments, stdout=subprocess.PIPE):
    return subprocess.run(
        [sys.executable, "-P", "-m", "hw.p4.control", *words_of(*arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def settings(*keys):
    return [word for key in keys for word in ("--set", key)]


def assert_refused(done, words):
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert words in done.stderr


@pytest.mark.parametrize("system", SYSTEMS)
def test_dry_run_prints_every_entry(load, system):
    done = load("--set", f"/system={system}", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (HERE / "expected" / f"{system}.txt").read_text()


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("switch, level", [("rack0", "leaf"), ("rack1", "root")])
def test_dry_run_prints_every_entry_of_a_leaf_and_of_a_root(load, cable, system, switch, level):
    """Job 0 has three workers in rack 0, and one worker and the servers in rack 1. Job 1 is left
    out: under SwitchML it would have a lone worker."""
    other = {"rack0": "rack1", "rack1": "rack0"}[switch]
    plug = {"dev_port": 132, "speed": "100Gbps", "fec": "rs"}
    jobs = json.loads(TWO_JOBS.read_text())["jobs"][:1]
    keys = [f"/system={system}", "/topology/racks=2", f"/jobs={json.dumps(jobs)}", "/jobs/0/workers=4"]
    options = settings(*keys, "/topology/parameter_servers=1")
    done = load("--dry-run", "--switch", switch, *options, cabling=cable(with_port(other, plug)))
    assert done.returncode == 0, done.stderr
    assert done.stdout == (HERE / "expected" / f"{system}-{level}.txt").read_text()


SEVERAL_SERVERS = json.dumps([{"workers": 2, "profile": "dnn-a", "server": ["ps1", "ps0"]}])


def test_several_servers_of_a_job_have_entries_and_routes_of_their_own(load):
    done = load("--dry-run", *settings("/system=atp", f"/jobs={SEVERAL_SERVERS}"))
    assert done.returncode == 0, done.stderr
    plugs = json.loads(CABLING.read_text())["ports"]
    ports = {hex(plugs[name]["dev_port"]) for name in ("ps0", "ps1")}
    lines = done.stdout.splitlines()
    results = [line for line in lines if " Ingress.ownership.bring_parameters" in line]
    assert {re.search(r"ingress_port=(\w+)", line).group(1) for line in results} == ports
    routes = [line for line in lines if "forwarding.routes" in line]
    assert ports <= {re.search(r" port=(\w+)", line).group(1) for line in routes}


def test_64_values_have_a_program_of_their_own(load):
    done = load("--dry-run", *settings(*VALUES_64, "/switch/memory_bytes=40kB"))
    assert done.returncode == 0, done.stderr
    assert "pipe.Ingress.bitmap.seen $REGISTER_INDEX=0x0..0x1fff ->" in done.stdout


@pytest.fixture
def cable(tmp_path):
    """Writes the example with changes, either to the whole content or to the plug of host1."""

    def write(change=None, **fields):
        content = json.loads(CABLING.read_text())
        content["ports"]["host1"] |= fields
        path = tmp_path / "cabling.json"
        path.write_text(json.dumps(change(content) if change else content))
        return path

    return write


def with_port(name, plug):
    return lambda content: {"ports": {**content["ports"], name: plug}}


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda _: [], "cabling.json: []; allowed: an object with ports"),
        (lambda _: {}, "cabling.json: no ports"),
        (lambda content: content | {"port": {}}, '.json: "port"; allowed: an object with ports'),
        (lambda _: {"ports": {}}, "/ports: {}"),
        (lambda _: {"ports": [1]}, "/ports: [1]"),
        (lambda _: {"ports": {"host0": OUR_PLUG, "ps0": OUR_PLUG | {"dev_port": 5}}}, "host1: not in the cabling"),
        (with_port("host01", OUR_PLUG), '/ports/host01: "host01"; allowed: host0, ps0'),
        (with_port("leaf 0", OUR_PLUG), '/ports/leaf 0: "leaf 0"; allowed: host0, ps0 ..., and names'),
        (with_port("ps9", {"dev_port": 4}), "/ports/ps9: no speed"),
        (with_port("ps9", OUR_PLUG | {"lanes": 4}), '/ps9: "lanes"; allowed: an object with'),
        (with_port("ps9", 4), "/ports/ps9: 4"),
        (
            with_port("ps9", OUR_PLUG | {"dev_port": 128}),
            "/dev_port: 128; allowed: lanes that no other port has; host0 has 128 to 131 at 100Gbps",
        ),
    ],
)
def test_refuses_a_cabling(load, cable, change, words):
    assert_refused(load("--dry-run", cabling=cable(change)), words)


@pytest.mark.parametrize(
    "field, value, allowed",
    [
        ("dev_port", -1, "0-63"),
        ("dev_port", 64, "0-63"),  # not a front port: the processor's
        ("dev_port", 68, "0-63"),  # a recirculation port
        ("dev_port", 448, "384-447"),
        ("dev_port", 512, "384-447"),
        ("dev_port", True, "0-63"),
        ("dev_port", 1.0, "0-63"),
        ("dev_port", "1/0", "0-63"),
        ("speed", "200Gbps", "100Gbps"),
        ("speed", 100, "100Gbps"),
        ("fec", ["rs"], "none, fc, rs"),
        ("auto_negotiation", True, "default, on, off"),
        ("auto_negotiation", "enable", "default, on, off"),
    ],
)
def test_refuses_a_plug(load, cable, field, value, allowed):
    done = load("--dry-run", cabling=cable(**{field: value}))
    assert_refused(done, f"/ports/host1/{field}: {json.dumps(value)}; allowed:")
    assert allowed in done.stderr


@pytest.mark.parametrize(
    "first, second, words",
    [
        ((4, "100Gbps"), (7, "25Gbps"), "7; allowed: lanes that no other port has; spine1 has 4 to 7 at 100Gbps"),
        ((7, "10Gbps"), (4, "40Gbps"), "4; allowed: lanes that no other port has; spine1 has 7 at 10Gbps"),
        ((6, "50Gbps"), (7, "25Gbps"), "7; allowed: lanes that no other port has; spine1 has 6 to 7 at 50Gbps"),
        ((7, "50Gbps"), (4, "25Gbps"), "7; allowed: a multiple of 2 at 50Gbps, the first of its lanes"),
        ((6, "100Gbps"), (4, "25Gbps"), "6; allowed: a multiple of 4 at 100Gbps, the first of its lanes"),
        ((5, "40Gbps"), (4, "25Gbps"), "5; allowed: a multiple of 4 at 40Gbps, the first of its lanes"),
    ],
)
def test_refuses_lanes_that_another_port_has_or_that_the_connector_has_not(load, cable, first, second, words):
    ports = {
        name: {"dev_port": port, "speed": speed, "fec": "none"}
        for name, (port, speed) in (("spine1", first), ("spine2", second))
    }
    done = load("--dry-run", cabling=cable(lambda content: {"ports": content["ports"] | ports}))
    assert_refused(done, words)


def test_ports_may_share_a_connector_but_no_lane(load, cable):
    one, other = {"dev_port": 136, "speed": "50Gbps"}, {"dev_port": 138, "speed": "25Gbps"}
    fields = {"fec": "none"}
    done = load("--dry-run", cabling=cable(**one, **fields))
    assert done.returncode == 0, done.stderr
    shared = cable(lambda content: {"ports": content["ports"] | {"host1": one | fields, "host2": other | fields}})
    done = load("--dry-run", cabling=shared)
    assert done.returncode == 0, done.stderr
    assert "$PORT $DEV_PORT=0x8a -> $SPEED=BF_SPEED_25G" in done.stdout


FECS_OF_SPEEDS = {
    "10Gbps": "none, fc",
    "25Gbps": "none, fc, rs",
    "40Gbps": "none, fc",
    "50Gbps": "none, fc, rs",
    "100Gbps": "none, rs",
}


@pytest.mark.parametrize("speed", FECS_OF_SPEEDS)
@pytest.mark.parametrize("fec", ["none", "fc", "rs"])
def test_refuses_fec_that_a_speed_does_not_have(load, cable, speed, fec):
    done = load("--dry-run", cabling=cable(speed=speed, fec=fec))
    allowed = FECS_OF_SPEEDS[speed]
    if fec in allowed.split(", "):
        assert done.returncode == 0, done.stderr
    else:
        assert_refused(done, f'/ports/host1/fec: "{fec}"; allowed: {allowed} at {speed}')


@pytest.mark.parametrize(
    "value, policy",
    [("default", "PM_AN_DEFAULT"), ("on", "PM_AN_FORCE_ENABLE"), ("off", "PM_AN_FORCE_DISABLE")],
)
def test_auto_negotiation_of_a_port_is_that_of_its_cabling(load, cable, value, policy):
    done = load("--dry-run", cabling=cable(auto_negotiation=value))
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("$PORT ")]
    found = {line.split()[1]: line.partition("$AUTO_NEGOTIATION=")[2].split()[0] for line in lines}
    others = {port: "PM_AN_DEFAULT" for port in found}
    assert found == others | {"$DEV_PORT=0x88": policy}


def test_refuses_auto_negotiation_of_a_speed_that_has_none(load, cable):
    fields = {"speed": "50Gbps", "fec": "none", "auto_negotiation": "on"}
    words = '/ports/host1/auto_negotiation: "on"; allowed: default, off at 50Gbps'
    assert_refused(load("--dry-run", cabling=cable(**fields)), words)
    done = load("--dry-run", cabling=cable(**fields | {"auto_negotiation": "off"}))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", "allowed: JSON"),
        ('{"ports": 1, "ports": 2}', '"ports" twice'),
        ("[" * 100_000, "allowed: JSON"),
    ],
)
def test_refuses_what_is_no_json(load, tmp_path, text, words):
    path = tmp_path / "cabling.json"
    path.write_text(text)
    assert_refused(load("--dry-run", cabling=path), words)


@pytest.mark.parametrize("settings_", [("/system=atp",), ("/system=dsa",), (*VALUES_64, "/switch/memory_bytes=40kB")])
def test_ports_in_loopback_are_loaded(load, cable, settings_):
    done = load("--dry-run", *settings(*settings_), cabling=cable(lambda content: content | {"looped": [132, 188]}))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    loopback = [line for line in lines if line.endswith("$LOOPBACK_MODE=BF_LPBK_MAC_NEAR")]
    assert [line.split()[1] for line in loopback] == ["$DEV_PORT=0x84", "$DEV_PORT=0xbc"]
    values = [line for line in lines if "looped_ports" in line]
    assert values == [f"pipe.IngressParser.looped_ports f1={port}&&&0x1ff" for port in ("0x84", "0xbc")]
    ports = [line.split()[-1] for line in lines if "ports_of_indices" in line]
    assert ports == [f"looped_port={port}" for port in 21 * ("0xc4", "0x84", "0xbc") + ("0xc4",)]


@pytest.mark.parametrize(
    "looped, words",
    [
        (7, "/looped: 7; allowed: a list of dev_port"),
        ([7], "/looped/0: 7; allowed: a multiple of 4 at 100Gbps"),
        (["4"], '/looped/0: "4"; allowed: 0-63, 128-191'),
        ([196], "/looped/0: 196; allowed: 0-63, 128-191"),
        ([132, 132], "/looped/1: 132; allowed: lanes that no other port has; looped port 132 has 132 to 135"),
        ([144], "/looped/0: 144; allowed: lanes that no other port has; host2 has 144 to 147"),
    ],
)
def test_refuses_ports_in_loopback(load, cable, looped, words):
    assert_refused(load("--dry-run", cabling=cable(lambda content: content | {"looped": looped})), words)


def test_refuses_ports_in_loopback_of_a_program_without_further_passes(load, cable):
    cabling = cable(lambda content: content | {"looped": [132]})
    done = load("--dry-run", *settings("/system=switchml"), cabling=cabling)
    assert_refused(done, "/looped: 1 ports in loopback; allowed: none: no packet of the program returns")


def test_refuses_a_cabling_that_is_not_there(load, tmp_path):
    assert_refused(load("--dry-run", cabling=tmp_path / "none.json"), "No such file")


@pytest.mark.parametrize(
    "keys, words",
    [
        (
            ["/system=dsa", "/switch/memory_bytes=5MB"],
            "/switch/memory_bytes: enough for 20161 aggregators; allowed: at most 4063232B, which hold 16384",
        ),
        (
            ["/system=switchml", "/switchml/values_per_packet=256", "/switch/memory_bytes=1MB"],
            "/switchml/values_per_packet: 256; allowed: 32 and 64",
        ),
        (
            ["/system=switchml", "/switchml/values_per_packet=366", "/switch/memory_bytes=1MB"],
            "/switchml/values_per_packet: 366; allowed: 32 and 64",
        ),
        (
            [*VALUES_64, "/switchml/slots=5000", "/switch/memory_bytes=6MB"],
            "/switchml/slots: 5000 for each of 2 jobs; allowed: at most 4096: the program has 8192",
        ),
        (["/system=dsa", "/dsa/policy=fcfs"], "/dsa/policy: fcfs; allowed: priority"),
        (["/system=dsa", "/dsa/join_priority=raise"], "/dsa/join_priority: raise; allowed: keep"),
        (["/system=dsa", "/dsa/answered_by=server"], "/dsa/answered_by: server; allowed: switch"),
        (["/system=atp", "/atp/values_per_packet=364"], "/atp/values_per_packet: 364; allowed: 62"),
        (["/system=atp", "/atp/aggregator_expiry=1s"], "/atp/aggregator_expiry: 1000ms; allowed: 100ms"),
        (["/switch/ecn_threshold_bytes=120kB"], "_threshold_bytes: 120kB; allowed: 60kB"),
        (["/system=switchml", "/switchml/congestion_control=true"], "congestion_control: true; allowed: false: the"),
        (["/system=switchml", "/jobs/0/workers=1"], "/jobs/0/workers: 1; allowed: 2 or more"),
        (['/faults/links=[{"link": "all", "loss": 0.1}]'], "/faults/links"),
        (["/seeds=1-2"], "2 runs; allowed: one"),
        (["/system=ps"], "/system: ps; allowed: switchml, atp, dsa, for which there are programs"),
        (
            ["/system=dsa", f"/jobs={SEVERAL_SERVERS}"],
            "/jobs/0/server: 2 servers; allowed: one: the program's table has where a job's partial "
            "aggregates go, of any PSN",
        ),
        (["/system=atp", "/topology/racks=2"], "--switch: nothing; allowed: rack0, rack1"),
    ],
)
def test_refuses_what_the_program_does_not_do(load, keys, words):
    assert_refused(load("--dry-run", *settings(*keys)), words)


ALLOWED = re.compile(r"json: (/\S+): .*; allowed: (?:at most )?(\w+)")


@pytest.mark.parametrize(
    "keys",
    [
        ["/system=dsa", "/switch/memory_bytes=5MB"],
        ["/system=atp", "/switch/memory_bytes=4.1MB"],
        ["/system=switchml", "/switchml/slots=8193", "/switch/memory_bytes=6MB"],
        [*VALUES_64, "/switchml/slots=5000", "/switch/memory_bytes=6MB"],
        ["/system=switchml", "/switchml/congestion_control=true"],
        ["/system=atp", "/atp/aggregator_expiry=1s"],
        ["/system=dsa", "/dsa/policy=fcfs"],
        ["/switch/ecn_threshold_bytes=120kB"],
    ],
)
def test_what_a_refusal_says_is_allowed_can_be_set(load, keys):
    done = load("--dry-run", *settings(*keys))
    assert done.returncode == 2
    place, value = ALLOWED.search(done.stderr).groups()
    again = load("--dry-run", *settings(*keys, f"{place}={value}"))
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("root", ["spine", "least_loaded"])
def test_refuses_servers_that_are_not_at_the_root(load, root):
    topology = {"type": "leaf_spine", "racks": 2, "hosts_per_rack": 3, "parameter_servers": 2}
    keys = ["/system=atp", f"/topology={json.dumps(topology | {'placement': 'spread', 'root': root})}"]
    done = load("--dry-run", "--switch", "leaf0", *settings(*keys))
    assert_refused(
        done,
        "/jobs/0/server: a host behind another switch; allowed: one at the switch of its tree's root, as "
        "with /topology/root=server_leaf: an address has one way, whoever sends there",
    )


def test_refuses_a_job_at_two_pipes(load, cable):
    done = load("--dry-run", cabling=cable(dev_port=0))
    assert_refused(done, "/jobs/0: ports of pipes 0 and 1; allowed: one")


def test_refuses_more_members_than_the_table_holds():
    hosts = [Host(number, Plug(number, "25Gbps", "none")) for number in range(9)]
    workers = tuple(map(Worker, range(8), hosts, one_level(8)))
    jobs = [Job(number, workers, (hosts[8],), 0, 0) for number in range(48)]
    words = r"^/jobs: 2064 entries of pipe.*members; allowed: at most 2048, of fewer jobs or workers$"
    with pytest.raises(CommandError, match=words):
        entries_of(Cluster("dsa", tuple(jobs)))
    assert entries_of(Cluster("dsa", tuple(jobs[:47])))


def test_says_what_is_missing_where_nothing_can_be_loaded(load):
    done = load("--address", "localhost:1")
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1
    assert "bfrt_grpc" in done.stderr


def test_entries_that_cannot_be_written_end_in_one_line():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = run(TWO_JOBS, "--cabling", CABLING, "--dry-run", stdout=full)
    assert done.returncode == 4
    assert done.stderr == "ina: standard output: No space left on device\n"


def test_refuses_no_cabling_at_all():
    assert_refused(run(TWO_JOBS), "--cabling")

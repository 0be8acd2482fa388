# SPDX-License-Identifier: BSD-3-Clause
"""One switch process per rack. The switch of the parameter servers is above the others."""

import json

import pytest

from hw.commands.inputs import Inputs, Programs
from hw.testbed.links import Memif
from hw.testbed.run import run
from hw.testbed.tests.support import (
    FRAGMENTS,
    LIMITS,
    PROGRAMS,
    SMALL,
    assert_columns_alike,
    assert_refused,
    frames_of,
    needs_namespaces,
    needs_two,
    program,
    rows,
    run_small,
    set_keys,
    simulate_small,
)

# Figure 9 of the ATP paper: two workers per rack, the server in the third.
FIGURE_9 = {
    "system": "atp",
    "topology": {"hosts": 6, "racks": 3, "parameter_servers": 1},
    "jobs/workers": 6,
}
# The second job's workers are in racks 1 and 2, the first one's in racks 0 and 1.
TWO_JOBS = {
    **FIGURE_9,
    "topology": {"hosts": 6, "racks": 3, "parameter_servers": 2},
    "jobs/workers": 3,
    "jobs/count": 2,
}
# The first job's workers are in racks 0 and 1, the second one's in rack 1 and the root's.
SWITCHML = {
    "system": "switchml",
    "topology": {"hosts": 8, "racks": 3},
    "jobs/workers": 4,
    "jobs/count": 2,
}
UPLINK_LOSSES = {
    "links": [
        {"link": "rack1", "direction": "to_switch", "lost_frames": [0, 1, 50]},
        {"link": "rack0", "direction": "from_switch", "frames": ["result"], "lost_frames": [3]},
        {"link": "host4", "direction": "to_switch", "frames": ["gradient"], "lost_frames": [7]},
    ]
}
LOST = {"rack1>rack2": 3, "rack2>rack0": 1, "host4>rack2": 1}


@pytest.mark.parametrize("cores", [1, pytest.param(2, marks=needs_two)])
@pytest.mark.parametrize("levels", [1, 2])
def test_every_sum_is_exact_in_spite_of_loss(tmp_path, temporary, levels, cores):
    faults = {"links": [{"loss": 0.02}]}
    keys = {**TWO_JOBS, "atp": {"levels": levels}, "switch/memory_bytes": "5kB", "faults": faults}
    folder = run_small(temporary, tmp_path, "--switch-cores", cores, **keys)
    jobs = rows(folder, "jobs.csv")
    assert [(job["iterations"], job["rejected_frames"]) for job in jobs] == [("2", "0")] * 2
    lost = {link["link"]: int(link["frames_lost"]) for link in rows(folder, "links.csv")}
    for link in ("rack0>rack2", "rack2>rack0", "rack1>rack2", "rack2>rack1"):
        assert lost[link] > 0


@pytest.mark.parametrize(
    "options", [["--replay"], pytest.param(["--switch-cores", 2], marks=needs_two)]
)
@pytest.mark.parametrize("values", ["fixed_point", "block_floating_point"])
def test_switchml_adds_up_in_racks_as_in_the_simulator_in_spite_of_loss(
    tmp_path, temporary, values, options
):
    keys = {
        **SWITCHML,
        "switchml": {"quantisation": values},
        "faults": {"links": [{"loss": 0.02}]},
    }
    folder = run_small(temporary, tmp_path, *options, **keys)
    jobs = rows(folder, "jobs.csv")
    assert [(job["iterations"], job["rejected_frames"]) for job in jobs] == [("2", "0")] * 2
    lost = {link["link"]: int(link["frames_lost"]) for link in rows(folder, "links.csv")}
    for link in ("rack0>rack2", "rack2>rack0", "rack1>rack2", "rack2>rack1"):
        assert lost[link] > 0


@pytest.mark.parametrize("kind", ["veth", "tap"])
@needs_namespaces
def test_every_sum_is_exact_through_the_kernel(tmp_path, temporary, kind):
    folder = run_small(temporary, tmp_path, "--links", kind, **FIGURE_9)
    (job,) = rows(folder, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")


@needs_namespaces
def test_namespaces_serve_runs_with_several_numbers_of_racks(tmp_path, temporary):
    keys = {
        **FIGURE_9,
        "topology": {"hosts": 6, "parameter_servers": 1},
        "sweep": {"/topology/racks": [1, 3, 2]},
    }
    folder = run_small(temporary, tmp_path, "--links", "veth", **keys)
    switches = [(row["point"], row["switch"]) for row in rows(folder, "switch.csv")]
    of_points = [["switch"], ["rack0", "rack1", "rack2"], ["rack0", "rack1"]]
    assert switches == [
        (str(point), switch) for point, names in enumerate(of_points) for switch in names
    ]


def test_the_tables_are_those_of_the_simulator(tmp_path, temporary):
    here = run_small(temporary, tmp_path / "testbed", **FIGURE_9)
    there = simulate_small(tmp_path / "simulator", **FIGURE_9)
    assert_columns_alike(here, there)
    for table, column in (("links.csv", "link"), ("switch.csv", "switch")):
        names = [
            list(dict.fromkeys(row[column] for row in rows(folder, table)))
            for folder in (here, there)
        ]
        assert names[0] == names[1]


def test_a_rack_adds_up_what_its_workers_send_to_the_switch_above(tmp_path, temporary):
    """Each task leaves a rack as one frame, except for resent frames and collisions."""
    folder = run_small(temporary, tmp_path, **FIGURE_9)
    frames = frames_of(folder)
    (job,) = rows(folder, "jobs.csv")
    more = int(job["retransmissions"]) + int(job["fallbacks"])
    for rack in ("rack0", "rack1"):
        assert FRAGMENTS <= frames[f"{rack}>rack2"] <= FRAGMENTS + more


def test_sums_that_overflow_come_as_floats(tmp_path, temporary):
    keys = {**FIGURE_9, "atp": {"overflow": 0.1}, "faults": {"links": [{"loss": 0.01}]}}
    folder = run_small(temporary, tmp_path, "--replay", **keys)
    (job,) = rows(folder, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")


def test_racks_without_workers_have_no_process(tmp_path, temporary):
    topology = {"hosts": 4, "racks": 4, "parameter_servers": 1}
    folder = run_small(temporary, tmp_path, system="atp", topology=topology)
    assert [row["switch"] for row in rows(folder, "switch.csv")] == ["rack0", "rack1", "rack3"]


def test_dsa_adds_up_in_racks_in_spite_of_loss_and_preemptions(tmp_path, temporary):
    keys = {**TWO_JOBS, "system": "dsa", "switch/memory_bytes": "5kB"}
    keys["faults"] = {"links": [{"loss": 0.02}]}
    folder = run_small(temporary, tmp_path, **keys)
    jobs = rows(folder, "jobs.csv")
    assert [(job["iterations"], job["rejected_frames"]) for job in jobs] == [("2", "0")] * 2
    assert all(int(job["preemptions"]) > 0 for job in jobs)
    added = {row["switch"] for row in rows(folder, "switch.csv") if int(row["added"]) > 0}
    assert added == {"rack0", "rack2"}  # rack1 has one worker of each job


@pytest.mark.parametrize("losses", [{}, UPLINK_LOSSES], ids=["no loss", "a list of losses"])
@pytest.mark.parametrize("levels", [1, 2])
def test_all_switches_decide_as_the_simulators_do(tmp_path, temporary, levels, losses):
    keys = {**FIGURE_9, "atp": {"levels": levels}, "faults": losses}
    here = run_small(temporary, tmp_path / "testbed", "--replay", **keys)
    manifest = json.loads((here / "manifest.json").read_text())
    replayed = manifest["points"][0]["replayed"]
    assert replayed["arrivals"] >= 6 * FRAGMENTS
    assert replayed["decisions"] >= 6 * FRAGMENTS
    for folder in (here, simulate_small(tmp_path / "simulator", **keys)):
        lost = frames_of(folder, "frames_lost")
        assert {link: frames for link, frames in lost.items() if frames} == (LOST if losses else {})


def test_a_journal_is_of_its_own_rack(tmp_path):
    programs = Programs(PROGRAMS)
    keys = set_keys(**TWO_JOBS)
    overrides = [word for word in keys if word != "--set"]
    inputs = Inputs(programs, [SMALL], overrides, None, LIMITS)
    ((planned,),) = (plan["runs"] for plan in inputs.plans())
    journals = {}

    def keep(rack, journal):
        journals[rack] = tmp_path / f"rack{rack}"
        journals[rack].write_bytes(journal.read_bytes())
        return {}

    run(programs, Memif(), planned, keep)
    assert sorted(journals) == [0, 1, 2]

    def status(rack, journal):
        words = ("replay", SMALL, *keys, "--journal", journals[journal], "--rack", rack)
        return program("ina-sim", *words).returncode

    assert [status(rack, rack) for rack in range(3)] == [0, 0, 0]
    assert status(0, 2) == 3  # the second job has no workers there
    assert status(3, 2) == 2


@pytest.fixture
def cluster_of_racks(tmp_path):
    plan = program("ina-sim", "plan", SMALL, *set_keys(**FIGURE_9))
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(json.loads(plan.stdout)[0]["runs"][0]["cluster"]))
    return path


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--switch", "rack3", "--port", "0=net_memif0"], "--switch rack3; allowed: the name of"),
        (["--switch", "rack0", "--port", "rack1=net_memif1"], "--port rack1: no link of rack0"),
        (["--switch", "rack0", "--port", "2=net_memif1"], "--port 2: no link of rack0"),
        (["--port", "rack2=net_memif1"], "--port rack2: no link of rack2"),
        (["--switch", "rack0", "--port", "rack2=net_memif1"], "--port: none to host 0; allowed"),
        (["--port", "rack=net_memif1"], "--port rack=...; allowed: the number of a host, the name"),
        (["--port", "net_memif1"], "--port net_memif1; allowed: HOST=DEVICE, SWITCH=DEVICE"),
    ],
)
def test_links_that_racks_do_not_have_are_refused(cluster_of_racks, arguments, words):
    assert_refused(program("ina-switch", "--cluster", cluster_of_racks, *arguments), words)

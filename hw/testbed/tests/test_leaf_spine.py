# SPDX-License-Identifier: BSD-3-Clause
"""One switch process per leaf and spine. The spines only forward."""

import pytest

from hw.testbed.tests.support import (
    AGGREGATING,
    SMALL,
    SYSTEMS,
    assert_columns_alike,
    assert_refused,
    frames_of,
    ina_testbed,
    needs_namespaces,
    program,
    rows,
    run_small,
    set_keys,
    simulate_small,
)

TOPOLOGY = {
    "type": "leaf_spine",
    "racks": 2,
    "hosts_per_rack": 2,
    "spines": 2,
    "parameter_servers": 1,
    "root": "server_leaf",
}
LEAF_SPINE = {"topology": TOPOLOGY, "jobs/workers": 4}
TRUNKS = [f"leaf{leaf}-spine{spine}" for leaf in range(2) for spine in range(2)]


def run_leaf_spine(temporary, out, *options, **keys):
    return run_small(temporary, out, *options, **LEAF_SPINE | keys)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_sum_is_exact_in_spite_of_loss_between_switches(tmp_path, temporary, system):
    faults = {"links": [{"link": "racks", "loss": 0.02}]}
    folder = run_leaf_spine(temporary, tmp_path, system=system, faults=faults)
    (job,) = rows(folder, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")
    lost = frames_of(folder, "frames_lost")
    assert sum(lost.values()) > 0
    assert all("spine" in link for link, frames in lost.items() if frames)
    if system in AGGREGATING:
        assert_added_up_at_leaves(folder)


def assert_added_up_at_leaves(folder):
    """Leaves add, and a single spine forwards. With losses the links upwards may carry more frames
    than the workers sent, for example partial sums and requests of the server."""
    added = {row["switch"]: int(row["added"]) for row in rows(folder, "switch.csv")}
    assert {switch for switch, number in added.items() if number > 0} == {"leaf0", "leaf1"}
    frames = frames_of(folder)
    unused, used = sorted(frames[f"leaf0>spine{spine}"] for spine in range(2))
    assert unused == 0 < used


def test_the_tables_and_the_spines_taken_are_those_of_the_simulator(tmp_path, temporary):
    here = run_leaf_spine(temporary, tmp_path / "testbed", system="atp")
    there = simulate_small(tmp_path / "simulator", system="atp", **LEAF_SPINE)
    assert_columns_alike(here, there)
    used = [
        [(link, frames > 0) for link, frames in frames_of(folder).items()]
        for folder in (here, there)
    ]
    assert used[0] == used[1]


def test_a_trunk_loses_the_frames_of_a_list_by_its_name(tmp_path, temporary):
    faults = {
        "links": [
            {"link": trunk, "direction": "to_switch", "lost_frames": [0, 5]} for trunk in TRUNKS[:2]
        ]
    }
    folder = run_leaf_spine(temporary, tmp_path, system="atp", faults=faults)
    lost = {link: frames for link, frames in frames_of(folder, "frames_lost").items() if frames}
    assert list(lost.values()) == [2]
    assert set(lost) <= {"leaf0>spine0", "leaf0>spine1"}


@needs_namespaces
def test_every_sum_is_exact_through_the_kernel(tmp_path, temporary):
    folder = run_leaf_spine(temporary, tmp_path, "--links", "veth", system="atp")
    (job,) = rows(folder, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")


def test_jobs_are_registered_again_in_the_tree_when_the_servers_switch_reboots(tmp_path, temporary):
    """SwitchML loses its jobs with the switch. They get new processes, and perhaps another
    spine."""
    reboot = {"fault": "switch_reboots", "at": "10ms", "duration": "5ms"}
    keys = {"system": "switchml", "jobs/iterations": 4, "faults": {"nodes": [reboot]}}
    folder = run_leaf_spine(temporary, tmp_path, **keys)
    (job,) = rows(folder, "jobs.csv")
    assert (job["status"], job["registrations"]) == ("finished", "2")


def test_a_fat_tree_has_three_heights_of_switches(tmp_path, temporary):
    topology = {"type": "fat_tree", "k": 2, "parameter_servers": 1, "root": "server_leaf"}
    keys = {"topology": topology, "jobs/workers": 2, "system": "dsa"}
    folder = run_leaf_spine(temporary, tmp_path, **keys)
    (job,) = rows(folder, "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")
    assert frames_of(folder)["aggregation0>core0"] > 0
    added = {row["switch"] for row in rows(folder, "switch.csv") if int(row["added"]) > 0}
    assert added == {"edge1"}  # the other edge has one worker


def test_a_journal_is_of_a_star(tmp_path, temporary):
    keys = set_keys(system="atp", **LEAF_SPINE)
    done = ina_testbed(temporary, "run", SMALL, *keys, "--out", tmp_path / "out", "--replay")
    assert_refused(done, "--replay: found no star; allowed: a star, with or without racks")
    done = program("ina-sim", "replay", SMALL, *keys, "--journal", tmp_path / "none")
    assert_refused(done, '/topology/type: found "leaf_spine"; allowed with a journal: "star", with or without racks')

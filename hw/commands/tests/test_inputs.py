# SPDX-License-Identifier: BSD-3-Clause
"""Results of reading scenarios by the simulator's program, which is in the folder that INA_PROGRAMS
names."""

import os
from pathlib import Path

import pytest

from hw.commands.errors import CommandError
from hw.commands.inputs import Inputs, Limits, Programs, members
from hw.commands.statuses import WRONG_INPUT

TWO_SEEDS = Path(__file__).resolve().parent / "two-seeds.json"


def inputs(*overrides, seeds=None, limits=None):
    programs = Programs(Path(os.environ["INA_PROGRAMS"]))
    return Inputs(programs, [TWO_SEEDS], list(overrides), seeds, limits)


def cluster(*overrides, **options):
    (run,) = inputs(*overrides, seeds="1", **options).experiment_of_one_run()["runs"]
    return run["cluster"]


def test_members_are_the_workers_and_then_the_servers():
    hosts = [("host0", 0), ("host1", 1), ("host2", 2), ("host3", 3), ("host4", 4)]
    servers = [("ps0", 5), ("ps1", 6)]
    assert members(cluster()) == [(*one, "ina-worker") for one in hosts] + [
        (*one, "ina-ps") for one in servers
    ]


def test_servers_have_the_names_of_their_machines():
    jobs = '/jobs=[{"workers": 2, "profile": "dnn-a", "server": ["ps1", "host4"]}]'
    names = [(name, program) for name, _, program in members(cluster(jobs))]
    assert names[2:] == [("ps1", "ina-ps"), ("host4", "ina-ps")]


def test_members_of_a_system_without_servers_are_workers():
    programs = [program for _, _, program in members(cluster("/system=switchml"))]
    assert programs == ["ina-worker"] * 5


def test_each_seed_is_a_run():
    (experiment,) = inputs().plans()
    assert [run["seed"] for run in experiment["runs"]] == [1, 2]


def test_several_runs_are_refused_where_one_is_wanted():
    with pytest.raises(CommandError) as caught:
        inputs().experiment_of_one_run()
    words = f"{TWO_SEEDS}: 2 runs; allowed: one, chosen by --set and --seeds"
    assert (str(caught.value), caught.value.status) == (words, WRONG_INPUT)


def test_what_the_program_has_refused_already_is_refused_without_a_word(capfd):
    with pytest.raises(CommandError) as caught:
        inputs("/system=none").plans()
    assert (str(caught.value), caught.value.status) == ("", WRONG_INPUT)
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_limits_hold_whatever_the_scenario_says():
    limits = Limits(least_timeout_ps=20 * 10**9, most_packets=3)
    assert cluster(limits=limits) != cluster()

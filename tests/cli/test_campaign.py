# SPDX-License-Identifier: BSD-3-Clause
"""Random campaigns in the simulator can fail: they find mistakes, and report events that never happened."""

import collections
import json

import ina_sim
import node_campaign
import pytest

RUNS = 30
MISTAKES = [
    (system, mistake) for mistake, systems in node_campaign.MISTAKES.items() for system in systems
]


@pytest.mark.parametrize(("system", "mistake"), MISTAKES)
def test_a_mistake_is_found_and_its_scenario_kept(tmp_path, capsys, system, mistake):
    counts = collections.Counter()
    seeds = range(1, RUNS + 1)
    found = [s for s in seeds if not node_campaign.run(system, s, tmp_path, counts, mistake)]
    assert found
    said = capsys.readouterr().out
    for seed in found:
        scenario = tmp_path / f"{system}-{seed}.json"
        assert f"{system}, seed {seed}: status 3: " in said
        assert f"replay: ./ina run {scenario}" in said
        assert json.loads(scenario.read_text())["seeds"] == seed
        assert ina_sim.ina("run", scenario, "--out", tmp_path / "again").returncode == 3
    assert "/time_limit: not done after 60s of simulated time: job " in said
    (tmp_path / "right").mkdir()
    # The same scenarios without the mistake pass: see simulator-campaign-*.
    assert all(node_campaign.run(system, s, tmp_path / "right", counts) for s in found[:3])


@pytest.mark.parametrize("system", node_campaign.SYSTEMS)
def test_a_fault_that_never_came_is_missed(system):
    missed = node_campaign.what_did_not_happen(system, collections.Counter())
    counts = collections.Counter(missed)
    assert node_campaign.what_did_not_happen(system, counts) == []
    for what in missed:
        others = counts - collections.Counter([what])
        assert node_campaign.what_did_not_happen(system, others) == [what]

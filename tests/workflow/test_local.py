# SPDX-License-Identifier: BSD-3-Clause
"""Tests the workflow on this machine."""

import json
import os
import re
import signal
import subprocess
import time

import ina_sim
import pytest
import snakemake_runs
from snakemake_runs import assert_is_that_of_one_run, kill_in_the_middle

pytest.importorskip("snakemake", reason="snakemake is not installed")

import sweeps  # scenarios/workflow; needs Snakemake
from snakemake.exceptions import WorkflowError


def workflow(folder, scenario, *arguments, **config):
    return snakemake_runs.run(folder, "local", scenario, config, *arguments)


def succeeds(folder, scenario, *arguments, **config):
    done = workflow(folder, scenario, *arguments, **config)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_slices_of_several_scenarios_become_what_one_run_makes(tiny, tmp_path):
    content = json.loads(tiny.read_text())
    del content["sweep"]
    base, other = tmp_path / "base.json", tmp_path / "other.json"
    base.write_text(json.dumps(content))
    other.write_text('{"extends": "base.json", "system": "ps"}')
    both = f'["{tiny}", "{other}"]'
    said = succeeds(tmp_path, both, slices=3, seeds="1-2")
    assert said.count("rule slice:") == 3 + 2  # limited to the number of runs
    for scenario in (tiny, other):
        assert_is_that_of_one_run(tmp_path, scenario, tmp_path / "whole", "--seeds", "1-2")
    assert "Nothing to be done" in succeeds(tmp_path, both, slices=3, seeds="1-2")
    base.write_text(json.dumps(content | {"description": "changed"}))
    said = succeeds(tmp_path, both, "--dry-run", slices=3, seeds="1-2")
    assert "name=other" in said and "name=tiny" not in said


def test_killed_in_the_middle_and_started_again_it_gives_the_same_bytes(long, tmp_path):
    finished = kill_in_the_middle(tmp_path, "local", long, {"slices": 2})
    assert 0 < len(finished) < 6
    assert not (tmp_path / "results" / "long").exists()
    succeeds(tmp_path, long, slices=2)
    assert_is_that_of_one_run(tmp_path, long, tmp_path / "whole")
    assert {path: path.read_bytes() for path in finished} == finished  # kept, including their times


def test_killed_between_merging_and_noting_it_the_workflow_goes_on(tiny, tmp_path):
    succeeds(tmp_path, tiny, slices=1)
    (tmp_path / "results" / "tiny" / ".merged").unlink()
    assert "rule merge:" in succeeds(tmp_path, tiny, slices=1)
    assert_is_that_of_one_run(tmp_path, tiny, tmp_path / "whole")


def test_a_slice_that_fails_is_tried_again(tiny, tmp_path):
    program = tmp_path / "sometimes"
    program.write_text(
        '#!/bin/sh\n[ "$1" != run ] || [ -e tried ] || { touch tried; echo no room >&2; exit 1; }\n'
        'exec "$INA_SIM" "$@"\n'
    )
    program.chmod(0o755)
    said = succeeds(tmp_path, tiny, slices=1, program=program)
    assert "no room" in said and "Trying to restart job" in said
    assert_is_that_of_one_run(tmp_path, tiny, tmp_path / "whole")


def test_results_of_another_scenario_are_not_replaced(tiny, tmp_path):
    kept = ina_sim.run(tiny, tmp_path / "results", {"/jobs/workers": 1})
    before = {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}
    done = workflow(tmp_path, tiny, "--retries", "0", slices=1)
    assert done.returncode == 1
    assert "of another experiment" in done.stderr
    assert {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()} == before


def test_what_is_configured_wrongly_is_refused_before_anything_runs(tiny, tmp_path):
    done = workflow(tmp_path, tiny, seeds="none")
    assert done.returncode == 1
    assert "(--seeds): " in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"slice": 3}, "config: found slice; allowed: scenarios, out, slices,"),
        ({"scenarios": []}, "config: no scenarios; allowed: --config scenarios=FILE"),
        ({"slices": 0}, "config: slices: found 0; allowed: a number from 1"),
        ({"slices": {"tiny": "many"}}, "config: slices: found many; allowed: a number from 1"),
        ({"parallel": -1}, "config: parallel: found -1; allowed: a number from 1"),
        ({"program": "gone"}, "gone: no such program; allowed: after ./ina build ina-sim"),
    ],
)
def test_a_refusal_says_where_and_what_is_allowed(tiny, config, words):
    read = {"scenarios": str(tiny), "program": ina_sim.program()} | config
    with pytest.raises(WorkflowError, match=re.escape(words)):
        sweeps.find_sweeps(sweeps.Settings.read(read))


def test_a_scenario_may_have_a_number_of_slices_of_its_own(tiny):
    read = {"scenarios": str(tiny), "program": ina_sim.program()}
    for slices, found in (({"tiny": 3}, 3), ({"other": 3}, 4), (2, 2)):  # it has four runs
        (sweep,) = sweeps.find_sweeps(sweeps.Settings.read(read | {"slices": slices}))
        assert (sweep.name, sweep.slices) == ("tiny", found)


def test_all_files_that_a_scenario_names_are_looked_at(tmp_path):
    for name in ("base.json", "layers.csv", "trace.csv"):
        (tmp_path / name).write_text('{"jobs": [{"profile": "layers.csv"}]}')
    top = tmp_path / "top.json"
    top.write_text('{"extends": "base.json", "name": "top.json", "jobs": {"trace": "trace.csv"}}')
    named = [path.name for path in sweeps.files_of(top)]
    assert named == ["top.json", "top.json", "trace.csv", "base.json", "layers.csv"]


def reproduce(out, program):
    command = ["/usr/bin/python3", "-P", "-m", "analysis", "reproduce", "S2", "--workflow"]
    return subprocess.Popen(
        [*command, "--parallel", "2", "--set", "/payload=none", "--program", program, "--out", out],
        env=os.environ | {"PYTHONPATH": str(ina_sim.REPOSITORY)}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_result_is_reproduced_by_the_workflow(tmp_path):
    started = reproduce(tmp_path, ina_sim.program())
    said = started.communicate()[1]
    assert started.returncode == 0, said
    scenario = ina_sim.SCENARIOS / "papers" / "switchml" / "s2.json"
    whole = ina_sim.run(scenario, tmp_path / "whole", {"/payload": "none"})
    assert ina_sim.tables(tmp_path / "s2") == ina_sim.tables(whole)
    assert len(list(tmp_path.glob("s2-slice-*"))) > 1
    assert (tmp_path / "S2.html").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_slices_and_then_the_command(tmp_path, number):
    program = tmp_path / "endless"
    program.write_text(
        f'#!/bin/sh\n[ "$1" != run ] || {{ echo $$ >{tmp_path}/slice-$$; exec sleep 600; }}\n'
        'exec "$INA_SIM" "$@"\n'
    )
    program.chmod(0o755)
    started = reproduce(tmp_path / "out", program)
    while len(slices := list(tmp_path.glob("slice-*"))) < 2:
        assert started.poll() is None, started.stderr.read()
        time.sleep(0.05)
    started.send_signal(number)
    started.communicate()
    assert started.returncode == 130
    for path in slices:
        assert not os.path.exists(f"/proc/{path.name.removeprefix('slice-')}")
    assert not (tmp_path / "out" / "S2.html").exists()

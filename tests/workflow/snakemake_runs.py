# SPDX-License-Identifier: BSD-3-Clause
"""Runs the workflow like a user, with the simulator of INA_SIM."""

import json
import os
import subprocess
import time

import ina_sim

WORKFLOW = ina_sim.SCENARIOS / "workflow"
PATIENCE_S = 120


def command(profile, scenario, config, *arguments):
    keys = {"scenarios": scenario, "program": ina_sim.program()} | config
    return [
        "snakemake", "--snakefile", WORKFLOW / "Snakefile", "--profile", WORKFLOW / "profiles" / profile,
        *arguments, "--config", *(f"{key}={value}" for key, value in keys.items()),
    ]  # fmt: skip


def run(folder, profile, scenario, config, *arguments, **environment):
    """Returns the finished process. Its standard error lists what it did."""
    return subprocess.run(
        list(map(str, command(profile, scenario, config, *arguments))), cwd=folder,
        env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def kill_in_the_middle(folder, profile, scenario, config, *arguments, **environment):
    """Starts the workflow and kills it when some of its runs have finished. Returns {manifest:
    content}."""
    started = subprocess.Popen(
        list(map(str, command(profile, scenario, config, *arguments))), cwd=folder,
        env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    end = time.monotonic() + PATIENCE_S
    while not (finished := finished_runs(folder)) and started.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.02)
    started.kill()
    started.wait()
    return {path: path.read_bytes() for path in finished}


def finished_runs(folder):
    return list(folder.glob("results/*-slice-*/points/*-seed[0-9]/manifest.json"))


def assert_is_that_of_one_run(folder, scenario, elsewhere, *arguments):
    """Compares the merged tables with those of a single run, byte by byte."""
    whole = ina_sim.run(scenario, elsewhere, {}, *arguments)
    merged = folder / "results" / scenario.stem
    assert ina_sim.tables(merged) == ina_sim.tables(whole)
    seeds_and_points = [
        [(point["point"], point["seed"]) for point in json.loads(path.read_text())["points"]]
        for path in (merged / "manifest.json", whole / "manifest.json")
    ]
    assert seeds_and_points[0] == seeds_and_points[1]

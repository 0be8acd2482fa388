# SPDX-License-Identifier: BSD-3-Clause
"""Tests sweeps on Slurm: by the workflow, and by the script in the manual."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import ina_sim
import pytest
import slurm_node
import snakemake_runs
from snakemake_runs import assert_is_that_of_one_run, kill_in_the_middle

QUICKLY = ("--max-status-checks-per-second", "1")  # the default is twice a minute


@pytest.fixture(scope="module")
def slurm():
    """The environment of the cluster's commands."""
    with tempfile.TemporaryDirectory(prefix="ina-slurm-") as folder:  # sockets need short paths
        try:
            with slurm_node.cluster(Path(folder)) as environment:
                yield environment
        except slurm_node.CannotStart as error:
            pytest.skip(f"no Slurm: {error}")


def test_killed_in_the_middle_and_started_again_slurm_gives_the_same_bytes(slurm, long, tmp_path):
    pytest.importorskip("snakemake", reason="snakemake is not installed")
    config = {"slices": 2}
    finished = kill_in_the_middle(tmp_path, "slurm", long, config, *QUICKLY, **slurm)
    assert 0 < len(finished) < 6
    assert not (tmp_path / "results" / "long").exists()
    done = snakemake_runs.run(tmp_path, "slurm", long, config, *QUICKLY, **slurm)
    assert done.returncode == 0, done.stderr
    assert "submitted with SLURM jobid" in done.stderr
    assert_is_that_of_one_run(tmp_path, long, tmp_path / "whole")
    assert {path: path.read_bytes() for path in finished} == finished  # kept, including their times


def test_the_script_for_sbatch_in_the_readme_makes_what_one_run_makes_also_of_tasks_submitted_again(slurm, tiny, tmp_path):
    script, commands = shown("#SBATCH"), shown("sbatch --wait")
    (tmp_path / "sweep.sh").write_text(script)
    (tmp_path / "my-cluster.json").write_bytes(tiny.read_bytes())
    launcher = tmp_path / "ina"  # the real one would build
    launcher.write_text('#!/bin/sh\n[ "$1" = build ] || exec "$INA_SIM" "$@"\n')
    launcher.chmod(0o755)
    submit(commands, tmp_path, slurm)
    assert len(list(tmp_path.glob("results/my-cluster-slice-*-of-16"))) == 16
    assert_is_that_of_one_run(tmp_path, tmp_path / "my-cluster.json", tmp_path / "whole")

    shutil.rmtree(tmp_path / "results" / "my-cluster")
    for number in (3, 7):
        shutil.rmtree(tmp_path / "results" / f"my-cluster-slice-{number}-of-16")
    submit(shown("sbatch --array=3,7"), tmp_path, slurm)
    assert_is_that_of_one_run(tmp_path, tmp_path / "my-cluster.json", tmp_path / "whole again")


def submit(commands, folder, slurm):
    done = subprocess.run(
        ["sh", "-ec", commands], cwd=folder, env=slurm, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + "".join(map(Path.read_text, folder.glob("*.out")))


def shown(words):
    """The shell script in the manual that contains all of these lines."""
    text = (ina_sim.REPOSITORY / "docs/how-to/run-a-sweep.md").read_text()
    (block,) = [one for one in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) if words in one]
    return block

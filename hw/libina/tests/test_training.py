# SPDX-License-Identifier: BSD-3-Clause
"""The example, shortened: all systems train the same network, and gloo nearly the same."""

import csv
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hw.testbed.tests.support import (
    PROGRAMS,
    ROOT,
    SYSTEMS,
    environment,
    ina_testbed,
    set_keys,
)

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
STEPS = 12

if importlib.util.find_spec("torch") is None:
    pytest.skip("no PyTorch: python3-torch is not installed", allow_module_level=True)


def train(temporary, out, *options, system="atp"):
    done = ina_testbed(
        temporary,
        *("exec", EXAMPLES / "cluster.json", *set_keys(system=system), "--"),
        *(sys.executable, EXAMPLES / "train.py", "--steps", STEPS, "--out", out, *options),
    )
    assert done.returncode == 0, done.stderr


def steps(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def test_all_systems_train_alike_and_as_gloo(tmp_path, temporary):
    for system in SYSTEMS:
        train(temporary, tmp_path / system, system=system)
    trained = {(tmp_path / system).read_bytes() for system in SYSTEMS}
    assert len(trained) == 1  # sums of integers have the same bits in any order of addition
    train(temporary, tmp_path / "gloo", "--gradients", "gloo")
    ours, gloo = steps(tmp_path / "atp"), steps(tmp_path / "gloo")
    assert len(ours) == len(gloo) == STEPS
    assert ours[-1]["accuracy"] > 2 * ours[0]["accuracy"]  # the network learns
    for step, reference in zip(ours, gloo, strict=True):
        assert step["loss"] == pytest.approx(reference["loss"], rel=1e-5)
        assert step["accuracy"] == pytest.approx(reference["accuracy"], abs=0.001)


LAUNCHER = f"""#!/bin/sh
verb=$2
shift 2
exec {sys.executable} -P -m hw.testbed "$verb" --programs {PROGRAMS} "$@"
"""


def test_compare_trains_with_every_system_and_draws(tmp_path, temporary):
    """Runs the example in a copy of its folder, in which the launcher runs the programs under
    test."""
    copy = tmp_path / "lab"
    examples = copy / EXAMPLES.relative_to(ROOT)
    shutil.copytree(EXAMPLES, examples)
    for package in ("analysis", "hw/commands", "hw/files"):
        (copy / package).symlink_to(ROOT / package)
    launcher = copy / "ina"
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)
    out = tmp_path / "out"
    done = subprocess.run(
        [examples / "compare", out, "2"],
        env=environment(temporary),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    names = ("switchml", "atp", "dsa", "gloo")
    assert {path.name for path in out.iterdir()} == {"accuracy.png", *(f"{name}.csv" for name in names)}
    assert all(len(steps(out / f"{name}.csv")) == 2 for name in names)


def test_compare_asks_for_a_folder():
    done = subprocess.run([EXAMPLES / "compare"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "compare: no folder; allowed: compare FOLDER [STEPS]\n"

# SPDX-License-Identifier: BSD-3-Clause
"""The example, shortened: what the network learns does not depend on how gradients are summed."""

import csv
import importlib.util
import sys
from pathlib import Path

import pytest

from hw.testbed.tests.support import SYSTEMS, ina_testbed, set_keys

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
    assert len(trained) == 1  # integers: the same bits in whatever order they are added
    train(temporary, tmp_path / "gloo", "--gradients", "gloo")
    ours, gloo = steps(tmp_path / "atp"), steps(tmp_path / "gloo")
    assert len(ours) == len(gloo) == STEPS
    assert ours[-1]["accuracy"] > 2 * ours[0]["accuracy"]  # it learns
    for step, reference in zip(ours, gloo, strict=True):
        assert step["loss"] == pytest.approx(reference["loss"], rel=1e-5)
        assert step["accuracy"] == pytest.approx(reference["accuracy"], abs=0.001)

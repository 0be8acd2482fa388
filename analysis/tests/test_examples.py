# SPDX-License-Identifier: BSD-3-Clause
"""The examples in analysis/examples run as they are written."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "analysis" / "examples"
EXAMPLE = EXAMPLES / "own_figure.py"
ACCURACY = EXAMPLES / "accuracy_figure.py"


def test_the_example_computes_means_with_intervals_and_draws_a_figure(result_folder, tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    variants = {"SwitchML": "switchml", "ATP": "atp", "DSA": "dsa"}
    result_folder("results/quickstart", axes={"/jobs/count": [1, 2, 4]}, variants=variants)
    ended = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLE], cwd=tmp_path, text=True, capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "analysis"), "MPLBACKEND": "Agg"}, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    found = re.findall(r"(\S+) +(\d) jobs: ([\d.]+) ms, ([\d.]+) to ([\d.]+)", ended.stdout)
    assert [(variant, count) for variant, count, *_ in found] == [
        (variant, count) for variant in variants for count in "124"
    ]
    assert all(float(low) < float(mean) < float(high) for *_, mean, low, high in found)
    assert (folder / "own-figure.pdf").read_bytes().startswith(b"%PDF")
    assert (folder / "own-figure.png").read_bytes().startswith(b"\x89PNG")


def test_accuracy_is_drawn_from_what_a_training_writes(tmp_path):
    for index, name in enumerate(("switchml", "atp", "dsa", "gloo")):
        lines = [f"{step},{1 / step + index * 1e-7},{1 - 1 / step}" for step in range(1, 30)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["step,loss,accuracy", *lines]) + "\n")
    ended = subprocess.run(
        [sys.executable, "-W", "error", ACCURACY, tmp_path], text=True, capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (tmp_path / "accuracy.png").read_bytes().startswith(b"\x89PNG")


def test_every_example_is_run_here():
    assert set(EXAMPLES.glob("*.py")) == {EXAMPLE, ACCURACY}


def test_the_example_is_in_cells():
    assert EXAMPLE.read_text().count("\n# %% ") >= 4

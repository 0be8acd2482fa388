# SPDX-License-Identifier: BSD-3-Clause
"""The figure in README shows the simulator's results. analysis/images/renew redraws it."""

import json
import subprocess

import ina_sim
import pytest

FIGURES = ina_sim.REPOSITORY / "analysis" / "images"


def test_quickstart_gives_the_numbers_of_the_figure(tmp_path):
    folder = ina_sim.run(ina_sim.SCENARIOS / "quickstart.json", tmp_path)
    numbers = tmp_path / "numbers.json"
    subprocess.run(
        ["/usr/bin/python3", "-m", "analysis", "plot", folder, "--json", numbers],
        cwd=ina_sim.REPOSITORY, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    found = json.loads(numbers.read_text())["points"]
    committed = json.loads((FIGURES / "quickstart.json").read_text())["points"]
    scenario = json.loads((ina_sim.SCENARIOS / "quickstart.json").read_text())
    assert len(committed) == len(scenario["variants"]) * len(scenario["sweep"]["/jobs/count"])
    assert found == [pytest.approx(point, rel=1e-9) for point in committed], (
        "run analysis/images/renew, look at the figure, and commit it"
    )

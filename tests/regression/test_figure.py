# SPDX-License-Identifier: BSD-3-Clause
"""Figures of the README and the manual show the simulator's results. analysis/images/renew redraws them."""

import json
import subprocess
from dataclasses import asdict

import ina_sim
import pytest

from analysis import time_line
from analysis.images import sequences

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


@pytest.mark.parametrize(
    ("scenario", "names"),
    [("packet", ["switchml", "atp", "dsa"]), ("collision", ["atp-collision", "dsa-collision"])],
)
def test_traces_give_the_messages_of_the_sequence_diagrams(scenario, names, tmp_path):
    committed = json.loads((FIGURES / "sequences.json").read_text())
    for point, name in enumerate(names):
        file = tmp_path / f"{name}.trace.json"
        done = ina_sim.ina("trace", FIGURES / "scenarios" / f"{scenario}.json",
                           "--point", str(point), "--frames", "--out", file)  # fmt: skip
        assert done.returncode == 0, done.stderr
        line = time_line.read(file)
        found = {
            "messages": list(map(asdict, sequences.messages_of(line))),
            "occupations": list(map(asdict, sequences.occupations_of(line))),
        }
        assert found == committed[name], "run analysis/images/renew, look at the figures, and commit them"

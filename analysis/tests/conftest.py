# SPDX-License-Identifier: BSD-3-Clause
"""Synthetic result folders, as the simulator writes them."""

import csv
import itertools
import json

import pytest

SLOWDOWN = {"dsa": 1.0, "atp": 1.25, "switchml": 1.4, "switchml-starved": 1.8}
VALUES = 1_000_000
PARTS = {
    "compute_us": 0.3,
    "serialisation_us": 0.4,
    "queueing_us": 0.1,
    "slot_wait_us": 0.0,
    "straggler_us": 0.15,
    "fallback_us": 0.05,
    "recovery_us": 0.0,
}


class ResultFolder:
    """A sweep of `axes` ({key: values}) over systems and seeds with two jobs a run.

    The JCT grows with every numeric value, differs between systems by SLOWDOWN and spreads over
    seeds; `scale` multiplies it.
    """

    def __init__(
        self, path, axes=None, systems=("switchml", "atp", "dsa"), seeds=(1, 2, 3), scale=1.0
    ):
        self.path = path
        self.axes = axes if axes is not None else {"/jobs/count": [1, 2, 4, 8]}
        self.systems, self.seeds, self.scale = systems, seeds, scale
        path.mkdir()
        self.write_manifest()
        self.write("jobs.csv", ["job", "jct_us", "values", "status"], self.job_rows)
        self.write("iterations.csv", ["job", "iteration", "iteration_us", *PARTS], self.iteration_rows)

    def write_manifest(self):
        axes = {"/system": list(self.systems), **self.axes}
        content = {
            "name": "synthetic",
            "axes": [{"key": key, "values": values} for key, values in axes.items()],
            "seeds": list(self.seeds),
        }
        (self.path / "manifest.json").write_text(json.dumps(content))

    def runs(self):
        swept = itertools.product(self.systems, *self.axes.values())
        for point, (system, *values) in enumerate(swept):
            for seed in self.seeds:
                yield point, values, system, seed

    def jct_us(self, values, system, seed):
        numbers = [value for value in values if isinstance(value, (int, float))]
        return self.scale * SLOWDOWN[system] * (1000 + 250 * sum(numbers)) * (1 + 0.03 * (seed - 2))

    def job_rows(self, jct):
        return [[job, jct + 100 * (job - 0.5), VALUES, "finished"] for job in (0, 1)]

    def iteration_rows(self, jct):
        parts = [share * jct for share in PARTS.values()]
        return [[job, iteration, jct, *parts] for job in (0, 1) for iteration in (0, 1)]

    def write(self, file, columns, rows_of):
        with open(self.path / file, "w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(["point", "/system", *self.axes, "system", "seed", *columns])
            for point, values, system, seed in self.runs():
                for row in rows_of(self.jct_us(values, system, seed)):
                    writer.writerow([point, system, *values, system, seed, *row])


@pytest.fixture
def result_folder(tmp_path):
    """Makes result folders: result_folder(name, **arguments of ResultFolder) -> path."""
    return lambda name="results", **arguments: ResultFolder(tmp_path / name, **arguments).path

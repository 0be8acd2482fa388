# SPDX-License-Identifier: BSD-3-Clause
"""Synthetic result folders in the format of the simulator."""

import csv
import io
import itertools
import json
import sys
import zlib
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot
from PIL import Image

from analysis.kinds import figure_files, style

matplotlib.use("Agg")
sys.path.append(str(Path(__file__).resolve().parents[1]))  # inalab

SLOWDOWN = {"dsa": 1.0, "atp": 1.25, "switchml": 1.4, "ring": 1.5}
VALUES = 1_000_000
PARTS = {
    "compute_us": 0.3,
    "serialisation_us": 0.4,
    "propagation_us": 0.02,
    "queueing_us": 0.08,
    "slot_wait_us": 0.0,
    "window_wait_us": 0.05,
    "straggler_us": 0.08,
    "lateness_us": 0.02,
    "fallback_us": 0.05,
    "recovery_us": 0.0,
}
JOBS = ("job", "profile", "iterations", "jct_us", "iteration_mean_us", "values", "status")
ITERATIONS = ("job", "iteration", "period_us", *PARTS)
SWITCH = ("time_us", "switch", "job", "occupied_aggregators")
LINKS = ("link", "frames_sent")


class ResultFolder:
    """A sweep of `axes` ({key: values}) over systems and seeds, with two jobs per run.

    The time of an iteration grows with every numeric value, differs between systems by SLOWDOWN,
    varies over seeds, and is multiplied by `scale`. `fails(values, system)`: whether all jobs of a
    point are killed. `numbers`: numeric columns of axes, {key: (column, values)}. `variants`
    ({name: system}) replace the systems. `tables` adds or replaces tables: {file: (columns, rows of
    each run)}. `baseline`: name of a system or variant.
    """

    def __init__(
        self, path, axes=None, systems=("switchml", "atp", "dsa"), seeds=(1, 2, 3), scale=1.0,
        iterations=1, fails=lambda values, system: False, numbers=None, variants=None, tables=None,
        baseline=None,
    ):
        self.path = path
        self.axes = axes if axes is not None else {"/jobs/count": [1, 2, 4, 8]}
        self.systems, self.seeds, self.scale = systems, seeds, scale
        self.iterations, self.fails = iterations, fails
        self.numbers, self.variants = numbers or {}, variants
        self.baseline = baseline or ("DSA" if variants else "dsa")
        path.mkdir()
        self.write("jobs.csv", JOBS, self.job_rows)
        self.write("iterations.csv", ITERATIONS, self.iteration_rows)
        self.write("switch.csv", SWITCH, lambda *run: [[1.5, "switch", job, 3] for job in (0, 1)])
        self.write("links.csv", LINKS, lambda *run: [["host0>switch", 7], ["switch>host0", 7]])
        for file, (columns, rows) in (tables or {}).items():
            self.write(file, columns, lambda *run, rows=rows: rows)
        self.write_manifest()

    def write_manifest(self):
        names = {"/variants": self.variants} if self.variants else {"/system": self.systems}
        axes = {key: list(values) for key, values in names.items()} | self.axes
        content = {
            "name": "synthetic",
            "axes": [self.axis(key, values) for key, values in axes.items()],
            "baseline": self.baseline_among(names),
            "seeds": list(self.seeds),
            "points": [{"point": point, "seed": seed} for point, _, _, _, seed in self.runs()],
            "tables_crc32": {
                table.name: f"{zlib.crc32(table.read_bytes()):08x}"
                for table in sorted(self.path.glob("*.csv"))
            },
        }
        (self.path / "manifest.json").write_text(json.dumps(content))

    def baseline_among(self, names):
        ((key, values),) = names.items()
        return {"key": key, "value": self.baseline} if self.baseline in values else None

    def axis(self, key, values):
        axis = {"key": key, "values": values}
        if key in self.numbers:
            column, numbers = self.numbers[key]
            axis["numbers"] = {"column": column, "values": numbers}
        return axis

    def runs(self):
        compared = [([name], system) for name, system in (self.variants or {}).items()]
        compared = compared or [([], system) for system in self.systems]
        swept = itertools.product(compared, *self.axes.values())
        for point, ((variant, system), *values) in enumerate(swept):
            for seed in self.seeds:
                yield point, values, variant, system, seed

    def time_us(self, values, system, seed):
        numbers = [value for value in values if isinstance(value, (int, float))]
        return self.scale * SLOWDOWN[system] * (1000 + 250 * sum(numbers)) * (1 + 0.03 * (seed - 2))

    def job_rows(self, time, failed):
        for job in (0, 1):
            iteration = time + 100 * (job - 0.5)
            times = ["", ""] if failed else [self.iterations * iteration, iteration]
            status = "killed" if failed else "finished"
            done = 0 if failed else self.iterations
            yield [job, "dnn-a", done, *times, VALUES, status]

    def iteration_rows(self, time, failed):
        parts = [share * time for share in PARTS.values()]
        done = 0 if failed else self.iterations
        return [[job, index, time, *parts] for job in (0, 1) for index in range(done)]

    def write(self, file, columns, rows_of):
        with open(self.path / file, "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            variant = ["variant"] if self.variants else []
            writer.writerow(["point", *self.swept_columns(), *variant, "system", "seed", *columns])
            for point, values, variant, system, seed in self.runs():
                lead = [point, *self.swept_cells(values), *variant, system, seed]
                for row in rows_of(self.time_us(values, system, seed), self.fails(values, system)):
                    writer.writerow([*lead, *row])

    def swept_columns(self):
        for key in self.axes:
            yield from [key, *self.numbers.get(key, ())[:1]]

    def swept_cells(self, values):
        for key, value in zip(self.axes, values):
            yield value
            if key in self.numbers:
                yield self.numbers[key][1][self.axes[key].index(value)]


@pytest.fixture
def result_folder(tmp_path):
    """Creates result folders: result_folder(name, **arguments of ResultFolder) -> path."""
    return lambda name="results", **arguments: ResultFolder(tmp_path / name, **arguments).path


@pytest.fixture
def edit():
    """Changes a table of a result folder and adapts the manifest as if the run had written it:
    edit(folder, file, {old: new})."""

    def change(folder, file, changes):
        text = (folder / file).read_text()
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        (folder / file).write_text(text)
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["tables_crc32"][file] = f"{zlib.crc32(text.encode()):08x}"
        (folder / "manifest.json").write_text(json.dumps(manifest))

    return change


@pytest.fixture
def unrendered(monkeypatch):
    """Lays out figures, but renders them with one pixel each."""
    pixel = io.BytesIO()
    Image.new("P", (1, 1)).save(pixel, "png", dpi=(100, 100))
    monkeypatch.setattr(
        figure_files, "rendered", lambda pages, kinds, source: {kinds[0]: [pixel.getvalue() for _ in pages]}
    )


@pytest.fixture(autouse=True)
def cheap_figures(monkeypatch):
    """Avoids rendering and font subsets, which take most of the time and which no test looks at."""
    monkeypatch.setitem(style.PAPER, "savefig.dpi", 40)
    monkeypatch.setitem(style.PAPER, "pdf.fonttype", 3)
    yield
    pyplot.close("all")

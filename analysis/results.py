# SPDX-License-Identifier: BSD-3-Clause
"""Reads result folders: the manifest, the axes of the sweep and the merged CSV files."""

import json
from dataclasses import dataclass
from pathlib import Path

import pandas

from analysis import quantities

# These swept keys have columns of their own: `system` and `seed`.
SYSTEM_KEY = "/system"
SEED_KEY = "/seed"


class AnalysisError(Exception):
    """What is wrong with the input, in one line."""


@dataclass(frozen=True)
class Axis:
    """One swept key; `values` are its texts in the order of the sweep."""

    key: str
    values: tuple[str, ...]

    @property
    def numbers(self):
        """The values as numbers in one `unit`, or None if they are categories."""
        return quantities.common_scale(self.values)[0]

    @property
    def unit(self):
        return quantities.common_scale(self.values)[1]


@dataclass(frozen=True)
class Results:
    folder: Path
    name: str
    axes: tuple[Axis, ...]  # without system and seed
    system_order: tuple[str, ...]  # empty if the system is not swept

    @property
    def keys(self):
        return [axis.key for axis in self.axes]

    def table(self, file, numeric_columns):
        """Columns `point`, the swept keys (text), `system`, `seed` and the numeric ones."""
        path = self.folder / file
        return numeric(read_csv(path, self.keys, numeric_columns), numeric_columns, path)

    def finished_jobs(self, columns):
        """The rows of jobs.csv of jobs that finished, as table() gives them."""
        path = self.folder / "jobs.csv"
        jobs = read_csv(path, self.keys, [*columns, "status"])
        finished = jobs[jobs["status"] == "finished"].drop(columns="status")
        if finished.empty:
            raise AnalysisError(f"{path}: no job finished")
        return numeric(finished, columns, path)

    def systems(self, table):
        """The systems of a table in the order of the sweep, or of their first appearance."""
        present = list(dict.fromkeys(table["system"]))
        swept = [system for system in self.system_order if system in present]
        return swept + [system for system in present if system not in swept]


def read(folder):
    """The results in a folder; its CSV files are read when asked for."""
    folder = Path(folder)
    if not folder.is_dir():
        raise AnalysisError(f"{folder}: no such folder")
    manifest = read_manifest(folder / "manifest.json")
    axes = [read_axis(axis, folder) for axis in manifest.get("axes", [])]
    return Results(
        folder=folder,
        name=manifest.get("name", folder.name),
        axes=tuple(axis for axis in axes if axis.key not in (SYSTEM_KEY, SEED_KEY)),
        system_order=next((axis.values for axis in axes if axis.key == SYSTEM_KEY), ()),
    )


def read_manifest(path):
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise AnalysisError(f"{path}: no such file, so this is not a result folder") from None
    except (OSError, ValueError) as error:
        raise AnalysisError(f"{path}: {error}") from None
    if not isinstance(manifest, dict):
        raise AnalysisError(f"{path}: an object was expected")
    return manifest


def read_axis(axis, folder):
    try:
        return Axis(axis["key"], tuple(text_of(value) for value in axis["values"]))
    except (TypeError, KeyError):
        raise AnalysisError(
            f"{folder / 'manifest.json'}: every one of `axes` needs `key` and `values`"
        ) from None


def text_of(value):
    """A swept value as the CSV files write it."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def read_csv(path, keys, columns):
    wanted = ["point", *keys, "system", "seed", *columns]
    texts = {column: str for column in [*keys, "system"]}
    try:
        table = pandas.read_csv(path, dtype=texts, keep_default_na=False)
    except FileNotFoundError:
        raise AnalysisError(f"{path}: no such file") from None
    except pandas.errors.EmptyDataError:
        raise AnalysisError(f"{path}: the file is empty") from None
    except (OSError, ValueError) as error:
        raise AnalysisError(f"{path}: {' '.join(str(error).split())}") from None
    missing = [column for column in wanted if column not in table.columns]
    if missing:
        raise AnalysisError(f"{path}: missing column {', '.join(missing)}")
    if table.empty:
        raise AnalysisError(f"{path}: no rows")
    return table[wanted]


def numeric(table, columns, path):
    converted = {column: pandas.to_numeric(table[column], errors="coerce") for column in columns}
    for column, values in converted.items():
        if values.isna().any():
            row = int(values.isna().to_numpy().argmax())
            found = table[column].iloc[row]
            where = f"{path}: {column} of row {table.index[row] + 1}"
            raise AnalysisError(f"{where}: {found!r} is not a number")
    return table.assign(**converted)

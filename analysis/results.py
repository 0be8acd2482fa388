# SPDX-License-Identifier: BSD-3-Clause
"""Reads result folders: manifests, axes of the sweep, and merged CSV files."""

import io
import json
import warnings
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas

from analysis import quantities
from hw.commands.errors import CommandError

# Axes with columns of their own, which are not named by a pointer.
VARIANT = "variant"
SYSTEM = "system"
SEED = "seed"
FOLDER = "folder"  # axis of overlays
COMPARED = (VARIANT, SYSTEM)  # lines by default

TEXT_COLUMNS = ("profile", "status", "switch", "link", "kind", "from", "to")
# Columns that identify a row within a run.
ROWS_OF = {
    "jobs.csv": ("job",),
    "iterations.csv": ("job", "iteration"),
    "switch.csv": ("time_us", "switch", "job"),
    "links.csv": ("link",),
    "link_series.csv": ("time_us", "link"),
    "occupation.csv": ("switch", "job", "held_from_us"),
    "flows.csv": ("flow",),
    "packets.csv": ("link",),
}
# Optional tables, with the keys that enable them.
ASKED_FOR_BY = {
    "link_series.csv": "/outputs/link_interval",
    "occupation.csv": "/outputs/occupation",
    "flows.csv": "/traffic/flows",
    "packets.csv": "/traffic/flows",
}
FINISHED = "finished"
SLICE = "slice.json"  # in the folder of `ina run --slice`
MOST = 2.0**64
# Supported versions of the manifest. Version 0 had no `format_version`.
OLDEST_FORMAT, NEWEST_FORMAT = 0, 1


class AnalysisError(CommandError):
    """An error in the input, described in one line."""


@dataclass(frozen=True)
class Axis:
    """A swept key, or the variants; `values` are texts in the order of the sweep."""

    key: str
    values: tuple[str, ...]
    are_numbers: bool = False  # JSON numbers, not quantities with units
    baseline: str | None = None  # value that the others are relative to by default

    @property
    def numbers(self):
        """The values as numbers in one `unit`, or None if they are categories."""
        return quantities.common_scale(self.values)[0]

    @property
    def unit(self):
        return quantities.common_scale(self.values)[1]

    @property
    def is_varied(self):
        return len(set(self.values)) > 1


@dataclass(frozen=True)
class Results:
    """A result folder: the sweep and its tables, which are checked when they are read."""

    folder: Path
    manifest: dict
    axes: tuple[Axis, ...]  # the variants and the sweep, without system and seed
    system_order: tuple[str, ...]  # empty if the system is not swept

    @property
    def parts(self):
        """The result folders that a figure of these results is drawn from."""
        return (self,)

    @property
    def name(self):
        return self.manifest.get("name", self.folder.name)

    @property
    def keys(self):
        return [axis.key for axis in self.axes]

    @property
    def numbers(self):
        """Of swept quantities: {key: (name of the column of their numbers, {text: number})}"""
        found = {axis["key"]: axis for axis in self.manifest["axes"] if "numbers" in axis}
        return {
            key: (axis["numbers"]["column"], dict(zip(map(text_of, axis["values"]), axis["numbers"]["values"])))
            for key, axis in found.items()
        }

    @property
    def seeds(self):
        return tuple(dict.fromkeys(str(run["seed"]) for run in self.manifest["points"]))

    @property
    def has_jobs(self):
        return any(map(has_jobs, self.manifest["points"]))

    @property
    def tables(self):
        """The names of the tables in the folder."""
        asked = self.manifest["tables_crc32"]
        return [file for file in ROWS_OF if file in asked or file not in ASKED_FOR_BY]

    def table(self, file):
        """A whole table with numbers as numbers, empty cells as NaN, and swept keys as the texts of
        their axes."""
        path = self.folder / file
        if file not in self.tables:
            raise AnalysisError(
                f"{path}: no such table; allowed: results of a scenario with {ASKED_FOR_BY[file]}"
            )
        table = self.cells(file, ["point", *ROWS_OF[file]])
        check_runs(table, self.manifest["points"], file, path)
        return table

    def cells(self, file, present):
        """A table with swept keys as the texts in the file. The columns that identify a run, and those
        in `present`, must be complete."""
        path = self.folder / file
        texts = [*self.keys, SYSTEM, *TEXT_COLUMNS]
        table = parsed(self.checked_bytes(file), texts, path)
        needed = [*self.keys, SYSTEM, SEED, *present]
        require(table, needed, path)
        check_present(table, needed, path)
        table = table.assign(**numbers(table.drop(columns=texts, errors="ignore"), path))
        for axis in self.axes:
            check_values(table, axis, path)
        return table

    def checked_bytes(self, file):
        """The bytes of a table, after checking that the run wrote them."""
        path = self.folder / file
        content = read_bytes(path, "run again")
        expected = self.manifest["tables_crc32"].get(file)
        found = f"{zlib.crc32(content):08x}"
        if found != expected:
            raise AnalysisError(
                f"{path}: found the CRC {found}, but manifest.json has {expected}; allowed: the table that "
                "the run wrote (a spreadsheet saves another one), or run again"
            )
        return content

    def require_jobs(self):
        if not self.has_jobs:
            raise AnalysisError(f"{self.folder / 'jobs.csv'}: no jobs; allowed: results of a scenario with jobs")

    @cached_property
    def job_rows(self):
        """jobs.csv, which most figures need."""
        return self.table("jobs.csv")

    def jobs(self):
        """jobs.csv with the seed as text, after checking that finished jobs have their times."""
        path = self.folder / "jobs.csv"
        self.require_jobs()
        jobs = self.job_rows
        require(jobs, ["iterations", "jct_us", "iteration_mean_us", "values", "status"], path)
        done = jobs[jobs["status"] == FINISHED]
        check_present(done, ["jct_us", "iteration_mean_us", "values"], path)
        return jobs.astype({SEED: str})

    def iterations(self, parts):
        """iterations.csv with the seed as text, after checking the number of rows per job against
        jobs.csv.

        The columns `breakdown` must exist, but may be empty.
        """
        path = self.folder / "iterations.csv"
        self.require_jobs()
        iterations = self.table("iterations.csv")
        require(iterations, ["period_us", *parts], path)
        check_present(iterations, ["period_us"], path)
        row = ["point", SEED, "job"]
        due = self.job_rows.set_index(row)["iterations"]
        found = iterations.groupby(row).size().reindex(due.index, fill_value=0)
        if len(iterations) != due.sum() or (found != due).any():
            raise AnalysisError(f"{path}: not the iterations of jobs.csv; run again")
        return iterations.astype({SEED: str})

    def with_job_names(self, table):
        """A table with the models added to job numbers: "0 (dnn-a)"."""
        self.require_jobs()
        run_and_job = ["point", SEED, "job"]
        rows = table.merge(self.job_rows[[*run_and_job, "profile"]], on=run_and_job)
        names = [f"{job} ({profile})" for job, profile in zip(rows["job"], rows["profile"])]
        return rows.drop(columns="profile").assign(job=names)

    def with_system(self, table):
        """The axes with that of a table's systems in front, in the order of the sweep or of their
        first appearance. Variants come before systems, and replace them unless systems are swept,
        too."""
        variants = [axis for axis in self.axes if axis.key == VARIANT]
        if variants and not self.system_order:
            return self.axes
        present = list(dict.fromkeys(table[SYSTEM]))
        swept = [system for system in self.system_order if system in present]
        systems = swept + [system for system in present if system not in swept]
        others = [axis for axis in self.axes if axis.key != VARIANT]
        axis = Axis(SYSTEM, tuple(systems), baseline=baseline_of(self.manifest, "/system"))
        return (*variants, axis, *others)


def read(folder):
    """The results in a folder; CSV files are read on demand."""
    folder = Path(folder)
    if not folder.is_dir():
        raise AnalysisError(f"{folder}: no such folder")
    if (folder / SLICE).exists():
        raise AnalysisError(
            f"{folder}: found a slice of an experiment; allowed: the folder that ./ina merge makes of all slices"
        )
    path = folder / "manifest.json"
    manifest = read_manifest(path)
    axes = [read_axis(axis, manifest, path) for axis in manifest["axes"]]
    keys = [axis.key for axis in axes]
    if len(set(keys)) < len(keys):
        raise AnalysisError(f"{path}: /axes: found a key twice; allowed: each key once")
    return Results(
        folder=folder,
        manifest=manifest,
        axes=tuple(axis for axis in axes if axis.key not in ("/system", "/seed")),
        system_order=next((axis.values for axis in axes if axis.key == "/system"), ()),
    )


def read_manifest(path):
    manifest = parse_json(read_bytes(path, "so this is not a result folder"), path)
    if not isinstance(manifest, dict):
        raise AnalysisError(f"{path}: expected an object")
    check_version(manifest.get("format_version", OLDEST_FORMAT), path)
    if "tables_crc32" not in manifest:
        raise AnalysisError(
            f"{path}: no `tables_crc32`, so an older version or another program wrote this file; run again"
        )
    check_manifest(manifest, path)
    return manifest


def parse_json(content, path):
    """The JSON value in `content`. Errors name the position in the file."""
    try:
        return json.loads(content.decode("utf-8-sig"), parse_constant=refuse_constant)
    except RecursionError:
        reason = "too deep"
    except json.JSONDecodeError as error:
        reason = f"broken at line {error.lineno}, column {error.colno}"
    except UnicodeDecodeError as error:
        reason = f"no UTF-8 at byte {error.start}"
    except ValueError as error:
        reason = str(error)
    raise AnalysisError(f"{path}: {reason}; allowed: JSON")


def check_version(version, path):
    if type(version) is not int or not OLDEST_FORMAT <= version <= NEWEST_FORMAT:
        raise AnalysisError(
            f"{path}: /format_version: found {json.dumps(version)}; allowed: up to {NEWEST_FORMAT}: "
            "another version of INA Lab wrote this file"
        )


def check_manifest(manifest, path):
    sums = manifest["tables_crc32"]
    expected = {
        "/tables_crc32: an object of texts": isinstance(sums, dict)
        and all(isinstance(value, str) for value in sums.values()),
        "/name: a text": isinstance(manifest.get("name", ""), str),
        "/axes: a list": isinstance(manifest.setdefault("axes", []), list),
        "/baseline: null or an object with texts `key` and `value`": is_baseline(manifest.get("baseline")),
        "/points: a list of objects with integers `point` and `seed`": is_list_of_runs(
            manifest.get("points")
        ),
    }
    for what, is_so in expected.items():
        if not is_so:
            raise AnalysisError(f"{path}: {what} was expected; run again")


def is_list_of_runs(points):
    return isinstance(points, list) and points != [] and all(
        isinstance(point, dict) and type(point.get("point")) is type(point.get("seed")) is int
        for point in points
    )


def is_baseline(value):
    return value is None or isinstance(value, dict) and all(
        isinstance(value.get(key), str) for key in ("key", "value")
    )


def baseline_of(manifest, key):
    """The baseline, if it is a value of this axis, otherwise None. Folders of older versions have none."""
    baseline = manifest.get("baseline")
    return baseline["value"] if baseline is not None and baseline["key"] == key else None


def refuse_constant(text):
    raise ValueError(f"found {text}")


def read_axis(axis, manifest, path):
    key, values = (axis.get("key"), axis.get("values")) if isinstance(axis, dict) else (None, None)
    is_pointer = isinstance(key, str) and key.startswith("/")
    if not is_pointer or not isinstance(values, list) or not values:
        raise AnalysisError(
            f"{path}: each of `axes` needs `key`, a JSON pointer, and `values`, a list"
        )
    numbers = all(type(value) in (int, float) for value in values)
    texts = axis.get("labels", [text_of(value) for value in values])
    if not isinstance(texts, list) or len(texts) != len(values):
        raise AnalysisError(f"{path}: `labels` of {key} is not a list with one label per value")
    name = VARIANT if key == "/variants" else key
    return Axis(name, tuple(map(text_of, texts)), numbers, baseline_of(manifest, key))


def text_of(value):
    """A swept value as in the CSV files."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def read_bytes(path, if_missing):
    """The content of a regular file; reading a pipe could block."""
    try:
        if path.exists() and not path.is_file():
            raise AnalysisError(f"{path}: not a file; {if_missing}")
        return path.read_bytes()
    except FileNotFoundError:
        raise AnalysisError(f"{path}: no such file; {if_missing}") from None
    except OSError as error:
        raise AnalysisError(f"{path}: {error.strerror}") from None


def parsed(content, texts, path):
    if not content.endswith(b"\n"):
        raise AnalysisError(f"{path}: empty, or the last line is cut off; run again")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # about rows that are longer than the first
            return pandas.read_csv(
                io.BytesIO(content), dtype={column: str for column in texts}, index_col=False,
                keep_default_na=False, na_values=[""], low_memory=False,
            )
    except (ValueError, Warning) as error:
        raise AnalysisError(f"{path}: {' '.join(str(error).split())}") from None


def require(table, columns, path):
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise AnalysisError(f"{path}: missing column {', '.join(missing)}")


def check_present(table, columns, path):
    for column in columns:
        if table[column].isna().any():
            refuse_cell(table[column], table[column].isna(), path)


def numbers(table, path):
    """The columns of a table as numbers; rejects infinite, negative and non-numeric values."""
    found = {}
    for column, cells in table.items():
        values = pandas.to_numeric(cells, errors="coerce")
        if values.dtype == object:  # for a table without rows
            values = values.astype(float)
        wrong = (values.isna() & cells.notna()) | (values < 0) | (values >= MOST)
        if wrong.any():
            refuse_cell(cells, wrong, path)
        found[column] = values
    return found


def refuse_cell(cells, wrong, path):
    row = int(wrong.to_numpy().argmax())
    found = "nothing" if pandas.isna(cells.iloc[row]) else f'"{cells.iloc[row]}"'
    raise AnalysisError(
        f"{path}: {cells.name} of row {cells.index[row] + 1}: found {found}; allowed: a number "
        "from 0 to 2^64"
    )


def check_runs(table, points, file, path):
    """Checks that the rows are those of the manifest's runs, each once."""
    doubled = table.duplicated(["point", SEED, *ROWS_OF[file]])
    if doubled.any():
        row = int(doubled.to_numpy().argmax()) + 1
        raise AnalysisError(f"{path}: row {row} occurs twice; run again")
    found = set(zip(table["point"], table[SEED]))
    runs = {(point["point"], point["seed"]) for point in points}
    with_jobs = {(point["point"], point["seed"]) for point in points if has_jobs(point)}
    due = with_jobs if file == "jobs.csv" else set()  # jobs may have no iteration
    if not due <= found <= runs:
        point, seed = min((due - found) | (found - runs))
        raise AnalysisError(
            f"{path}: not the runs of manifest.json: see point {point}, seed {seed}; run again"
        )


def has_jobs(run):
    """Whether a run of the manifest has jobs, not only background traffic."""
    return "traffic" not in run.get("scenario", {}) or "jobs" in run["scenario"]


def listed(names):
    """Names joined for a message."""
    return ", ".join(names) or "nothing"


def check_values(table, axis, path):
    strange = set(table[axis.key]) - set(axis.values)
    if strange:
        raise AnalysisError(
            f"{path}: {axis.key} is {min(strange)}, which is not a value of this key in manifest.json"
        )

# SPDX-License-Identifier: BSD-3-Clause
"""References of a regression suite: what a scenario gave, small enough to be kept with its source.

references/NAME beside NAME.json is a result folder: the tables of the first seed, the JCT of every
run of all seeds, and a manifest that says what was run by which versions.
"""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path

from analysis import output, results, samples
from analysis.results import AnalysisError, Results

FOLDER = "references"
WRITER = "ina regress --accept"
OPTION = "--accept"
MANIFEST = "manifest.json"
VERSIONS = {"ina": "ina", "ns3": "ns-3", "compiler": "", "flags": "flags"}  # and their names


@dataclass(frozen=True)
class Made:
    """What a scenario gives: the results of its first seed, and the sample of all."""

    first: Results
    sample: samples.Sample


def path_of(scenario: Path) -> Path:
    return scenario.parent / FOLDER / scenario.stem


def read(folder: Path) -> Made | None:
    """None if there is none yet."""
    if not (folder / MANIFEST).exists():
        return None
    found = results.read(folder)
    if found.manifest.get("written_by") != WRITER:
        raise AnalysisError(f"{folder}: not what {WRITER} wrote; allowed: a reference")
    return Made(found, samples.read(found))


def first_seed(reference: Made) -> int:
    return reference.first.manifest["points"][0]["seed"]


def versions(one: Results) -> str:
    """By what it was made."""
    build = one.manifest.get("build", {})
    named = (f"{name} {build.get(key, 'unknown')}" for key, name in VERSIONS.items())
    return ", ".join(text.strip() for text in named)


def contents(made: Made) -> dict[str, bytes]:
    """The files of a reference, by name."""
    tables = {file: made.first.checked_bytes(file) for file in made.first.tables}
    tables[samples.TABLE] = samples.to_csv(made.sample)
    manifest = {
        "written_by": WRITER,
        "format_version": results.NEWEST_FORMAT,
        "name": made.first.name,
        "build": made.first.manifest.get("build", {}),
        "axes": made.first.manifest["axes"],
        "points": [
            {"point": run["point"], "seed": run["seed"]} for run in made.first.manifest["points"]
        ],
        "tables_crc32": {name: f"{zlib.crc32(table):08x}" for name, table in tables.items()},
    }
    return tables | {MANIFEST: (json.dumps(manifest, indent=1) + "\n").encode()}


def is_same(one: Made, other: Made) -> bool:
    """Whether they differ by no more than what made them."""
    tables = [
        {name: content for name, content in contents(made).items() if name != MANIFEST}
        for made in (one, other)
    ]
    return tables[0] == tables[1]


def write(folder: Path, made: Made) -> None:
    """All files or none; tables that the scenario no longer asks for go."""
    new = contents(made)
    folder.mkdir(parents=True, exist_ok=True)
    output.check(OPTION, folder / MANIFEST, WRITER)
    output.put({folder / name: content for name, content in new.items()})
    for table in results.ROWS_OF:
        if table not in new:
            (folder / table).unlink(missing_ok=True)

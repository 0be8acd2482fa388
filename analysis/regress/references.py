# SPDX-License-Identifier: BSD-3-Clause
"""References of a regression suite: results of scenarios, small enough to be kept with the sources.

references/NAME next to NAME.json is a result folder with the tables of the first seed, the JCT of
every run of all seeds, and a manifest with the resolved scenarios and the build.
"""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path

from analysis import results
from analysis.regress import samples
from analysis.results import AnalysisError, Results
from hw.files import output

FOLDER = "references"
WRITER = "ina regress --accept"
OPTION = "--accept"
MANIFEST = "manifest.json"
OF_A_RUN = ("point", "seed", "swept", "scenario")
OF_ALL = ("name", "build", "axes", "given")


@dataclass(frozen=True)
class Made:
    """Results of a scenario: those of its first seed, and the sample of all seeds."""

    first: Results
    sample: samples.Sample


def path_of(scenario: Path) -> Path:
    return scenario.parent / FOLDER / scenario.stem


def is_there(folder: Path) -> bool:
    """Whether the folder is one of our references, even a damaged one. A JSON object without our
    mark is another program's manifest."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return False
    return output.own_mark(manifest) == WRITER or not is_object(manifest)


def is_object(file: Path) -> bool:
    try:
        return isinstance(results.parse_json(file.read_bytes(), file), dict)
    except AnalysisError:
        return False


def read(folder: Path) -> Made | None:
    """Reads a reference; None if there is none. Raises AnalysisError if it is damaged."""
    if not (folder / MANIFEST).exists():
        return None
    found = results.read(folder)
    for file in found.tables:
        found.checked_bytes(file)
    if not is_there(folder):
        raise AnalysisError(f"{folder}: not what {WRITER} wrote; allowed: a reference")
    return Made(found, samples.read(found))


def first_seed(reference: Made) -> int:
    return reference.first.manifest["points"][0]["seed"]


def contents(made: Made) -> dict[str, bytes]:
    """The files of a reference, by name."""
    tables = {file: made.first.checked_bytes(file) for file in made.first.tables}
    tables[samples.TABLE] = samples.to_csv(made.sample)
    manifest = {"written_by": WRITER, "format_version": results.NEWEST_FORMAT}
    manifest |= {key: made.first.manifest[key] for key in OF_ALL if key in made.first.manifest}
    manifest["tables_crc32"] = {name: f"{zlib.crc32(table):08x}" for name, table in tables.items()}
    return tables | {MANIFEST: text_of(manifest, made.first.manifest["points"]).encode()}


def text_of(manifest: dict, runs: list[dict]) -> str:
    """One line per run, for reviews."""
    kept = ({key: run[key] for key in OF_A_RUN if key in run} for run in runs)
    lines = ",\n".join(f"  {json.dumps(run)}" for run in kept)
    return json.dumps(manifest, indent=1).removesuffix("\n}") + f',\n "points": [\n{lines}\n ]\n}}\n'


def is_same(one: Made, other: Made) -> bool:
    """Whether two references are equal, apart from the build."""
    files = [contents(made) for made in (one, other)]
    for made in files:
        made[MANIFEST] = json.loads(made[MANIFEST]) | {"build": None}
    return files[0] == files[1]

# SPDX-License-Identifier: BSD-3-Clause
"""Work of the workflow: scenarios, the number of slices of each, and their input files."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "release" / "bin" / "ina-sim"
SLICES = 16  # by default; at most one per run
KEYS = ("scenarios", "out", "slices", "parallel", "seeds", "set", "replace", "program")
WRITTEN_BY = "written_by"  # key in configuration files that ina writes


@dataclass(frozen=True)
class Settings:
    """Configuration by the user."""

    scenarios: list[str]
    out: Path
    slices: object  # a number, or a mapping of names to numbers
    parallel: int
    options: list[str]  # for ina run and ina validate
    replace: list[str]  # ["--replace"] for ina run, or []
    program: str

    @staticmethod
    def read(config: Mapping[str, object]) -> "Settings":
        unknown = [key for key in config if key not in (*KEYS, WRITTEN_BY)]
        if unknown:
            raise WorkflowError(f"config: found {unknown[0]}; allowed: {', '.join(KEYS)}")
        scenarios = listed(config.get("scenarios", []))
        if not scenarios:
            raise WorkflowError("config: no scenarios; allowed: --config scenarios=FILE")
        program = str(config.get("program", PROGRAM))
        if not Path(program).is_file():
            raise WorkflowError(f"{program}: no such program; allowed: after ./ina build ina-sim")
        seeds = ["--seeds", str(config["seeds"])] if "seeds" in config else []
        keys = [word for key in listed(config.get("set", [])) for word in ("--set", key)]
        return Settings(
            scenarios=scenarios,
            out=Path(str(config.get("out", "results"))),
            slices=config.get("slices", SLICES),
            parallel=count("parallel", config.get("parallel", 1)),
            options=seeds + keys,
            replace=["--replace"] * (config.get("replace") in (True, "True", "true")),
            program=program,
        )


def listed(value: object) -> list[str]:
    """A list of texts from a single value or a list."""
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def count(key: str, value: object) -> int:
    if not re.fullmatch(r"[1-9]\d{0,3}", str(value)):
        raise WorkflowError(f"config: {key}: found {value}; allowed: a number from 1 to 9999")
    return int(str(value))


def slice_folder(out: object, name: str, number: object, of: object) -> str:
    """The name that ina run gives to the folder of a slice."""
    return f"{out}/{name}-slice-{number}-of-{of}"


@dataclass(frozen=True)
class Sweep:
    """A scenario that is run in slices."""

    name: str
    files: list[str]  # the scenario first, then the files that it names
    slices: int

    def folders(self, out: str) -> list[str]:
        numbers = range(1, self.slices + 1)
        return [slice_folder(out, self.name, number, self.slices) for number in numbers]

    def marks(self, out: str) -> list[str]:
        """Files that exist once their slices are complete."""
        return [f"{folder}/done" for folder in self.folders(out)]


def find_sweeps(settings: Settings) -> list[Sweep]:
    """One sweep per scenario. Raises WorkflowError with the simulator's message if one is invalid."""
    command = [settings.program, "validate", *settings.options, *settings.scenarios]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise WorkflowError(done.stderr.strip())
    found = re.findall(r"^(.*): valid, (\d+) runs?$", done.stdout, re.MULTILINE)
    return [
        Sweep(
            name,
            [str(file) for file in files_of(Path(scenario))],
            min(slices_of(settings.slices, name), int(runs)),
        )
        for scenario, (name, runs) in zip(settings.scenarios, found, strict=True)
    ]


def slices_of(slices: object, name: str) -> int:
    value = slices.get(name, SLICES) if isinstance(slices, Mapping) else slices
    return count("slices", value)


def files_of(scenario: Path) -> Iterator[Path]:
    """A scenario file, the files that it extends, and all files that any of them names."""
    yield scenario
    content = json.loads(scenario.read_text(encoding="utf-8-sig"))
    below = content.pop("extends", None)
    content.pop("$schema", None)
    for text in texts_of(content):
        if re.search(r"\.\w+$", text) and (file := scenario.parent / text).is_file():
            yield file
    if below is not None:
        yield from files_of(scenario.parent / below)


def texts_of(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, (dict, list)):
        for value in content.values() if isinstance(content, dict) else content:
            yield from texts_of(value)

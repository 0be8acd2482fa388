# SPDX-License-Identifier: BSD-3-Clause
"""A regression suite: a folder of scenarios, and what each of them gave once in references/."""

import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from analysis import compare, difference, references, results, samples
from analysis.attendance import Attendance
from analysis.references import Made
from analysis.reproduction import ENDS_ALL
from analysis.results import AnalysisError, Results

SUITE = Path(__file__).resolve().parents[1] / "tests" / "regression" / "suite"
TOLERANCE = 0.015  # half of the slowdown that is to be told from none


class NotRun(Exception):
    """The simulator ended with a status, and has said why."""

    def __init__(self, status: int):
        super().__init__(f"the run failed with status {status}")
        self.status = status


@dataclass(frozen=True)
class Finding:
    """What a scenario's results are beside its reference, in lines for a terminal."""

    scenario: Path
    passes: bool
    lines: tuple[str, ...]


def scenarios(paths: Iterable[str]) -> list[Path]:
    """The files of a suite: those that are named, and those in folders that are."""
    found = [file for path in paths for file in files_of(Path(path))] or files_of(SUITE)
    names: dict[str, Path] = {}
    for file in found:
        if names.setdefault(file.stem, file) != file:
            raise AnalysisError(
                f"{names[file.stem]} and {file}: one name; allowed: one of these at a time"
            )
    return list(names.values())


def files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        if not path.exists():
            raise AnalysisError(f"{path}: no such file or folder")
        return [path]
    files = sorted(path.glob("*.json"))
    if not files:
        raise AnalysisError(f"{path}: no scenario; allowed: a folder of scenarios, *.json")
    return files


class Runs:
    """Lets the simulator run scenarios into a folder, one after the other."""

    def __init__(self, program: str, out: Path, options: list[str], attendance: Attendance):
        self.command = [program, "run", "--out", str(out), *options]
        self.attendance = attendance

    def results(self, scenario: Path, *options: str) -> Results:
        with tempfile.NamedTemporaryFile() as folders:
            status = self.attendance.run(
                [*self.command, "--folders-file", folders.name, *options, str(scenario)]
            )
            if status != 0:
                raise NotRun(status)
            (folder,) = Path(folders.name).read_text(encoding="utf-8").splitlines()
        return results.read(folder)

    def check(self, scenario: Path):
        """Raises NotRun if the simulator, which says why, takes it for no scenario."""
        validate = [self.command[0], "validate", str(scenario)]
        status = subprocess.run(validate, stdout=subprocess.DEVNULL, check=False).returncode
        if status != 0:
            raise NotRun(status)

    def first(self, scenario: Path, seed: int) -> Results:
        return self.results(scenario, "--seeds", str(seed))

    def made(self, scenario: Path) -> Made:
        """All seeds first: those of one of them are not run again."""
        read = self.results(scenario)
        sample = samples.read(read)
        return Made(self.first(scenario, read.manifest["seeds"][0]), sample)


def each(suite: list[Path], work) -> Iterable:
    """Yields (scenario, work(scenario)), or in its place the NotRun of one whose run failed."""
    for index, scenario in enumerate(suite):
        print(f"ina: regress: {index + 1} of {len(suite)}: {scenario}", file=sys.stderr)
        try:
            yield scenario, work(scenario)
        except NotRun as error:
            if error.status in ENDS_ALL:
                raise
            yield scenario, error


def exact(suite: list[Path], runs: Runs) -> list[Finding]:
    """Whether the tables of the first seed are those of the references, byte for byte."""

    def work(scenario: Path) -> Finding:
        reference = references.read(references.path_of(scenario))
        if reference is None:
            return without_reference(scenario, runs)
        first = runs.first(scenario, references.first_seed(reference))
        return exact_finding(scenario, reference.first, first)

    return [finding(scenario, found) for scenario, found in each(suite, work)]


def over_seeds(
    suite: list[Path], runs: Runs, tolerance: float, seeds: str | None
) -> list[Finding]:
    """Whether the mean JCTs over seeds, by default the scenarios', are those of the references
    within the tolerance."""
    chosen = [] if seeds is None else ["--seeds", seeds]

    def work(scenario: Path) -> Finding:
        reference = references.read(references.path_of(scenario))
        if reference is None:
            return without_reference(scenario, runs)
        sample = samples.read(runs.results(scenario, *chosen))
        table = compare.over_seeds(reference.sample, sample, tolerance)
        return Finding(scenario, compare.passes(table), lines_of(table, tolerance))

    return [finding(scenario, found) for scenario, found in each(suite, work)]


def finding(scenario: Path, found: Finding | NotRun) -> Finding:
    return Finding(scenario, False, (str(found),)) if isinstance(found, NotRun) else found


def without_reference(scenario: Path, runs: Runs) -> Finding:
    runs.check(scenario)
    return Finding(scenario, False, (f"no reference yet: ./ina regress --accept {scenario}",))


def exact_finding(scenario: Path, reference: Results, now: Results) -> Finding:
    tables = [
        {file: one.checked_bytes(file) for file in one.tables} for one in (reference, now)
    ]
    if tables[0] == tables[1]:
        return Finding(scenario, True, ("identical",))
    lines = first_difference(reference, now)
    versions = [references.versions(one) for one in (reference, now)]
    if versions[0] != versions[1]:
        lines += (f"A is by {versions[0]}", f"B is by {versions[1]}")
    return Finding(scenario, False, lines)


def first_difference(reference: Results, now: Results) -> tuple[str, ...]:
    """Of tables that are not the same; A is the reference."""
    try:
        found = difference.of_folders(reference, now)
    except AnalysisError as error:  # other columns, or another sweep
        return (str(error),)
    return found.lines if found.differs else ("the same numbers, written in another way",)


def lines_of(table, tolerance: float) -> tuple[str, ...]:
    """The verdict, and above it what is not the same; A is the reference."""
    others = table[table["status"] != compare.SAME]
    rows = compare.rows_of(others).splitlines() if len(others) else []
    return (*rows, compare.verdict_of(table, tolerance))


def text_of(findings: list[Finding]) -> str:
    lines = []
    for one in findings:
        first, *more = one.lines
        lines += [f"{one.scenario.stem}: {first}"] if not more else [
            f"{one.scenario.stem}:", *(f"  {line}" for line in one.lines)
        ]
    differ = sum(not one.passes for one in findings)
    return "\n".join([*lines, f"{len(findings)} scenarios: {differ or 'none'} differ"])


def to_json(findings: list[Finding]) -> dict:
    return {
        "passes": all(one.passes for one in findings),
        "scenarios": [
            {"scenario": str(one.scenario), "passes": one.passes, "lines": list(one.lines)}
            for one in findings
        ],
    }

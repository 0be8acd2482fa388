# SPDX-License-Identifier: BSD-3-Clause
"""A regression suite: scenarios with references/ next to them, and their runs in the simulator."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from analysis import results
from analysis.attendance import Attendance
from analysis.regress import references, samples
from analysis.regress.references import Made
from analysis.results import AnalysisError, Results
from hw.commands.statuses import ENVIRONMENT_ERROR, FAILED_RUN, INTERRUPTIONS, WRONG_INPUT

SHIPPED = Path(__file__).resolve().parents[2] / "tests" / "regression" / "suite"


class NotRun(AnalysisError):
    """The simulator ended with a status after printing the reason. `reason`: its message about a
    file that is not a scenario."""

    WORDS = {FAILED_RUN: "a run failed", ENVIRONMENT_ERROR: "environment error"}

    def __init__(self, status: int, reason: str = ""):
        words = self.WORDS.get(status, "the simulator ended")
        super().__init__(reason or f"{words} (status {status}, see standard error)")
        self.status = status
        self.ends_all = status in INTERRUPTIONS or (status == WRONG_INPUT and not reason)


@dataclass(frozen=True)
class Suite:
    scenarios: tuple[Path, ...]
    orphans: tuple[Path, ...]  # references without a scenario, in requested folders


def suite_of(paths: Iterable[str]) -> Suite:
    """The suite of files and folders of files; by default the shipped one."""
    named = [Path(path) for path in paths] or [SHIPPED]
    names: dict[str, Path] = {}
    for file in [file for path in named for file in files_of(path)]:
        if names.setdefault(file.stem, file) != file:
            raise AnalysisError(
                f"{names[file.stem]} and {file}: same name; allowed: one of the two at a time"
            )
    orphans = [one for path in named if path.is_dir() for one in orphans_of(path)]
    return Suite(tuple(names.values()), tuple(orphans))


def files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        if not path.exists():
            raise AnalysisError(f"{path}: no such file or folder")
        return [path]
    files = sorted(path.glob("*.json"))
    if not files:
        raise AnalysisError(f"{path}: no scenario; allowed: a folder of scenarios, *.json")
    return files


def orphans_of(folder: Path) -> list[Path]:
    found = sorted((folder / references.FOLDER).glob("*/"))
    return [
        one for one in found
        if references.is_there(one) and not (folder / f"{one.name}.json").exists()
    ]


class Runs:
    """Runs scenarios one after the other, each into its own folder in `out`, since two may have the
    same name. `scratch`: for temporary files."""

    def __init__(self, program: str, out: Path, scratch: Path, options: list[str], attendance: Attendance):
        self.program, self.out, self.scratch = program, out, scratch
        self.options, self.attendance = options, attendance

    def results(self, scenario: Path, *options: str, out: Path | None = None) -> Results:
        with tempfile.NamedTemporaryFile() as folders:
            status = self.attendance.run([
                self.program, "run", "--out", str((out or self.out) / scenario.stem), *self.options,
                "--folders-file", folders.name, *options, str(scenario),
            ])  # fmt: skip
            if status != 0:
                raise self.not_run(scenario, status)
            (folder,) = Path(folders.name).read_text(encoding="utf-8").splitlines()
        return results.read(folder)

    def not_run(self, scenario: Path, status: int) -> NotRun:
        if status == WRONG_INPUT:
            self.check(scenario)
        return NotRun(status)

    def check(self, scenario: Path) -> None:
        """Raises NotRun with the simulator's message if the file is not a valid scenario."""
        done = subprocess.run(
            [self.program, "validate", str(scenario)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise NotRun(done.returncode, done.stderr.strip().removeprefix("ina: "))

    def first(self, scenario: Path, seed: int, out: Path | None = None) -> Results:
        return self.results(scenario, "--seeds", str(seed), out=out)

    def made(self, scenario: Path) -> Made:
        """Runs the first seed a second time in another folder, so that `out` has the tables of all seeds."""
        read = self.results(scenario)
        sample = samples.read(read)
        return Made(self.first(scenario, read.manifest["seeds"][0], self.scratch), sample)


def each(scenarios: Iterable[Path], work: Callable) -> Iterable:
    """Yields (scenario, work(scenario)), or (scenario, AnalysisError) for one that could not be
    compared; the others still are. Raises NotRun if interrupted or if the options, not the
    scenario, are wrong."""
    scenarios = list(scenarios)
    for index, scenario in enumerate(scenarios):
        print(f"ina: regress: {index + 1} of {len(scenarios)}: {scenario}", file=sys.stderr)
        try:
            yield scenario, work(scenario)
        except NotRun as error:
            if error.ends_all:
                raise
            yield scenario, error
        except AnalysisError as error:
            yield scenario, error

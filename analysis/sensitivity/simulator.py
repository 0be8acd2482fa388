# SPDX-License-Identifier: BSD-3-Clause
"""Lets the simulator check, estimate and run a scenario with settings."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from analysis import results
from analysis.attendance import Attendance
from hw.commands import statuses
from hw.commands.errors import CommandError

VALID = re.compile(r"(?P<name>.+): valid, (?P<runs>\d+) runs?\n")
PREFIX = "ina: "
TIME = re.compile(r"about (?P<number>[\d.]+) (?P<unit>s|min|h) with")
SECONDS = {"s": 1, "min": 60, "h": 3600}


@dataclass(frozen=True)
class Checked:
    """The simulator's verdict on a scenario with a setting: name and number of runs, or the error."""

    name: str = ""
    runs: int = 0
    refusal: str = ""


@dataclass(frozen=True)
class Simulator:
    program: str
    file: str
    given: tuple[str, ...]  # options of the user: --set and --seeds

    def check(self, setting):
        done = self.answer("validate", *self.given, *setting.options)
        if done.returncode == statuses.WRONG_INPUT:
            return Checked(refusal=done.stderr.strip().removeprefix(PREFIX))
        found = VALID.fullmatch(done.stdout)
        if done.returncode != 0 or found is None:
            raise CommandError(f"ina validate ended with status {done.returncode}", statuses.ENVIRONMENT_ERROR)
        return Checked(found["name"], int(found["runs"]))

    def check_all(self, settings):
        """[Checked], several at a time."""
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return list(pool.map(self.check, settings))

    def own(self):
        """The name of the experiment and its number of runs. Raises the error in the file or the
        options."""
        done = self.answer("validate", *self.given)
        found = VALID.fullmatch(done.stdout)
        if found is None:
            raise CommandError(done.stderr.strip().removeprefix(PREFIX), done.returncode or statuses.BUG)
        return Checked(found["name"], int(found["runs"]))

    def estimate(self):
        """The simulator's estimate for the scenario itself."""
        done = self.answer("run", "--estimate", *self.given)
        if done.returncode != 0:
            raise CommandError(done.stderr.strip().removeprefix(PREFIX), done.returncode)
        return done.stdout.strip()

    def answer(self, command, *options):
        return subprocess.run(
            [self.program, command, self.file, *options], capture_output=True, text=True,
            errors="replace", stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip

    def run(self, settings, out, options):
        """(status, names of the settings whose runs failed). Finished runs are not repeated."""
        failed = []
        with Attendance() as attendance:
            for index, setting in enumerate(settings):
                print(f"ina: sensitivity: {index + 1} of {len(settings)}: {setting.name}", file=sys.stderr)
                status = attendance.run([
                    self.program, "run", "--quiet", "--out", str(out), *options, *self.given, *setting.options,
                    self.file,
                ])  # fmt: skip
                if attendance.is_ended:
                    return 128 + attendance.ended_by, failed
                if status == statuses.FAILED_RUN:
                    failed.append(setting.name)
                elif status != 0:
                    return status, failed
        return statuses.FAILED_RUN if failed else 0, failed


def seconds_of(estimate):
    """The time in a line of --estimate; None if it has none."""
    found = TIME.search(estimate)
    return found and float(found["number"]) * SECONDS[found["unit"]]


def folder_of(out, setting):
    return Path(out) / setting.name


def read(out, setting):
    """The results of a setting; None if its runs failed."""
    folder = folder_of(out, setting)
    return results.read(folder) if (folder / "manifest.json").exists() else None

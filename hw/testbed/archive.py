# SPDX-License-Identifier: BSD-3-Clause
"""The finished runs of an experiment, one file each in its result folder. The tables are made from
these files. Measurements are never lost, and replaced only on request."""

import fcntl
import json
import os
import re
import stat
import subprocess
import sys
import zlib
from pathlib import Path

from hw.commands.errors import CommandError
from hw.commands.interrupts import undisturbed
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.files import output
from hw.testbed import results
from hw.testbed.run import Outcome

ROOT = Path(__file__).resolve().parents[2]
RUNS = "runs"
WRITER = "ina testbed run"
NEW = "runs.new"  # holds replacements until all of them exist
MEASURING_PROGRAMS = ("ina-switch", "ina-worker", "ina-ps", "ina-control-plane")
REPLACE = "allowed: --replace, or another --out"
REMOVE = "allowed: another --out, or to remove it first"


def refuse(path, text, allowed=REMOVE):
    raise CommandError(f"--out: {path} {text}; {allowed}")


class Archive:
    """`programs`: used to make the tables. `settings`: the settings of the testbed, which all runs
    of a folder share. `replace`: whether to repeat the planned runs; existing ones stay until
    all of the new ones are finished."""

    def __init__(self, folder, experiment, programs, settings, replace=False):
        self.folder = folder
        self.experiment = experiment
        self.programs = programs
        self.settings = settings
        self.replace = replace
        self.replacing = False  # whether there are runs to replace
        self.lock = None
        self.finished = {}  # outcomes by name of the run
        results.check_writable(folder)
        if folder.exists():
            self.claim()
            self.look()

    def claim(self):
        """Keeps other processes from writing to the folder as long as this process lives."""
        self.lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = "another ina run is writing to it"
            raise CommandError(f"{self.folder}: {text}", ENVIRONMENT_ERROR) from None

    def look(self):
        """Finds the existing runs. Refuses a folder with other contents, and a folder that has all
        runs already."""
        runs = self.folder / RUNS
        if not runs.exists():
            if any(self.folder.iterdir()):
                refuse(self.folder, "contains something else")
            return
        if not runs.is_dir():
            refuse(runs, "is not a directory")
        for path in [self.folder / name for name in results.files(self.programs)]:
            if path.exists() and not path.is_file():
                refuse(path, "is not a regular file")
        for path in sorted(runs.glob("*.json")):
            self.take(path)
        for path in (self.folder / NEW).glob("*.json"):  # --replace starts without them
            if read_object(path).get("written_by") != WRITER:
                refuse(path, "is not a run of ina testbed")
        if len(self.finished) == len(self.experiment["runs"]) and self.is_written():
            refuse(self.folder, "already contains these runs", REPLACE)

    def take(self, path):
        there = read_object(path)
        try:
            outcome = Outcome(**there["outcome"])
            of_point = {
                run["point"]: {key: run[key] for key in results.PLANNED} for run in self.experiment["runs"]
            }
            here = with_seed(of_point.get(there["run"]["point"], {}), there["run"]["seed"])
            difference = difference_of(there["run"], here)
            name = name_of(there["run"])
            own = path.name == f"{name}.json"
        except (KeyError, TypeError, ValueError):
            refuse(path, "is not a run of ina testbed")
        if difference or not own:
            refuse(path, f"is a run of another experiment: {difference or name}")
        planned = name in map(name_of, self.experiment["runs"])
        if planned and self.replace:
            self.replacing = True
            return
        if difference := difference_of(there.get("testbed"), self.settings):
            refuse(path, f"is a run of another testbed: {difference}", self.replacement(path.parent))
        if planned:
            self.finished[name] = outcome

    def replacement(self, runs):
        """The hint to users whose folder has measurements of another testbed."""
        if not self.replace:
            return REPLACE
        seeds = {re.sub(r".*-seed|\.json", "", path.name) for path in runs.glob("*-seed*.json")}
        listed = ", ".join(sorted(seeds, key=lambda seed: (len(seed), seed)))
        return f"allowed: --replace with all runs that are there (seeds {listed}), or another --out"

    def missing(self):
        return [run for run in self.experiment["runs"] if name_of(run) not in self.finished]

    def store(self, run, outcome):
        """Stores a finished run, and writes the tables of all finished runs. If the runs replace
        others, the tables are written when all are finished."""
        with undisturbed():
            try:
                folder = self.make_folder()
                content = {
                    "written_by": WRITER,
                    "run": {key: run[key] for key in results.PLANNED},
                    "testbed": self.settings,
                    "outcome": vars(outcome),
                }
                path = folder / f"{name_of(run)}.json"
                output.put({path: json.dumps(content).encode()})
                self.finished[name_of(run)] = outcome
                if self.replacing and self.missing():
                    return
                if self.replacing:
                    self.replace_runs()
            except OSError as error:
                raise CommandError(f"{error.filename}: {error.strerror}", ENVIRONMENT_ERROR) from None
            self.write()

    def make_folder(self):
        if self.lock is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.claim()
            if any(self.folder.iterdir()):
                text = "another ina run has written to this folder meanwhile"
                raise CommandError(f"{self.folder}: {text}", ENVIRONMENT_ERROR)
        folder = self.folder / (NEW if self.replacing else RUNS)
        folder.mkdir(exist_ok=True)
        if self.replacing and not self.finished:  # a previous, interrupted replacement is discarded
            for path in folder.glob("*.json"):
                path.unlink()
        return folder

    def replace_runs(self):
        """Moves all new runs into the place of the old ones, and removes the figures of the old
        ones."""
        for path in sorted((self.folder / NEW).glob("*.json")):
            os.replace(path, self.folder / RUNS / path.name)
        (self.folder / NEW).rmdir()
        self.remove_figures()
        self.replacing = False

    def remove_figures(self):
        """Removes figures through the analysis, a program of a higher layer that knows which files
        are its figures."""
        if not any(path.is_file() and output.own_mark(path) for path in self.folder.iterdir()):
            return
        command = [sys.executable, "-P", "-m", "analysis.kinds.result_figures", str(self.folder)]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        if subprocess.run(command, env=environment, check=False).returncode != 0:
            raise CommandError(f"{self.folder}: old figures were not removed", ENVIRONMENT_ERROR)

    def write(self):
        """Writes the tables and the manifest."""
        results.write(self.folder, self.contents())

    def is_written(self):
        return all(
            (self.folder / name).exists() and (self.folder / name).read_bytes() == content
            for name, content in self.contents().items()
        )

    def contents(self):
        runs = self.experiment["runs"]
        finished = [(run, self.finished.get(name_of(run))) for run in runs]
        return results.contents(
            self.programs, self.experiment, [pair for pair in finished if pair[1]], self.settings
        )


def name_of(run):
    """Name of a run, in the form of the simulator's folders."""
    return f"{run['point']:05}-seed{run['seed']}"


def with_seed(run, seed):
    """The run of the same point with another seed."""
    return run and run | {"seed": seed, "scenario": run["scenario"] | {"seeds": [seed]}}


def difference_of(there, here, pointer=""):
    """The first difference between two values of JSON, formatted for users, or None. Descriptions
    may differ."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in sorted(there.keys() | here.keys()):
            below = f"{pointer}/{key}"
            if below != "/scenario/description":
                found = difference_of(there.get(key), here.get(key), below)
                if found:
                    return found
        return None
    if there == here:
        return None
    return f"{pointer or 'it'} is {short(there)} in the folder and {short(here)} in this run"


def short(value):
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def programs_crc32(programs):
    """Fingerprint of a build: checksums of its programs, which comments do not affect."""
    try:
        return {
            name: f"{zlib.crc32(Path(programs.path(name)).read_bytes()):08x}"
            for name in MEASURING_PROGRAMS
        }
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}", ENVIRONMENT_ERROR) from None


def read_object(path):
    """The JSON object in a file; never waits for a pipe."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), encoding="utf-8") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                refuse(path, "is not a regular file")
            content = json.load(file)
    except OSError as error:
        refuse(path, f"cannot be read: {error.strerror}")
    except (ValueError, RecursionError):
        refuse(path, "is not JSON")
    if not isinstance(content, dict):
        refuse(path, "is not a JSON object")
    return content

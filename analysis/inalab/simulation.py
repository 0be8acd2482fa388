# SPDX-License-Identifier: BSD-3-Clause
"""Runs of a scenario."""

import os
import shutil
import signal
import subprocess
import tempfile
import weakref
from pathlib import Path

from analysis.attendance import Attendance
from analysis.launcher.processes import with_large_pages
from hw.commands.errors import CommandError, unexpected_end
from inalab import simulator
from inalab.errors import translated
from inalab.progress import Progress
from inalab.results import Results
from inalab.scenario import Scenario


def run(scenario, parallel=None, out=None, replace=False, progress=True):
    """Runs a scenario, a Scenario or a dict, as `./ina run` does, and returns its Results.

    `parallel`: runs at a time, by default the number of processors. `out`: the folder in which the
    result folder is made; runs that it has are not run again, except those of other builds of the
    simulator with `replace`. Without `out` the results are removed with the object that is returned.
    `progress`: whether to show a bar, where standard error is no terminal and no notebook a line
    every minute. An interrupt ends all runs; those that are finished stay in `out`.
    """
    with translated():
        if out is not None:
            return Results(results_of(scenario, out, parallel, replace, progress))
        temporary = tempfile.mkdtemp(prefix="ina-results-")
        try:
            results = Results(results_of(scenario, temporary, parallel, replace, progress))
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        weakref.finalize(results, shutil.rmtree, temporary, ignore_errors=True)
        return results


def results_of(scenario, out, parallel, replace, progress):
    """Runs a scenario; the path of its result folder in `out`."""
    options = [] if parallel is None else [f"--parallel={parallel}"]
    options += ["--replace"] * replace
    with Scenario.in_file(as_scenario(scenario)) as file, tempfile.NamedTemporaryFile() as folders:
        simulate([
            simulator.program(), "run", "--quiet", f"--out={os.path.abspath(out)}", *options,
            f"--folders-file={folders.name}", str(file),
        ], Progress(progress))  # fmt: skip
        (folder,) = os.fsdecode(Path(folders.name).read_bytes()).splitlines()
    return Path(folder)


def as_scenario(scenario):
    return scenario if isinstance(scenario, Scenario) else Scenario(scenario)


def simulate(command, progress):
    """Waits for the simulator. Raises what it says if it fails, and KeyboardInterrupt after a signal."""
    with Attendance() as attendance, progress:
        status = attendance.run(
            [*command, *progress.options], read=progress.read, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL, env=with_large_pages(os.environ), text=True, errors="replace",
        )  # fmt: skip
    if attendance.is_ended:
        signal.raise_signal(attendance.ended_by)
        raise KeyboardInterrupt
    if status != 0:
        reason = next(iter(progress.messages), "")
        raise CommandError(reason, status) if reason else unexpected_end(command[0], status)

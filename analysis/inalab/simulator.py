# SPDX-License-Identifier: BSD-3-Clause
"""The simulator's program: where it is, and what it says of scenarios."""

import contextlib
import json
import os
import tempfile
from pathlib import Path

from analysis.launcher.environment import never_builds
from analysis.launcher.presets import BuildFolder, chosen
from analysis.launcher.programs import provide
from analysis.sensitivity.simulator import Simulator
from hw.commands.errors import CommandError

PROGRAM = "INA_SIM"  # environment variable


def program():
    """The path of the simulator, which is built first if its sources changed, as by `./ina run`."""
    if os.environ.get(PROGRAM):
        return os.environ[PROGRAM]
    folder = BuildFolder(chosen("run"), never_builds())
    provide(folder, "ina-sim")
    return folder.program("ina-sim")


@contextlib.contextmanager
def scenario_file(document, name):
    """The path of NAME.json with a scenario, until the end. Errors do not name this file."""
    with tempfile.TemporaryDirectory(prefix="ina-scenario-") as folder:
        file = Path(folder) / f"{name}.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        try:
            yield file
        except CommandError as error:
            raise CommandError(without_file(str(error), file), error.status) from None


def without_file(message, file):
    """A message of the simulator that begins with what is wrong in the file."""
    for start in (f"{file}: ", f"{file} (--set): "):
        message = message.removeprefix(start)
    return message.replace(f"{file.parent}/", "")


def checked(file, *options):
    """The name and the number of runs of a scenario in a file. Raises what the simulator refuses."""
    return Simulator(program(), str(file), options).own()

# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios as dicts."""

import copy
import functools
import json
import os
from pathlib import Path

from analysis import scenario_documents
from analysis.results import AnalysisError
from inalab import simulator
from inalab.errors import translated

SWEEP = "/sweep"
VARIANTS = "/variants"
FOR_EDITORS = "$schema"


class Scenario(dict):
    """The object of a scenario file; docs/reference/scenario describes its keys.

    set(), sweep() and variant() let the simulator check what they change, and leave the scenario as
    it was if that raises inalab.Error. Direct changes of the dict are checked by check() and
    inalab.run(). Relative paths are relative to the working directory.
    """

    def __init__(self, content=(), file_name="scenario"):
        """`file_name`, without .json, names the experiment if the key `name` does not."""
        super().__init__(copy.deepcopy(dict(content)))
        self.file_name = file_name

    @classmethod
    def read(cls, file):
        """The scenario in a file, merged over those that it extends."""
        with translated():
            file = Path(file)
            simulator.checked(file)
            layers = [absolute(content, folder) for folder, content in scenario_documents.layers_of(file)]
            content = functools.reduce(scenario_documents.merged, layers, {})
            content.pop(FOR_EDITORS, None)
            return cls(content, file.stem)

    def copy(self):
        """An independent scenario with the same content."""
        return Scenario(self, self.file_name)

    def set(self, key, value):
        """Sets a key, a JSON pointer such as "/switch/memory_bytes", as `--set` does: an axis of the
        sweep for this key goes. Returns the scenario."""
        with translated():
            value = absolute(plain(key, value), Path.cwd())
            self._check_with(key, value)
            scenario_documents.assign(self, key, value)
        return self

    def sweep(self, key, values):
        """Lets a key, a JSON pointer, have each of these values, in all combinations with the rest of
        the sweep. Returns the scenario."""
        values = values if isinstance(values, str) else list(values)
        return self.set(SWEEP, self.get("sweep", {}) | {key: values})

    def variant(self, name, changes):
        """Adds or replaces a variant: a line of figures whose scenario is this one with `changes`
        merged over it, such as {"system": "dsa"}. Returns the scenario."""
        return self.set(VARIANTS, self.get("variants", {}) | {name: changes})

    def check(self):
        """The number of runs. Raises inalab.Error if the simulator refuses the scenario."""
        with translated(), self.in_file() as file:
            return simulator.checked(file).runs

    def in_file(self):
        """A context that has the path of a file with the scenario."""
        return simulator.scenario_file(absolute(plain("", self), Path.cwd()), self.file_name)

    def _check_with(self, key, value):
        with self.in_file() as file:
            simulator.checked(file, f"--set={key}={json.dumps(value)}")


def plain(key, value):
    """A copy of a value as JSON has it: numbers of numpy as Python's, tuples as lists."""
    try:
        return json.loads(json.dumps(value, default=number, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise AnalysisError(f"{key}: {error}; allowed: a value of JSON") from None


def number(value):
    """The number of Python in one of numpy."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"found a {type(value).__name__}")


def absolute(value, folder):
    """A value of JSON in which the paths of files, relative to a folder, are absolute."""
    if isinstance(value, dict):
        return {key: absolute(one, folder) for key, one in value.items()}
    if isinstance(value, list):
        return [absolute(one, folder) for one in value]
    is_path = isinstance(value, str) and Path(value).suffix and os.path.isfile(folder / value)
    return os.path.abspath(folder / value) if is_path else value

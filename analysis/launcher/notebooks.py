# SPDX-License-Identifier: BSD-3-Clause
"""The environment of Python and of Jupyter Notebook with the package inalab."""

import os
import sys

from analysis.launcher import ROOT

OWN = f"{ROOT}/build/notebook"
# Folders that Python and Jupyter would make in the home directory, by their variables.
FOLDERS = {
    "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "MPLCONFIGDIR": "matplotlib",
}


def prepare(folder):
    """Sets the environment. `folder`: the build folder, whose simulator runs scenarios. Nothing is
    written outside of the checkout, unless the user's own variables say where."""
    os.environ["PYTHONPATH"] = f"{os.environ['PYTHONPATH']}:{ROOT}/analysis"
    if folder.no_build:
        os.environ["INA_NO_BUILD"] = "1"
    for variable, name in FOLDERS.items():
        if variable not in os.environ:
            os.environ[variable] = f"{OWN}/{name}"
            os.makedirs(f"{OWN}/{name}", exist_ok=True)


def server(arguments):
    """The command of Jupyter Notebook, which refuses to run as root unless it is allowed to."""
    as_root = ["--allow-root"] * (os.geteuid() == 0)
    return [sys.executable, "-m", "notebook", *as_root, *arguments]

# SPDX-License-Identifier: BSD-3-Clause
"""A folder for the settings and the font cache of matplotlib. Use it before matplotlib is imported."""

import contextlib
import logging
import os
import tempfile
from pathlib import Path

FOLDER = "MPLCONFIGDIR"


@contextlib.contextmanager
def writable():
    """Gives matplotlib a temporary folder if it cannot write to its own. Otherwise it would create
    one in every command, and print a warning."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # about its caches, which do not concern the user
    if all(map(can_be_written, folders())):
        yield
        return
    before = os.environ.get(FOLDER)
    with tempfile.TemporaryDirectory(prefix="ina-matplotlib-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            os.environ.pop(FOLDER)
            os.environ |= {} if before is None else {FOLDER: before}


def folders():
    """The folders that matplotlib would use."""
    if FOLDER in os.environ:
        return [Path(os.environ[FOLDER])]
    home = Path(os.path.expanduser("~"))
    return [
        Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "matplotlib",
        Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "matplotlib",
    ]


def can_be_written(folder):
    """Whether files can be created in the folder, or the folder itself."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)

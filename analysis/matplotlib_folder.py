# SPDX-License-Identifier: BSD-3-Clause
"""A folder for the settings and the font cache of matplotlib. Called before matplotlib is imported."""

import contextlib
import logging
import os
import tempfile
from pathlib import Path

FOLDER = "MPLCONFIGDIR"


@contextlib.contextmanager
def writable():
    """Gives matplotlib a folder until the end, if it can write to none: it would make one, and say
    so for every command."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # of its caches: no matter of a user's
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
    """Whether files can be made there, or the folder itself."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)

# SPDX-License-Identifier: BSD-3-Clause
"""Temporary folders that do not outlive their processes for long, however these end. A marker file
inside identifies our folders. No other folder is ever removed, whatever its name."""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path

from hw.commands.interrupts import undisturbed

PREFIX = "ina-testbed-"
MARKER = ".ina-scratch"


RANDOM_CHARACTERS = 8  # number of characters that mkdtemp() appends


def bytes_of_paths_in(parent):
    """Length of the path of a temporary folder below `parent`."""
    return len(os.fsencode(parent)) + len(f"/{PREFIX}") + RANDOM_CHARACTERS


@contextlib.contextmanager
def scratch_folder(prefix):
    """A temporary folder that exists within this context and is locked while its process lives.
    Also removes the folders of processes that were killed."""
    remove_orphans(prefix)
    with contextlib.ExitStack() as stack:
        with undisturbed():
            folder = Path(tempfile.mkdtemp(prefix=prefix))
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, lock)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
            # Written after the lock, so that a marked folder is always locked.
            (folder / MARKER).write_bytes(marker_of(folder))
        yield folder


def marker_of(folder):
    """The marker contains the folder's path, because a copied or renamed folder belongs to the
    user."""
    return b"temporary folder of ina testbed: " + os.fsencode(folder.resolve()) + b"\n"


def remove_orphans(prefix):
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # another user's, or gone
            continue
        try:
            if os.fstat(lock).st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if is_marked(folder, lock):
                    shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass  # its process lives
        finally:
            os.close(lock)


def is_marked(folder, descriptor):
    """Whether the open folder contains our marker. Never waits for a pipe."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with open(os.open(MARKER, flags, dir_fd=descriptor), "rb") as file:
            expected = marker_of(folder)
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return is_file and file.read(len(expected) + 1) == expected
    except OSError:  # there is none
        return False

# SPDX-License-Identifier: BSD-3-Clause
"""Temporary folders that do not outlive their processes for long, however these end."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from hw.testbed.signals import undisturbed


@contextlib.contextmanager
def scratch_folder(prefix):
    """A temporary folder, there for as long as this is entered, and locked for as long as its process
    lives. Removes those of processes that were killed."""
    remove_orphans(prefix)
    with contextlib.ExitStack() as stack:
        with undisturbed():
            folder, lock = make_locked(prefix)
            stack.callback(os.close, lock)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder


def make_locked(prefix):
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)  # another process came before the lock, and took it for an orphan's


def remove_orphans(prefix):
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # another user's, or gone
            continue
        try:
            if os.fstat(lock).st_uid == os.geteuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass  # its process lives
        finally:
            os.close(lock)

# SPDX-License-Identifier: BSD-3-Clause
"""Builds, one at a time in a build folder."""

import errno
import fcntl
import os
import subprocess
import sys

from analysis.launcher import ROOT, build_steps
from analysis.launcher.messages import Ended, Failure, say
from analysis.launcher.processes import attend, python
from hw.commands.statuses import ENVIRONMENT_ERROR

PROGRESS_INTERVAL_S = 30  # if standard error is not a terminal
LINES_OF_A_FAILURE = 40


def build(folder, stamp, targets):
    """Brings the targets up to date, and records that in the stamp."""
    claim(folder)
    # The build holds the lock until it ends, even if this process is killed before.
    with open(folder.lock, "ab") as lock:
        own = {"pass_fds": [lock.fileno()]}
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another ./ina to build in {folder.path}")
            step(folder, ["flock", str(lock.fileno())], **own)
        configure(folder, **own)
        stamp.begin()
        command = ["cmake", "--build", folder.path, "--target", *targets]
        watch = [" ".join(targets), folder.log, str(PROGRESS_INTERVAL_S), *command]
        step(folder, python(build_steps.__name__, *watch), **own)
        stamp.add(targets)


def claim(folder):
    """Creates the folder, or fails if it is not writable."""
    try:
        os.makedirs(folder.path, exist_ok=True)
        for path in (folder.lock, folder.log):
            open(path, "ab").close()
    except OSError as error:
        advice = ""
        if error.errno in (errno.EACCES, errno.EROFS):
            advice = (
                ": use the built programs with INA_NO_BUILD=1, or build a checkout of your own: "
                f"cp -r '{ROOT}' FOLDER, then FOLDER/ina"
            )
        raise Failure(f"{folder.path}: {error.strerror}{advice}") from None


def configure(folder, **options):
    if is_configured(folder):
        return
    say(f"configuring {folder.path}")
    with open(folder.log, "wb") as log:
        command = ["cmake", "-S", ROOT, "--preset", folder.preset, "--fresh"]
        step(folder, command, stdout=log, stderr=subprocess.STDOUT, **options)


def is_configured(folder):
    """Whether the folder is configured for this checkout. A copied or moved checkout has the folder
    of the other path."""
    home = f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n"
    try:
        with open(f"{folder.path}/CMakeCache.txt", encoding="utf-8", errors="surrogateescape") as cache:
            return os.path.isfile(folder.build_file) and home in cache
    except OSError:
        return False


def step(folder, command, **options):
    """Ends the command if this part of a build fails or is interrupted."""
    try:
        status = attend(command, **options)
    except Ended:
        say("interrupted; the next build continues from there")
        raise
    if status == build_steps.LOG_ERROR:
        raise Ended(ENVIRONMENT_ERROR)  # it has printed the reason
    if status != 0:
        show_end_of(folder.log)
        raise Failure(f"the build failed; the whole log: {folder.log}")


def show_end_of(log):
    with open(log, "rb") as file:
        lines = file.readlines()[-LINES_OF_A_FAILURE:]
    sys.stderr.flush()
    sys.stderr.buffer.write(b"".join(lines))

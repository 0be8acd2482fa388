# SPDX-License-Identifier: BSD-3-Clause
"""Debian packages: installs missing ones, never removes any."""

import os
import shutil
import subprocess
import sys

from analysis.launcher import ROOT
from analysis.launcher.environment import never_installs
from analysis.launcher.messages import Failure, say

INSTALL = ("install", "-y", "--no-install-recommends")


def install_missing(*further):
    """Installs what .ci/packages lists, and .ci/packages-NAME for each further name."""
    if never_installs():
        return
    if not shutil.which("dpkg-query"):
        raise Failure(
            f"not a Debian system: install the packages that {' and '.join(files(further))} list and set INA_NO_INSTALL=1"
        )
    names = listed(further)
    there = installed(names)
    missing = [name for name in names if name not in there]
    if not missing:
        return
    say(f"installing from Debian: {' '.join(missing)}")
    if apt("update") != 0:
        raise Failure("apt-get update failed")
    if apt(*INSTALL, "--no-remove", *missing) != 0:
        raise Failure(f"apt-get install failed{obstacles(missing)}")


def files(further):
    return [".ci/packages", *(f".ci/packages-{name}" for name in further)]


def listed(further):
    names = []
    for file in files(further):
        with open(f"{ROOT}/{file}", encoding="utf-8") as lines:
            names += [word for line in lines for word in line.partition("#")[0].split()]
    return names


def installed(names):
    query = ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *names]
    printed = subprocess.run(
        query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    ).stdout
    return {line.split()[0] for line in printed.splitlines() if line.endswith(" installed")}


def apt(*arguments):
    """The status of apt-get, whose output goes to standard error."""
    command = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", *arguments]
    return subprocess.run(
        as_root(command), stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False
    ).returncode


def as_root(command):
    if os.geteuid() == 0:
        return command
    if shutil.which("sudo"):
        return ["sudo", *command]
    raise Failure(f"neither root nor sudo: ask an administrator to run: {' '.join(command)}")


def obstacles(packages):
    """The packages that prevent the installation, if any."""
    lines = subprocess.run(
        ["env", "LC_ALL=C", "apt-get", "-q", "--simulate", *INSTALL, *packages],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, check=False,
    ).stdout.splitlines()  # fmt: skip
    removed = [line.split()[1] for line in lines if line.startswith("Remv ")]
    unmet = [" ".join(line.split()) for line in lines if line.startswith(" ") and " : " in line]
    if removed:
        reason = f"the installation would remove {', '.join(removed)}"
    elif unmet:
        reason = "; ".join(unmet)
    else:
        return ""
    return (
        f": {reason}: resolve that, or provide {' '.join(packages)} in another way and set "
        "INA_NO_INSTALL=1"
    )

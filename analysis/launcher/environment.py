# SPDX-License-Identifier: BSD-3-Clause
"""Environment variables that change the behaviour of the launcher."""

import os


def never_installs():
    return os.environ.get("INA_NO_INSTALL") == "1"


def never_builds():
    return os.environ.get("INA_NO_BUILD") == "1"

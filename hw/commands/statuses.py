# SPDX-License-Identifier: BSD-3-Clause
"""Exit statuses of all commands, as in docs/reference/exit-statuses.md. Those of the C++ programs are in
hw/files/exit_status.hpp. This module imports nothing, since the launcher runs without site
packages."""

DIFFERENT = 1
WRONG_INPUT = 2
FAILED_RUN = 3  # a wrong sum, or a run that did not finish within its time limit
ENVIRONMENT_ERROR = 4  # a full disk, no permission, a killed process
INCONCLUSIVE = 5
BUG = 70  # with a traceback on standard error
INTERRUPTED = 130  # by SIGINT
INTERRUPTIONS = (129, INTERRUPTED, 143)  # HUP, INT, TERM

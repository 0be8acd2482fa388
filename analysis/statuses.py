# SPDX-License-Identifier: BSD-3-Clause
"""The exit statuses of all commands, as README.md lists them; hw/files/exit_status.hpp has those
of the C++ programs."""

DIFFERENT = 1
WRONG_INPUT = 2
FAILED_RUN = 3  # a wrong sum, or a run that was not done at its time limit
TROUBLE = 4  # of the machine: a full disk, no permission, a process that was killed
INCONCLUSIVE = 5
BUG = 70  # a traceback stands on standard error
INTERRUPTIONS = (129, 130, 143)  # HUP, INT, TERM

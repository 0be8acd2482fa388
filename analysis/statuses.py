# SPDX-License-Identifier: BSD-3-Clause
"""Exit statuses of all commands, as in README.md; those of the C++ programs are in
hw/files/exit_status.hpp."""

DIFFERENT = 1
WRONG_INPUT = 2
FAILED_RUN = 3  # a wrong sum, or a run that was not done at its time limit
TROUBLE = 4  # of the machine: a full disk, no permission, a process that was killed
INCONCLUSIVE = 5
BUG = 70  # a traceback stands on standard error
INTERRUPTIONS = (129, 130, 143)  # HUP, INT, TERM

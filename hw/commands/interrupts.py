# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a command, as an exception, so that it can clean up, and what ends with it."""

import ctypes
import os
import signal

from hw.commands.errors import Interrupted

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_PDEATHSIG = 1
OURSELVES = os.getpid()
LIBC = ctypes.CDLL(None)


def raise_interrupted():
    """From now on the first of SIGNALS raises Interrupted. Later ones are ignored."""
    for number in SIGNALS:
        signal.signal(number, interrupt)


def interrupt(number, _frame):
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)  # one is enough, and must not disturb the end
    raise Interrupted(number)


def end_with_us():
    """In a new process, before its program: it is killed when we end, which may also have happened by
    now."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != OURSELVES:
        os._exit(1)

# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a command, raised as exceptions so that the command can clean up. Also delays
signals and ends child processes along with the command."""

import contextlib
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
        signal.signal(other, signal.SIG_IGN)  # further signals must not disturb the cleanup
    raise Interrupted(number)


def end_with_us():
    """Runs in a new process before its program. Makes the kernel kill it when this process ends,
    which may already have happened."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != OURSELVES:
        os._exit(1)


@contextlib.contextmanager
def undisturbed():
    """Delays signals until the end of this context."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_child():
    """Runs in a new process before its program. Unblocks signals, and makes the kernel kill the
    process when this one ends, which may already have happened."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    end_with_us()

# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a command, as an exception, so that it can clean up; when they wait, and what ends
with a command."""

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
        signal.signal(other, signal.SIG_IGN)  # one is enough, and must not disturb the end
    raise Interrupted(number)


def end_with_us():
    """In a new process, before its program: it is killed when we end, which may also have happened by
    now."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != OURSELVES:
        os._exit(1)


@contextlib.contextmanager
def undisturbed():
    """Signals wait for the end of this."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_child():
    """In a new process, before its program: it gets signals, and is killed when we are, which may
    also have happened by now."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    end_with_us()

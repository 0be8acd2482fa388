# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a run, kept from coming at the wrong instant, and what a process does that ends
with ours."""

import contextlib
import ctypes
import os
import signal

from hw.plans.errors import Interrupted

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_PDEATHSIG = 1
OURSELVES = os.getpid()
LIBC = ctypes.CDLL(None)


def catch_signals():
    """Lets the signals raise Interrupted from now on."""
    for number in SIGNALS:
        signal.signal(number, interrupt)


def interrupt(number, _frame):
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)  # one is enough, and must not disturb the end
    raise Interrupted(number)


@contextlib.contextmanager
def undisturbed():
    """Signals wait for the end of this."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_child():
    """In a new process, before its program: it hears signals, and is killed when we are, which may
    also have happened by now."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != OURSELVES:
        os._exit(1)

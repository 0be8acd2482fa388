# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a run, kept from coming at the wrong instant, and what a process does that ends
with ours."""

import contextlib
import signal

from hw.commands.interrupts import SIGNALS, end_with_us


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
    end_with_us()

# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a run, kept from coming at the wrong instant."""

import contextlib
import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def undisturbed():
    """Signals wait for the end of this."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_signals_in():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

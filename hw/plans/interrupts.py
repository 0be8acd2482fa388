# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a command, as an exception, so that it can clean up."""

import signal

from hw.plans.errors import Interrupted

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raise_interrupted():
    """From now on the first of SIGNALS raises Interrupted. Later ones are ignored."""
    for number in SIGNALS:
        signal.signal(number, interrupt)


def interrupt(number, _frame):
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)  # one is enough, and must not disturb the end
    raise Interrupted(number)

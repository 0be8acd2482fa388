# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a command."""

import signal

import pytest

from hw.commands.errors import Interrupted
from hw.commands.interrupts import SIGNALS, raise_interrupted


@pytest.fixture(autouse=True)
def handlers():
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_is_an_exception_and_later_ones_are_ignored(number):
    raise_interrupted()
    with pytest.raises(Interrupted) as caught:
        signal.raise_signal(number)
    assert caught.value.number == number
    for other in SIGNALS:
        signal.raise_signal(other)

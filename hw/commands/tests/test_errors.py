# SPDX-License-Identifier: BSD-3-Clause
"""Ways in which commands end: at most one line on standard error, and a status."""

import signal

import pytest

from hw.commands.errors import CommandError, Interrupted, status_of
from hw.commands.statuses import ENVIRONMENT_ERROR, FAILED_RUN, WRONG_INPUT


def raising(error):
    def command():
        raise error

    return command


def test_the_status_of_a_command_that_ends_is_its_own(capsys):
    assert status_of(lambda: 7) == 7
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "error, status, line",
    [
        (CommandError("x: 1; allowed: 2"), WRONG_INPUT, "ina: x: 1; allowed: 2\n"),
        (CommandError("late", FAILED_RUN), FAILED_RUN, "ina: late\n"),
        (CommandError("", ENVIRONMENT_ERROR), ENVIRONMENT_ERROR, ""),  # printed already
        (Interrupted(signal.SIGTERM), 128 + signal.SIGTERM, ""),
        (KeyboardInterrupt(), 128 + signal.SIGINT, ""),
    ],
)
def test_a_failure_is_a_line_and_a_status(capsys, error, status, line):
    assert status_of(raising(error)) == status
    assert capsys.readouterr() == ("", line)

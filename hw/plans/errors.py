# SPDX-License-Identifier: BSD-3-Clause
"""What ends a command, and with which status."""

from analysis.statuses import FAILED_RUN, TROUBLE, WRONG_INPUT


class CommandError(Exception):
    """What ends the command, in one line, or nothing if that was printed already."""

    def __init__(self, message, status=WRONG_INPUT):
        super().__init__(message)
        self.status = status


class Interrupted(BaseException):
    """A signal asks for the end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def unexpected_end(program, status):
    """The error of a program of ours that should have gone on. With one of our statuses it has printed
    why."""
    known = status in (TROUBLE, WRONG_INPUT, FAILED_RUN)
    message = "" if known else f"{program} ended unexpectedly, with status {status}"
    return CommandError(message, status if known else TROUBLE)

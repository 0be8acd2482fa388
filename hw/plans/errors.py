# SPDX-License-Identifier: BSD-3-Clause
"""What ends a command, and with which status."""

TROUBLE = 1
WRONG_INPUT = 2
VIOLATION = 3


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
    known = status in (TROUBLE, WRONG_INPUT, VIOLATION)
    message = "" if known else f"{program} ended unexpectedly, with status {status}"
    return CommandError(message, status if known else TROUBLE)

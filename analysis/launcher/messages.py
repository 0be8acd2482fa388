# SPDX-License-Identifier: BSD-3-Clause
"""Messages, and the errors that end a command."""

import os
import sys

from hw.commands.statuses import ENVIRONMENT_ERROR, WRONG_INPUT


class Failure(Exception):
    """Ends the command with one line on standard error and a status."""

    def __init__(self, message, status=ENVIRONMENT_ERROR):
        super().__init__(message)
        self.status = status


class Ended(Exception):
    """Ends the command after a signal, or after a message that was printed already."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


def wrong_input(message):
    return Failure(printable(message), WRONG_INPUT)


def printable(text):
    """The user's words in one line of ASCII."""
    return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in os.fsencode(text))


def say(message):
    print(f"ina: {message}", file=sys.stderr)


def show(text):
    """Prints to standard output."""
    rest = text.encode()
    try:
        while rest:
            rest = rest[os.write(1, rest) :]
    except OSError:
        raise Failure("standard output cannot be written") from None

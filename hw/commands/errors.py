# SPDX-License-Identifier: BSD-3-Clause
"""Errors that end a command with one line on standard error and an exit status."""

import contextlib
import os
import sys
import traceback

from hw.commands.statuses import BUG, ENVIRONMENT_ERROR, FAILED_RUN, INTERRUPTED, WRONG_INPUT


class CommandError(Exception):
    """An error that ends the command. The message is one line, or empty if it was printed
    already."""

    def __init__(self, message, status=WRONG_INPUT):
        super().__init__(message)
        self.status = status


class Interrupted(BaseException):
    """A signal asked the command to end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def unexpected_end(program, status):
    """The error for one of our programs that ended unexpectedly. If the status is one of ours, the
    program has printed the reason."""
    known = status in (ENVIRONMENT_ERROR, WRONG_INPUT, FAILED_RUN)
    message = "" if known else f"{program} ended unexpectedly, with status {status}"
    return CommandError(message, status if known else ENVIRONMENT_ERROR)


def status_of(command):
    """The status that `command` returns, or the status of its failure, which is reported."""
    try:
        try:
            return command()
        finally:
            sys.stdout.flush()
    except CommandError as error:
        if str(error):
            print(f"ina: {error}", file=sys.stderr)
        return error.status
    except Interrupted as interrupted:
        return 128 + interrupted.number
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        return report_os_error(error)
    except Exception:
        traceback.print_exc()
        return BUG


def report_os_error(error):
    """Reports an environment error, such as a full disk, a closed pipe or a missing program."""
    with contextlib.suppress(OSError):  # standard error may have no reader
        print(f"ina: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())  # the interpreter's last flush must not fail
    return ENVIRONMENT_ERROR

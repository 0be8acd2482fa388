# SPDX-License-Identifier: BSD-3-Clause
"""What the commands report as an error, as an exception."""

import contextlib

from analysis.launcher.messages import Ended, Failure
from hw.commands.errors import CommandError
from hw.commands.statuses import ENVIRONMENT_ERROR, INTERRUPTIONS
from hw.files import output


class Error(Exception):
    """The line that a command ends with: where, what was found, what is allowed. `status` is the exit
    status of the command."""

    __module__ = "inalab"  # as users know it

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


@contextlib.contextmanager
def translated():
    """Raises Error for each error of a command."""
    try:
        yield
    except (CommandError, Failure) as error:
        raise Error(str(error), error.status) from None
    except Ended as ended:  # of a build; it has printed why
        if ended.status in INTERRUPTIONS:
            raise KeyboardInterrupt from None
        raise Error("the simulator could not be built", ended.status) from None
    except OSError as error:
        message = f"{error.filename or 'the system'}: {output.reason(error)}"
        raise Error(message, ENVIRONMENT_ERROR) from None

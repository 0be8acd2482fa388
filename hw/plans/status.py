# SPDX-License-Identifier: BSD-3-Clause
"""How a command ends that fails: one line on standard error and a status."""

import contextlib
import os
import signal
import sys
import traceback

from analysis.statuses import BUG, TROUBLE
from hw.plans.errors import CommandError, Interrupted


def status_of(command):
    """The status that `command` returns, or that of its failure."""
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
        return 128 + signal.SIGINT
    except OSError as error:
        return report_trouble(error)
    except Exception:
        traceback.print_exc()
        return BUG


def report_trouble(error):
    """A full disk, a reader of our output that has gone, a program that is not there ..."""
    with contextlib.suppress(OSError):  # standard error may be what nobody reads
        print(f"ina: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())  # what it could not take is not tried again
    return TROUBLE

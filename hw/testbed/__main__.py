# SPDX-License-Identifier: BSD-3-Clause
"""The program of `ina testbed`. It installs signal handlers before it imports the rest, which takes
a while."""

import sys

from hw.commands.errors import Interrupted, status_of
from hw.commands.interrupts import raise_interrupted


def main():
    raise_interrupted()
    return status_of(command)


def command():
    try:
        from hw.testbed.command_line import command_of
    except Interrupted:
        print("ina: interrupted before any work", file=sys.stderr)
        raise
    return command_of()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""The program of `ina testbed`. It catches signals before it imports the rest, which takes a while."""

import sys

from hw.plans.errors import Interrupted
from hw.plans.interrupts import raise_interrupted
from hw.plans.status import status_of


def main():
    raise_interrupted()
    return status_of(command)


def command():
    try:
        from hw.testbed.command_line import command_of
    except Interrupted:
        print("ina: interrupted before anything was done", file=sys.stderr)
        raise
    return command_of()


if __name__ == "__main__":
    sys.exit(main())

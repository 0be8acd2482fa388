# SPDX-License-Identifier: BSD-3-Clause
"""The options `--json FILE` and `--quiet` of all commands."""

import os
from pathlib import Path

from analysis import output

OPTION = "--json"
STANDARD_OUTPUT = "-"


def add_to(command, what):
    command.add_argument(
        OPTION, metavar="FILE", help=f"also write {what}; -: to standard output, and nothing else there"
    )
    command.add_argument(
        "--quiet", action="store_true", help="print nothing to standard output, but what --json - writes"
    )


def is_silent(options):
    """Whether standard output gets no other text."""
    return options.quiet or options.json == STANDARD_OUTPUT


def writer(command):
    return f"ina {command} {OPTION}"


def check(options, command):
    """Refuses, before any work, a file that write() could not write."""
    if options.json not in (None, STANDARD_OUTPUT):
        output.check(OPTION, options.json, writer(command))


def check_verdict(options, command):
    """The same, and removes what a former call wrote there: a command that fails leaves no verdict."""
    check(options, command)
    if options.json not in (None, STANDARD_OUTPUT):
        path = Path(options.json)
        if output.is_replaced(path) and path.exists():
            os.unlink(os.path.realpath(path))


def write(options, command, content):
    if options.json is not None:
        path = "/dev/stdout" if options.json == STANDARD_OUTPUT else options.json
        output.write_json(OPTION, path, writer(command), content)

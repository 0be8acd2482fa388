# SPDX-License-Identifier: BSD-3-Clause
"""The options `--json FILE` and `--quiet` of all commands."""

import os
from pathlib import Path

from hw.files import output

OPTION = "--json"
STANDARD_OUTPUT = "-"
WITH_VERDICT = ("compare", "diff", "regress")


def add_to(command, what):
    command.add_argument(
        OPTION, metavar="FILE", help=f"also write {what} to a file; with -, write only this to standard output"
    )
    command.add_argument(
        "--quiet", action="store_true", help="print nothing to standard output, except the output of --json -"
    )


def is_silent(options):
    """Whether standard output gets nothing but JSON, or nothing at all."""
    return options.quiet or options.json == STANDARD_OUTPUT


def writer(command):
    return f"ina {command} {OPTION}"


def check(options, command):
    """Checks before any work that write() will be able to write the file."""
    if options.json not in (None, STANDARD_OUTPUT):
        output.check(OPTION, options.json, writer(command))


def remove_former(arguments):
    """Removes the former output of a command with a verdict, so that a failed call leaves none,
    however it fails."""
    if not arguments or arguments[0] not in WITH_VERDICT:
        return
    pairs = [one.partition("=")[::2] for one in arguments] + list(zip(arguments, arguments[1:]))
    for path in [Path(value) for option, value in pairs if option == OPTION and value]:
        if path.is_file() and output.own_mark(path) == writer(arguments[0]):
            os.unlink(os.path.realpath(path))


def write(options, command, content):
    if options.json is not None:
        path = "/dev/stdout" if options.json == STANDARD_OUTPUT else options.json
        output.write_json(OPTION, path, writer(command), content)

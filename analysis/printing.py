# SPDX-License-Identifier: BSD-3-Clause
"""Output of commands: results to standard output, notes to standard error."""

import sys

from analysis import json_option
from hw.commands.errors import CommandError
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.files import output

MOST_OF_A_MESSAGE = 1000


def note(message):
    r"""Prints one line of printable ASCII, with other bytes as \xNN."""
    content = str(message).encode(errors="backslashreplace")
    text = "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in content)
    if len(text) > MOST_OF_A_MESSAGE:
        text = f"{text[:MOST_OF_A_MESSAGE]}..."
    print(f"ina: {text}", file=sys.stderr)


def print_result(options, text):
    """Prints the text of a command, unless standard output is for --json."""
    if not json_option.is_silent(options):
        print_line(text)


def print_line(text):
    try:
        print(text, flush=True)
    except OSError as error:
        sys.stdout = None  # the interpreter's final flush would fail again
        raise CommandError(
            f"standard output: {output.reason(error)}", ENVIRONMENT_ERROR
        ) from None

# SPDX-License-Identifier: BSD-3-Clause
"""The commands: plot, breakdown, report, compare, diff, regress, stages, reproduce and
sensitivity."""

import argparse
import importlib
import os
import sys
import traceback
from dataclasses import dataclass

from analysis import json_option, matplotlib_folder
from analysis.printing import note, print_line
from hw.commands import statuses
from hw.commands.errors import CommandError
from hw.files import output


@dataclass(frozen=True)
class Command:
    """A command. `module` is imported only when the command is used: its `add_NAME(parser)` adds
    the options and sets the default of `command`, a function from the options to the exit status."""

    name: str
    help: str
    module: str

    def add_options(self, parser):
        getattr(importlib.import_module(self.module), f"add_{self.name}")(parser)


COMMANDS = (
    Command("plot", "draw the average JCT: jct.png and jct.pdf", "analysis.kinds.commands"),
    Command("breakdown", "draw the parts of iterations: breakdown.png", "analysis.kinds.commands"),
    Command("report", "write a page about a result folder: report.html", "analysis.report.command"),
    Command("compare", "compare the JCT curves of two result folders", "analysis.regress.commands"),
    Command("diff", "find the first difference between two runs", "analysis.regress.commands"),
    Command("regress", "run scenarios and compare with stored references", "analysis.regress.commands"),
    Command("stages", "draw the resources that a program needs on a switch chip", "analysis.kinds.commands"),
    Command("reproduce", "compare simulated results with published ones", "analysis.reproduce.command"),
    Command("sensitivity", "change the keys of a scenario and measure the effect", "analysis.sensitivity.command"),
)


def main(arguments=None):
    """Runs a command and returns its exit status. No error by the user or the system prints a traceback."""
    if sys.stdout is not None:
        sys.stdout.reconfigure(errors="surrogateescape")  # file names need not be valid text
    os.environ["MPLBACKEND"] = "Agg"  # commands draw into files, whatever the user's backend is
    try:
        with matplotlib_folder.writable():
            return run(arguments)
    except CommandError as error:
        return complain(error, error.status)
    except OSError as error:
        message = f"{error.filename or 'the system'}: {output.reason(error)}"
        return complain(message, statuses.ENVIRONMENT_ERROR)
    except KeyboardInterrupt:
        return statuses.INTERRUPTED
    except Exception:
        traceback.print_exc()
        return statuses.BUG


def run(arguments):
    arguments = sys.argv[1:] if arguments is None else arguments
    json_option.remove_former(arguments)
    try:
        options = parser(arguments).parse_args(arguments)
    except SystemExit:  # raised by --help
        return 0
    return options.command(options)


def complain(error, status):
    note(error)
    return status


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise CommandError(message)

    def print_help(self, file=None):
        print_line(self.format_help().rstrip("\n"))


def parser(arguments):
    """The parser with the options of the command in the arguments."""
    top = Parser(prog="ina", description="Draws and compares results.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for one in COMMANDS:
        own = commands.add_parser(one.name, help=one.help)
        if one.name in arguments[:1]:
            one.add_options(own)
    return top


if __name__ == "__main__":
    sys.exit(main())

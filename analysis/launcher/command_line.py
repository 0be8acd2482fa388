# SPDX-License-Identifier: BSD-3-Clause
"""The commands of `./ina`, by their names."""

import sys

from analysis.launcher import ROOT, commands
from analysis.launcher.environment import never_builds
from analysis.launcher.messages import Ended, Failure, printable, say, show
from analysis.launcher.presets import BuildFolder, chosen
from analysis.launcher.usage import TEXT, asks_for_help, ours
from hw.commands.statuses import BUG, ENVIRONMENT_ERROR, WRONG_INPUT

NO_BUILD = "--no-build"
COMMANDS = {
    "run": commands.simulate,
    "merge": commands.simulate,
    "validate": commands.ask_simulator,
    "trace": commands.ask_simulator,
    "testbed": commands.run_testbed,
    "regress": commands.analyse_runs,
    "sensitivity": commands.analyse_runs,
    "reproduce": commands.reproduce,
    "switch": commands.switch,
    "bench": commands.bench,
    "explore": commands.explore,
    "campaign": commands.explore,
    "python": commands.start_python,
    "notebook": commands.start_notebook,
    "test": commands.test,
    "fuzz": commands.fuzz,
    "docs": commands.docs,
    "build": commands.build,
    "install": commands.install,
    **dict.fromkeys(("plot", "breakdown", "report", "compare", "diff"), commands.analyse_results),
}


def main(arguments):
    """Returns the exit status. No error by the user or the system prints a traceback."""
    try:
        return run(arguments)
    except Failure as failure:
        say(failure)
        return failure.status
    except Ended as ended:
        return ended.status
    except OSError as error:
        say(f"{error.filename or 'the system'}: {error.strerror}")
        return ENVIRONMENT_ERROR
    except Exception:
        import traceback  # takes a fifth of the launcher's start

        traceback.print_exc()
        return BUG


def run(arguments):
    if not arguments:
        sys.stderr.write(TEXT)
        return WRONG_INPUT
    command, *rest = arguments
    if command in ("--help", "-h", "help"):
        show(TEXT)
    elif command == "--version":
        show(version())
    elif command not in COMMANDS:
        say(f"unknown command: {printable(command)}")
        sys.stderr.write(TEXT)
        return WRONG_INPUT
    else:
        start(command, rest)
    return 0


def version():
    with open(f"{ROOT}/VERSION", encoding="utf-8") as file:
        return f"ina {file.read()}"


def start(command, arguments):
    preset = chosen(command)
    no_build = never_builds()
    if NO_BUILD in ours(command, arguments):
        no_build = True
        arguments.remove(NO_BUILD)
    folder = BuildFolder(preset, no_build)
    if asks_for_help(command, arguments):
        from analysis.launcher.command_help import show_help

        show_help(folder, command, arguments)
    else:
        COMMANDS[command](folder, command, arguments)

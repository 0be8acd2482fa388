# SPDX-License-Identifier: BSD-3-Clause
"""The command `ina testbed`: runs scenarios with real processes and real packets."""

import argparse
import signal
import sys
from pathlib import Path

from hw.testbed import results
from hw.testbed.plan import Programs, TestbedError, plans
from hw.testbed.run import Interrupted, run

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TIMEOUT_UNITS_PS = {"us": 10**6, "ms": 10**9, "s": 10**12}


def main(arguments=None):
    for number in SIGNALS:
        signal.signal(number, interrupt)
    try:
        options = parser().parse_args(arguments)
        return run_experiments(options)
    except TestbedError as error:
        if str(error):
            print(f"ina: {error}", file=sys.stderr)
        return error.status
    except Interrupted as interrupted:
        return 128 + interrupted.number


def interrupt(number, _frame):
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)  # one is enough, and must not disturb the end
    raise Interrupted(number)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise TestbedError(f"testbed: {message}")


def parser():
    top = Parser(prog="ina testbed", description="Scenarios with real processes and real packets.")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    one = commands.add_parser("run", help="run scenarios and write their results")
    one.add_argument("files", metavar="FILE", nargs="+", help="scenario files")
    one.add_argument(
        "--set",
        metavar="/KEY=VALUE",
        action="append",
        default=[],
        dest="overrides",
        help="set a key, also one that is swept (several times)",
    )
    one.add_argument("--seeds", metavar="1-5", help="seeds instead of the file's")
    one.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("results/testbed"),
        help="where the result folders are made (default: %(default)s)",
    )
    one.add_argument(
        "--min-timeout",
        metavar="TIME",
        type=picoseconds,
        default="20ms",
        help="no time-out of the scenario is shorter here (default: %(default)s): on a machine "
        "that processes share, a packet may be late by a time slice",
    )
    one.add_argument("--programs", metavar="DIR", type=Path, required=True, help=argparse.SUPPRESS)
    return top


def picoseconds(text):
    for unit, factor in TIMEOUT_UNITS_PS.items():
        digits = text.removesuffix(unit)
        if digits != text and digits.isdecimal() and digits.isascii():
            return int(digits) * factor
    raise argparse.ArgumentTypeError(f'"{text}"; allowed: a whole number of us, ms or s')


def run_experiments(options):
    programs = Programs(options.programs.resolve())
    experiments = plans(programs, options.files, options.overrides, options.seeds)
    for experiment in experiments:
        results.check_folder(options.out / experiment["name"], experiment)
    for experiment in experiments:
        outcomes = []
        for one in experiment["runs"]:
            outcomes.append(run(programs, one, options.min_timeout))
            print(results.summary(experiment, one, outcomes[-1]), flush=True)
        folder = options.out / experiment["name"]
        results.write(folder, experiment, outcomes, options.min_timeout)
        print(f"results: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

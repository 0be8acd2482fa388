# SPDX-License-Identifier: BSD-3-Clause
"""The commands that compare results: compare, diff and regress."""

import argparse
import tempfile
from pathlib import Path

from analysis import json_option, results
from analysis.attendance import Attendance
from analysis.printing import note, print_result
from analysis.regress import (
    acceptance, compare, comparison, difference, regression, suite, verdict_json,
)  # fmt: skip
from analysis.results import AnalysisError
from hw.commands import statuses


def add_compare(command):
    command.add_argument("before", metavar="DIR_A", help="result folder to compare with (the reference)")
    command.add_argument("after", metavar="DIR_B", help="result folder whose results may have changed")
    command.add_argument(
        "--tolerance", type=share, default=compare.TOLERANCE, help="maximum relative difference (default: %(default)s)"
    )
    command.add_argument(
        "--statistical", action="store_true",
        help="compare folders of any seeds: equal if the 95 %% interval of the ratio is within the tolerance",
    )
    json_option.add_to(command, "the table")
    command.set_defaults(command=run_compare)


def add_diff(command):
    command.add_argument("before", metavar="A", help="result folder, or file of ina trace")
    command.add_argument("after", metavar="B", help="another result folder, or file of ina trace")
    json_option.add_to(command, "the differences")
    command.set_defaults(command=run_diff)


def add_regress(command):
    command.add_argument(
        "suite", metavar="FILE|DIR", nargs="*",
        help="scenarios with references in a folder references/ next to them (default: tests/regression/suite)",
    )
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "--statistical", action="store_true",
        help="compare mean JCTs over seeds, instead of the tables of the first seed byte for byte",
    )
    what.add_argument(
        "--accept", action="store_true",
        help="renew the references, and write the changes to CHANGES.md next to them",
    )
    command.add_argument(
        "--tolerance", type=share,
        help="with --statistical or --accept: maximum relative difference of a mean "
        f"(default: {regression.TOLERANCE})",
    )
    command.add_argument(
        "--seeds", metavar="1-5", help="with --statistical: seeds to use instead of those of the scenarios"
    )
    command.add_argument(
        "--out", metavar="DIR", help="parent folder of the result folders, as in ina run (default: results are not kept)"
    )
    command.add_argument("--parallel", metavar="N", help="number of parallel runs (default: the number of processors)")
    command.add_argument(
        "--replace", action="store_true",
        help="with --out: repeat runs that another build made, as in ina run",
    )
    json_option.add_to(command, "the findings")
    command.add_argument("--program", required=True, help=argparse.SUPPRESS)  # the simulator
    command.set_defaults(command=run_regress)


def share(text):
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a share of 0 or more")
    return value


def run_diff(options):
    json_option.check(options, "diff")
    found = difference.difference(options.before, options.after)
    json_option.write(options, "diff", verdict_json.of_diff(found))
    print_result(options, "\n".join(found.lines))
    return statuses.DIFFERENT if found.differs else 0


def run_compare(options):
    json_option.check(options, "compare")
    pair = results.read(options.before), results.read(options.after)
    mode = compare.STATISTICAL if options.statistical else compare.EXACT
    found = comparison.of(*pair, mode, options.tolerance)
    json_option.write(options, "compare", verdict_json.of_compare(found))
    print_result(options, found)
    return compare.STATUS_OF[found.verdict]


def run_regress(options):
    if options.seeds is not None and not options.statistical:
        raise AnalysisError("--seeds: allowed: with --statistical")
    if options.tolerance is not None and not (options.statistical or options.accept):
        raise AnalysisError("--tolerance: allowed: with --statistical or --accept")
    if options.tolerance is None:
        options.tolerance = regression.TOLERANCE
    json_option.check(options, "regress")
    chosen = suite.suite_of(options.suite)
    attendance = Attendance()
    try:
        with tempfile.TemporaryDirectory(prefix="ina-regress-") as own, attendance:
            scratch = Path(own) / "scratch"
            out = Path(options.out or own)
            runs = suite.Runs(options.program, out, scratch, forwarded_options(options), attendance)
            return run_accept(options, chosen, runs) if options.accept else (
                run_suite(options, chosen, runs)
            )
    except suite.NotRun as error:
        if error.status not in statuses.INTERRUPTIONS:
            return error.status  # the simulator has printed the reason
        if options.out is None:
            note("regress: stopped; without --out, the finished runs are removed")
        return 128 + attendance.ended_by if attendance.is_ended else error.status


def forwarded_options(options):
    parallel = [] if options.parallel is None else ["--parallel", options.parallel]
    return parallel + ["--replace"] * options.replace


def run_suite(options, chosen, runs):
    if options.statistical:
        mode = compare.STATISTICAL
        findings = regression.over_seeds(chosen, runs, options.tolerance, options.seeds)
    else:
        mode = compare.EXACT
        findings = regression.exact(chosen, runs)
    json_option.write(options, "regress", verdict_json.of_regress(findings, mode, options.tolerance))
    print_result(options, regression.text_of(findings))
    return regression.status(findings)


def run_accept(options, chosen, runs):
    if options.json is not None:
        raise AnalysisError("--json: allowed: without --accept")
    found = acceptance.changes(chosen, runs)
    pages = acceptance.write(found, chosen.orphans, options.tolerance)
    print_result(options, "\n".join(map(str, pages)) or "nothing changed")
    return 0

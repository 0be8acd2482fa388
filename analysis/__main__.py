# SPDX-License-Identifier: BSD-3-Clause
"""The commands: plot, parts, compare and stages."""

import argparse
import json
import sys
from pathlib import Path

from analysis import compare, curves, results
from analysis.results import AnalysisError

MISMATCH = 1
BAD_INPUT = 2


def main(arguments=None):
    try:
        options = parser().parse_args(arguments)
        return options.command(options)
    except AnalysisError as error:
        print(f"ina: {error}", file=sys.stderr)
        return BAD_INPUT


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise AnalysisError(message)


def parser():
    top = Parser(prog="ina", description="Figures and comparisons of results.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    plot = commands.add_parser("plot", help="draw the average JCT: jct.png and jct.pdf")
    plot.add_argument("folder", metavar="DIR", help="result folder")
    plot.add_argument("--json", metavar="FILE", help="also write the plotted numbers")
    plot.set_defaults(command=run_plot)

    parts = commands.add_parser("parts", help="draw what the JCT consists of: parts.png")
    parts.add_argument("folder", metavar="DIR", help="result folder")
    parts.add_argument("--json", metavar="FILE", help="also write the plotted numbers")
    parts.set_defaults(command=run_parts)

    curves_of = commands.add_parser("compare", help="compare the JCT curves of two result folders")
    curves_of.add_argument("before", metavar="DIR_A", help="result folder to compare with")
    curves_of.add_argument("after", metavar="DIR_B", help="result folder that may have moved")
    curves_of.add_argument(
        "--tolerance", type=share, default=0.02, help="largest share that may differ (%(default)s)"
    )
    curves_of.add_argument("--json", metavar="FILE", help="also write the table")
    curves_of.set_defaults(command=run_compare)

    stages = commands.add_parser("stages", help="draw what a program takes of a switch chip")
    stages.add_argument("report", metavar="FILE", help="what ina switch report --json wrote")
    stages.add_argument("figure", metavar="PNG", help="the figure to write")
    stages.set_defaults(command=run_stages)
    return top


def share(text):
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a share of 0 or more")
    return value


def run_plot(options):
    # They load matplotlib, which the other commands need not wait for.
    from analysis import jct_figure, loss_figure

    read = results.read(options.folder)
    over_loss = curves.is_over_loss(read)
    points = curves.loss_points(read) if over_loss else curves.jct_points(read)
    print(jct_figure.save(read, points))
    if over_loss:
        print(loss_figure.save(read, points))
    if options.json:
        write_json(options.json, curves.to_json(read, points))
    return 0


def run_parts(options):
    from analysis import parts_figure  # as above

    read = results.read(options.folder)
    means = parts_figure.parts(read)
    print(parts_figure.save(read, means))
    if options.json:
        write_json(options.json, means.to_dict(orient="records"))
    return 0


def run_compare(options):
    before, after = results.read(options.before), results.read(options.after)
    table = compare.compare(before, after, options.tolerance)
    print(compare.text_of(table, options.tolerance))
    if options.json:
        write_json(options.json, compare.to_json(table, options.tolerance))
    return 0 if compare.passes(table) else MISMATCH


def run_stages(options):
    from analysis import stages_figure  # as above

    print(stages_figure.save(options.report, options.figure))
    return 0


def write_json(file, content):
    try:
        Path(file).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise AnalysisError(f"{file}: {error.strerror}") from None


if __name__ == "__main__":
    sys.exit(main())

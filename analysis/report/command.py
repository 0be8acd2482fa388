# SPDX-License-Identifier: BSD-3-Clause
"""The command report."""

from analysis import json_option, results
from analysis.printing import print_result
from analysis.report import content, numbers, page
from hw.files import output


def add_report(report):
    report.add_argument("folder", metavar="DIR", help="result folder")
    json_option.add_to(report, "the means with their intervals")
    report.set_defaults(command=run_report)


def run_report(options):
    read = results.read(options.folder)
    path = read.folder / f"report.{output.HTML}"
    output.check("report", path, output.HTML)
    json_option.check(options, "report")
    content.check(read)
    text = page.page(read).encode(errors="replace")
    output.write("report", {path: (output.HTML, text)})
    json_option.write(options, "report", numbers.numbers(read))
    print_result(options, path)
    return 0

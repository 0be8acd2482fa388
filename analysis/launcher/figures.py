# SPDX-License-Identifier: BSD-3-Clause
"""Commands that draw figures of a program's output."""

import os
import tempfile

from analysis.launcher.messages import Ended, show, wrong_input
from analysis.launcher.processes import analyse, attend, become, use_large_pages
from hw.commands.statuses import INTERRUPTIONS


def simulate_and_draw(folder, command, arguments):
    """Draws each result folder that the simulator names, unless it is drawn already. If the
    simulator fails, its status takes precedence."""
    use_large_pages()
    with tempfile.NamedTemporaryFile(prefix="ina-") as names:
        status = attend(
            [folder.program("ina-sim"), command, "--folders-file", names.name, *arguments]
        )
        if status in INTERRUPTIONS:
            raise Ended(status)
        with open(names.name, "rb") as written:
            folders = list(map(os.fsdecode, written.read().splitlines()))
    failures = [draw(folder, is_silent(arguments)) for folder in folders]
    raise Ended(status or max(failures, default=0))


def is_silent(arguments):
    """Whether the simulator prints only JSON, or nothing, on standard output."""
    pairs = zip(arguments, arguments[1:])
    return bool({"--quiet", "--json=-"} & set(arguments)) or ("--json", "-") in pairs


def draw(result_folder, silent):
    """The exit status."""
    if not is_drawn(result_folder):
        return analyse("plot", result_folder, *["--quiet"] * silent)
    if not silent:
        show(f"{result_folder}/jct.png\n")
    return 0


def is_drawn(result_folder):
    """Whether the figures of jobs are newer than the last change of the results. The simulator
    does not touch a manifest that stays the same."""
    try:
        changed, *drawn = (
            os.stat(f"{result_folder}/{name}").st_mtime_ns for name in ("manifest.json", "jct.png", "jct.pdf")
        )
    except OSError:
        return False
    return min(drawn) > changed


def report_switch(folder, arguments):
    """Runs the report program, which writes the numbers, and lets the analysis draw them."""
    files = {"--figure": "", "--json": ""}
    others = taken_out(files, list(arguments))
    figure, numbers = files["--figure"], files["--json"]
    program = [folder.program("ina-switch-report"), *others]
    if not figure:
        become([*program, "--json", numbers] if numbers else program)
    if numbers == "-":
        raise wrong_input("switch report: --json - with --figure; allowed: a file")
    if numbers and os.path.realpath(numbers) == os.path.realpath(figure):
        raise wrong_input(
            f"switch report: --json and --figure are both {figure}; allowed: two files"
        )
    require(analyse("stages", "--check", numbers, figure))
    with tempfile.TemporaryDirectory(prefix="ina-") as own:
        numbers = numbers or f"{own}/report.json"
        require(attend([*program, "--json", numbers]))
        raise Ended(analyse("stages", numbers, figure))


def require(status):
    if status != 0:
        raise Ended(status)


def taken_out(files, arguments):
    """Moves the values of options for files into `files`. Returns the other arguments."""
    others = []
    while arguments:
        option, equals, value = arguments.pop(0).partition("=")
        if option not in files:
            others.append(option + equals + value)
            continue
        if not equals:
            value = arguments.pop(0) if arguments else ""
        if not value:
            allowed = "a file to draw" if option == "--figure" else "a file to write"
            raise wrong_input(f"switch report {option}: allowed: {allowed}")
        files[option] = value
    return others

# SPDX-License-Identifier: BSD-3-Clause
"""The command reproduce."""

import argparse
from pathlib import Path

from analysis import json_option
from analysis.printing import print_line, print_result
from analysis.reproduce import published, reproduction, workflow
from hw.files import output

# Options that reproduce passes on to ina run.
RUN_OPTIONS = {
    "seeds": ("1-5", "seeds to use instead of those of the scenarios"),
    "set": ("/KEY=VALUE", "set a key of all scenarios"),
    "parallel": ("N", "number of parallel runs (default: the number of processors)"),
}


def add_reproduce(command):
    command.add_argument(
        "names", metavar="NAME", nargs="*",
        help="an id such as D1, or dsa, atp, switchml or all; without a name, the ids are listed",
    )
    command.add_argument(
        "--out", metavar="DIR", default="results/reproduce",
        help="folder for the results, the page and the page's figure (default: %(default)s)",
    )
    json_option.add_to(command, "the numbers and verdicts")
    command.add_argument("--markdown", metavar="FILE", help="also write the rows as Markdown tables")
    command.add_argument("--program", help=argparse.SUPPRESS)  # the simulator; none: no runs
    for option, what in RUN_OPTIONS.items():
        command.add_argument(f"--{option}", metavar=what[0], action="append", help=what[1])
    command.add_argument(
        "--replace", action="store_true", help="repeat runs that another build made, as in ina run"
    )
    command.add_argument(
        "--workflow", metavar="PROFILE", nargs="?", const="local",
        help="let Snakemake run slices of the scenarios, with the profile local, slurm or another one (default: local)",
    )
    command.set_defaults(command=run_reproduce)


def run_reproduce(options):
    from analysis.kinds import figure_files  # it loads matplotlib, which --list does not need
    from analysis.reproduce import curve_figures, markdown_table, overview, page

    everything = published.read()
    if not options.names:
        print_line(published.list_of(everything))
        return 0
    names = published.names_of(everything, options.names)
    chosen = published.chosen(everything, names)
    out = Path(options.out)
    stem = out / "-".join(names)
    check_reproduce_outputs(options, stem)
    status = simulate(options, out, chosen)
    if status in reproduction.ENDS_ALL:
        return status
    folders = reproduction.Folders(out)
    given = reproduction.Given(tuple(options.set or ()), tuple(options.seeds or ()))
    judged = [reproduction.judge(result, folders, given) for result in chosen]
    images = {
        name: figure_files.rendered(pages, output.FIGURES, "")
        for name, pages in [
            (stem.name, overview.draw(judged)),
            *reproduction.curves_of(chosen, folders, curve_figures.draw, given),
        ]
    }
    command = reproduction.command_of(names, given)
    pngs = {name: files[output.PNG] for name, files in images.items()}
    text = page.page(judged, folders, pngs.pop(stem.name), pngs, given, command)
    contents = {f"{stem}.{output.HTML}": (output.HTML, text.encode())}
    for name, by_format in images.items():
        for suffix, files in by_format.items():
            for index, content in enumerate(files):
                contents[figure_files.path_of(out, name, index, suffix)] = (suffix, content)
    output.write("reproduce", contents)
    if options.markdown is not None:
        table = markdown_table.table(judged, command).encode()
        output.write("--markdown", {options.markdown: (output.MARKDOWN, table)})
    json_option.write(options, "reproduce", reproduction.to_json(judged, given))
    print_result(options, f"{reproduction.text_of(judged)}\n{stem}.{output.HTML}")
    return status


def check_reproduce_outputs(options, stem):
    """Creates the folder, and checks before any work that the outputs can be written."""
    output.made_folder("--out", stem.parent)
    for suffix in (output.HTML, *output.FIGURES):
        output.check("reproduce", Path(f"{stem}.{suffix}"), suffix)
    if options.markdown is not None:
        output.check("--markdown", options.markdown, output.MARKDOWN)
    json_option.check(options, "reproduce")


def simulate(options, out, chosen):
    """Runs the scenarios of the chosen results; returns the status of a failure."""
    if options.program is None:
        return 0
    scenarios = reproduction.scenarios_of(chosen)
    given = {option: getattr(options, option) or [] for option in RUN_OPTIONS}
    if options.workflow is not None:
        return workflow.run(options, out, scenarios, given)
    forwarded = [
        argument
        for option, values in given.items()
        for value in values
        for argument in (f"--{option}", value)
    ] + ["--replace"] * options.replace
    return reproduction.run(options.program, out, scenarios, forwarded)

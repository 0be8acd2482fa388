# SPDX-License-Identifier: BSD-3-Clause
"""The commands that draw figures: plot, breakdown and stages."""

import argparse
from pathlib import Path

from analysis import error_bars, json_option, kinds, layout, overlay, results, time_line
from analysis.kinds import figure_files, stages
from analysis.printing import note, print_line, print_result
from analysis.results import AnalysisError
from hw.files import output

# Arguments that not all kinds accept.
OPTIONS = ("x", "baseline", "ratio", "spread", "lines", "panels", "only", "links", "other")
NAMES_OF = {"other": "DIR_B"}  # display names of positional arguments


def add_plot(plot):
    known = kinds.plotted()
    add_figure_options(plot)
    plot.add_argument(
        "other", metavar="DIR_B", nargs="?",
        help=f"with {names_with('other')}: a second result folder, whose lines are drawn in the same "
        "figure",
    )
    plot.add_argument(
        "--kind", choices=known, metavar="|".join(known),
        help=f"content of the figure: {'; '.join(kind.summary for kind in known.values())} (default: "
        "jct; without jobs flows or links)",
    )
    plot.add_argument(
        "--only", metavar="KEY=VALUE", action="append", default=[],
        help="draw only runs with this value of a swept key, variant, system or seed (not with jct); with "
        "gantt, draw only this job or worker",
    )
    plot.add_argument(
        "--links", metavar="PATTERN[,PATTERN]",
        help=f'with {names_with("links")}: links to draw, such as "leaf*>spine0" (default: the busiest)',
    )
    plot.add_argument(
        "--baseline", metavar="VALUE",
        help="line by which the others are divided (default: the scenario's baseline)",
    )
    plot.add_argument(
        "--ratio", metavar="A/B",
        help="draw the ratio of two average JCTs, of systems or variants such as atp/dsa, "
        "to ratio.png",
    )
    plot.add_argument(
        "--spread", choices=error_bars.SPREADS, metavar="|".join(error_bars.SPREADS),
        help="content of the error bars: the 95 %% interval of the mean over seeds (Student's t), or the "
        "range from the smallest to the largest seed (default: interval)",
    )
    plot.set_defaults(command=run_plot)


def names_with(option):
    """The kinds with an option."""
    return " and ".join(kind.name for kind in kinds.plotted().values() if option in kind.options)


def add_breakdown(breakdown):
    add_figure_options(breakdown)
    breakdown.set_defaults(command=run_breakdown, baseline=None)


def add_stages(command):
    command.add_argument("report", metavar="FILE", help="JSON file of ina switch report")
    command.add_argument("figure", metavar="FIGURE", help="output file: .png or .pdf")
    command.add_argument(
        "--check", action="store_true", help="only report whether FIGURE can be written"
    )
    command.set_defaults(command=run_stages)


def add_figure_options(command):
    command.add_argument("folder", metavar="DIR", help="result folder")
    json_option.add_to(command, "the plotted numbers")
    command.add_argument(
        "--out", metavar="DIR", help="folder for the figures (default: the result folder)"
    )
    key = "a swept key such as /jobs/count, variant, system or seed"
    command.add_argument("--x", metavar="KEY", help=f"key of the x axis: {key}")
    command.add_argument(
        "--lines", metavar="KEY", help="key of the lines or bars (default: variant, otherwise system)"
    )
    command.add_argument("--panels", metavar="KEY[,KEY]", help="keys of the panels")
    command.add_argument(
        "--format", dest="formats", metavar="png|pdf", type=one_format, default=("png", "pdf"),
        help="write only files of this format (default: both)",
    )


def one_format(text):
    if text not in ("png", "pdf"):
        raise argparse.ArgumentTypeError(f'found "{text}"; allowed: png, pdf')
    return (text,)


def run_plot(options):
    known = kinds.plotted()
    if options.kind is not None and known[options.kind].of_time_line:
        return plot_time_line(options, known[options.kind])
    read, kind = chosen(options)
    check_files("plot", options, read.folder, kind.name)
    return save("plot", options, read, kind.draw(read, wanted(options)))


def chosen(options):
    """The results that `plot` draws, and the kind of figure. Refuses options that it has no use for."""
    read = results.read(options.folder)
    kind = kinds.plotted()[options.kind or default_kind(read)]
    if kind.of_time_line:
        raise AnalysisError(f"--kind {kind.name}: {read.folder}: a result folder; allowed: a file of ina trace")
    check_kind(options, kind)
    if options.other is not None:
        read = overlay.Overlay(read, results.read(options.other))
    return read, kinds.all_kinds()["ratio"] if options.ratio is not None else kind


def default_kind(read):
    """The default kind: without jobs, one for background traffic."""
    if read.has_jobs:
        return "jct"
    has_flows = "flows.csv" in read.tables and read.table("flows.csv")["completion_us"].notna().any()
    return "flows" if has_flows else "links"


def plot_time_line(options, kind):
    check_kind(options, kind)
    file = Path(options.folder)
    stem = f"{file.name.removesuffix('.json').removesuffix('.trace')}.{kind.name}"
    check_files("plot", options, file.parent, stem)
    drawn = kind.draw(time_line.read(file), wanted(options))
    pages = {stem: drawn.pages[kind.name]}
    shown = figure_files.save_pages("plot", folder_of(options, file.parent), pages, options.formats)
    json_option.write(options, "plot", drawn.numbers)
    print_result(options, "\n".join(map(str, shown)))
    return 0


def check_kind(options, kind):
    """Rejects options that the kind of figure does not use."""
    known = kinds.plotted().values()
    for option in OPTIONS:
        if getattr(options, option) and option not in kind.options:
            those = [one.name for one in known if option in one.options]
            raise AnalysisError(
                f"{NAMES_OF.get(option, f'--{option}')}: found with --kind {kind.name}; "
                f"allowed: with {' or '.join(those)}"
            )


def wanted(options):
    return kinds.Wanted(
        layout.Choice(options.x, options.lines, options.panels, options.baseline),
        tuple(options.only),
        tuple(options.links.split(",") if options.links else ()),
        options.spread or error_bars.INTERVAL,
        options.ratio,
    )


def run_breakdown(options):
    read = results.read(options.folder)
    check_files("breakdown", options, read.folder, "breakdown")
    choice = layout.Choice(options.x, options.lines, options.panels)
    drawn = kinds.all_kinds()["breakdown"].draw(read, kinds.Wanted(choice))
    return save("breakdown", options, read, drawn)


def run_stages(options):
    figure_files.check("--figure", options.figure)
    if not options.check:
        figure_files.save("--figure", stages.draw_report(options.report), options.figure)
        print_line(options.figure)
    return 0


def check_files(command, options, folder, stem):
    """Checks before any work that the outputs can be written."""
    json_option.check(options, command)
    target = folder_of(options, folder)
    for suffix in options.formats:
        output.check(command, figure_files.path_of(target, stem, 0, suffix), suffix)


def folder_of(options, folder):
    """The folder for figures: `folder` unless the user gave another one."""
    return folder if options.out is None else output.made_folder("--out", options.out)


def save(command, options, read, drawn):
    if drawn.note:
        note(f"{read.folder}: {drawn.note}")
    folder = folder_of(options, read.folder)
    shown, stale = figure_files.save_results(command, read, drawn.pages, options.formats, folder)
    for path in stale:
        note(f"{path}: removed, because this figure was drawn from other tables")
    json_option.write(options, command, drawn.numbers)
    print_result(options, "\n".join(map(str, shown)))
    return 0

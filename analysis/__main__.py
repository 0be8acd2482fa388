# SPDX-License-Identifier: BSD-3-Clause
"""The commands: plot, breakdown, report, compare, diff, regress, stages and reproduce."""

import argparse
import sys
import tempfile
import traceback
from pathlib import Path

from analysis import (
    acceptance, compare, curves, difference, error_bars, json_option, kinds, layout,
    matplotlib_folder, overlay, provenance, published, regression, reproduction, results, samples,
    suite, time_line, verdict_json, workflow,
)  # fmt: skip
from analysis.attendance import Attendance
from analysis.results import AnalysisError
from hw.commands import statuses
from hw.commands.errors import CommandError
from hw.files import output

MOST_OF_A_MESSAGE = 1000


def main(arguments=None):
    """Runs a command; its exit status. Nothing that a user or the system does gives a traceback."""
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
        options = parser().parse_args(arguments)
    except SystemExit:  # of --help
        return 0
    return options.command(options)


def complain(error, status):
    note(error)
    return status


def note(message):
    """One line of printable ASCII, other bytes as \\xNN, whatever names and values it quotes."""
    content = str(message).encode(errors="backslashreplace")
    text = "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in content)
    if len(text) > MOST_OF_A_MESSAGE:
        text = f"{text[:MOST_OF_A_MESSAGE]}..."
    print(f"ina: {text}", file=sys.stderr)


def tell(options, text):
    """Prints the text of a command, unless standard output is for --json."""
    if not json_option.is_silent(options):
        say(text)


def say(text):
    try:
        print(text, flush=True)
    except OSError as error:
        # Lest the interpreter's end try once more what cannot be done.
        sys.stdout = None
        raise output.OutputError(
            f"standard output: {output.reason(error)}", statuses.ENVIRONMENT_ERROR
        ) from None


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise AnalysisError(message)

    def print_help(self, file=None):
        say(self.format_help().rstrip("\n"))


def parser():
    top = Parser(prog="ina", description="Figures and comparisons of results.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    plot = commands.add_parser("plot", help="draw the average JCT: jct.png and jct.pdf")
    add_figure_options(plot)
    plot.add_argument(
        "other", metavar="DIR_B", nargs="?",
        help="of jct and cdf: another result folder, whose lines are drawn beside those of the first",
    )
    plot.add_argument(
        "--kind", choices=KINDS, metavar="|".join(KINDS),
        help="what the figure shows: the average JCT; the distribution of JCTs; the aggregators of "
        "each job in time; how busy the links of the cluster are; the same of some links in time; how "
        "long tasks hold aggregators; how long flows of other traffic take; or, of a file of ina "
        "trace, what each worker does (jct; without jobs flows, or links)",
    )
    plot.add_argument(
        "--only", metavar="KEY=VALUE", action="append", default=[],
        help="not of jct: only runs with this value of a swept key, variant, system or seed; of gantt "
        "only this job or worker",
    )
    plot.add_argument(
        "--links", metavar="PATTERN[,PATTERN]",
        help='of series: which links, such as "leaf*>spine0" (the busiest)',
    )
    plot.add_argument(
        "--baseline", metavar="VALUE", help="the line that others are divided by (DSA)"
    )
    plot.add_argument(
        "--ratio", metavar="A/B",
        help="draw one system's or variant's average JCT over another's instead: ratio.png "
        "(such as atp/dsa)",
    )
    plot.add_argument(
        "--spread", choices=error_bars.SPREADS, metavar="|".join(error_bars.SPREADS),
        help="what error bars show: the 95 %% interval of the mean over seeds (Student's t), or the "
        "smallest and the largest seed (interval)",
    )
    plot.set_defaults(command=run_plot)

    breakdown = commands.add_parser("breakdown", help="draw what iterations consist of: breakdown.png")
    add_figure_options(breakdown)
    breakdown.set_defaults(command=run_breakdown, baseline=None)

    report = commands.add_parser("report", help="write a page about a result folder: report.html")
    report.add_argument("folder", metavar="DIR", help="result folder")
    json_option.add_to(report, "the means with their intervals")
    report.set_defaults(command=run_report)

    curves_of = commands.add_parser("compare", help="compare the JCT curves of two result folders")
    curves_of.add_argument("before", metavar="DIR_A", help="result folder to compare with")
    curves_of.add_argument("after", metavar="DIR_B", help="result folder that may have moved")
    curves_of.add_argument(
        "--tolerance", type=share, default=0.02, help="largest share that may differ (%(default)s)"
    )
    curves_of.add_argument(
        "--statistical", action="store_true",
        help="over any seeds: same if the 95 %% interval of the ratio is within the tolerance",
    )
    json_option.add_to(curves_of, "the table")
    curves_of.set_defaults(command=run_compare)

    diff = commands.add_parser("diff", help="say where two runs part")
    diff.add_argument("before", metavar="A", help="result folder, or file of ina trace")
    diff.add_argument("after", metavar="B", help="another one")
    json_option.add_to(diff, "what differs")
    diff.set_defaults(command=run_diff)

    regress = commands.add_parser("regress", help="compare scenarios with what they gave once")
    add_regress_options(regress)
    regress.set_defaults(command=run_regress)

    stages = commands.add_parser("stages", help="draw what a program takes of a switch chip")
    stages.add_argument("report", metavar="FILE", help="what ina switch report --json wrote")
    stages.add_argument("figure", metavar="FIGURE", help="the file to write: .png or .pdf")
    stages.add_argument(
        "--check", action="store_true", help="only report whether FIGURE can be written"
    )
    stages.set_defaults(command=run_stages)

    reproduce = commands.add_parser("reproduce", help="published results beside simulated ones")
    add_reproduce_options(reproduce)
    reproduce.set_defaults(command=run_reproduce)
    return top


def add_regress_options(command):
    command.add_argument(
        "suite", metavar="FILE|DIR", nargs="*",
        help="scenarios with their references beside them, in references/ (tests/regression/suite)",
    )
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "--statistical", action="store_true",
        help="compare mean JCTs over seeds, and not the tables of the first seed byte for byte",
    )
    what.add_argument(
        "--accept", action="store_true",
        help="renew the references, and write what that changes beside them: CHANGES.md",
    )
    command.add_argument(
        "--tolerance", type=share,
        help="with --statistical or --accept: the largest share that a mean may differ "
        f"(default: {regression.TOLERANCE})",
    )
    command.add_argument(
        "--seeds", metavar="1-5", help="with --statistical: seeds instead of the scenarios'"
    )
    command.add_argument(
        "--out", metavar="DIR", help="keep the results there, as ina run (default: they are not kept)"
    )
    command.add_argument("--parallel", metavar="N", help="runs at a time (the processors)")
    command.add_argument(
        "--replace", action="store_true",
        help="of --out: make runs of other builds anew, as ina run",
    )
    json_option.add_to(command, "the findings")
    command.add_argument("--program", required=True, help=argparse.SUPPRESS)  # the simulator


def add_reproduce_options(command):
    command.add_argument(
        "names", metavar="NAME", nargs="*",
        help="an id such as D1, dsa, atp, switchml or all; none: list the ids",
    )
    command.add_argument(
        "--out", metavar="DIR", default="results/reproduce",
        help="where the results, the page and its figure go (%(default)s)",
    )
    json_option.add_to(command, "the numbers and verdicts")
    command.add_argument("--markdown", metavar="FILE", help="also write the rows as Markdown tables")
    command.add_argument("--program", help=argparse.SUPPRESS)  # the simulator; none: runs nothing
    for option, what in RUN_OPTIONS.items():
        command.add_argument(f"--{option}", metavar=what[0], action="append", help=what[1])
    command.add_argument(
        "--replace", action="store_true", help="make runs of other builds anew, as ina run"
    )
    command.add_argument(
        "--workflow", metavar="PROFILE", nargs="?", const="local",
        help="let Snakemake run slices of the scenarios: local, slurm or another profile of it (local)",
    )


# Those of ina run that reproduce hands on.
RUN_OPTIONS = {
    "seeds": ("1-5", "seeds instead of the scenarios'"),
    "set": ("/KEY=VALUE", "set a key of all scenarios"),
    "parallel": ("N", "runs at a time (the processors)"),
}


def add_figure_options(command):
    command.add_argument("folder", metavar="DIR", help="result folder")
    json_option.add_to(command, "the plotted numbers")
    command.add_argument(
        "--out", metavar="DIR", help="where the figures go (into the folder of the results)"
    )
    key = "a swept key such as /jobs/count, variant, system or seed"
    command.add_argument("--x", metavar="KEY", help=f"what the x axis is: {key}")
    command.add_argument(
        "--lines", metavar="KEY", help="what the lines or bars are (variant, else system)"
    )
    command.add_argument("--panels", metavar="KEY[,KEY]", help="what the panels are")
    command.add_argument(
        "--format", dest="formats", metavar="png|pdf", type=one_format, default=("png", "pdf"),
        help="write only such files (both)",
    )


def one_format(text):
    if text not in ("png", "pdf"):
        raise argparse.ArgumentTypeError(f'found "{text}"; allowed: png, pdf')
    return (text,)


def share(text):
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a share of 0 or more")
    return value


def choice_of(options):
    return layout.Choice(options.x, options.lines, options.panels, options.baseline)


def run_plot(options):
    if options.kind == GANTT:
        check_kind(options)
        return run_gantt(options)
    read = results.read(options.folder)
    options.kind = options.kind or kinds.default_of(read)
    check_kind(options)
    if options.other is not None:
        read = overlay.Overlay(read, results.read(options.other))
    wanted = kinds.Wanted(
        choice_of(options), tuple(options.only), tuple(options.links.split(",") if options.links else ()),
        options.spread or error_bars.INTERVAL,
    )
    check_files("plot", options, read.folder, options.kind if options.ratio is None else "ratio")
    if options.ratio is not None:
        return save("plot", options, read, kinds.ratio(read, wanted, options.ratio))
    return save("plot", options, read, kinds.KINDS[options.kind](read, wanted))


def run_gantt(options):
    from analysis import figure_files, gantt_figure  # as above

    file = Path(options.folder)
    stem = f"{file.name.removesuffix('.json').removesuffix('.trace')}.{GANTT}"
    check_files("plot", options, file.parent, stem)
    spans = gantt_figure.read(time_line.read(file), options.only)
    pages = {stem: gantt_figure.draw(spans)}
    shown = figure_files.save_pages("plot", folder_of(options, file.parent), pages, options.formats)
    json_option.write(options, "plot", {"workers": curves.records(gantt_figure.numbers(spans))})
    tell(options, "\n".join(map(str, shown)))
    return 0


def check_kind(options):
    """Refuses options that the kind of figure has no use for."""
    for option, those in KINDS_OF.items():
        if getattr(options, option) and options.kind not in those:
            raise AnalysisError(
                f"{NAMES_OF.get(option, f'--{option}')}: found with --kind {options.kind}; "
                f"allowed: with {' or '.join(those)}"
            )


GANTT = "gantt"  # the one that is not of a result folder
KINDS = (*kinds.KINDS, GANTT)
WITH_LINES = ("jct", "cdf", "occupation", "flows")
# The options of some kinds only.
KINDS_OF = {
    "x": ("jct",),
    "baseline": ("jct",),
    "ratio": ("jct",),
    "spread": ("jct",),
    "lines": WITH_LINES,
    "panels": (*WITH_LINES, "occupancy"),
    "only": KINDS[1:],
    "links": ("series",),
    "other": ("jct", "cdf"),
}
NAMES_OF = {"other": "DIR_B"}


def run_breakdown(options):
    read = results.read(options.folder)
    check_files("breakdown", options, read.folder, "breakdown")
    return save("breakdown", options, read, kinds.breakdown(read, kinds.Wanted(choice_of(options))))


def run_report(options):
    from analysis import report, report_numbers, report_page  # as above

    read = results.read(options.folder)
    path = read.folder / f"report.{output.HTML}"
    output.check("report", path, output.HTML)
    json_option.check(options, "report")
    report.check(read)
    page = report_page.page(read).encode(errors="replace")
    output.write("report", {path: (output.HTML, page)})
    json_option.write(options, "report", report_numbers.numbers(read))
    tell(options, path)
    return 0


def check_files(command, options, folder, stem):
    """Refuses, before any work, what could not be written after it."""
    from analysis import figure_files  # it loads matplotlib, which other commands need not wait for

    json_option.check(options, command)
    target = folder_of(options, folder)
    for suffix in options.formats:
        output.check(command, figure_files.path_of(target, stem, 0, suffix), suffix)


def folder_of(options, folder):
    """Where figures go, those of `folder` unless another one is asked for."""
    return folder if options.out is None else made_folder(options.out)


def made_folder(out):
    """That of --out, which it makes."""
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except PermissionError:
        raise AnalysisError(f"--out: {out}: no permission; allowed: a folder to write to") from None
    except (FileExistsError, NotADirectoryError):
        raise AnalysisError(
            f"--out: {out}: a file is in the way; allowed: a folder, or where one can be made"
        ) from None
    return Path(out)


def save(command, options, read, drawn):
    from analysis import figure_files  # as above

    if drawn.note:
        note(f"{read.folder}: {drawn.note}")
    folder = folder_of(options, read.folder)
    shown, stale = figure_files.save_results(command, read, drawn.pages, options.formats, folder)
    for path in stale:
        note(f"{path}: removed, for it was drawn from other tables")
    json_option.write(options, command, drawn.numbers)
    tell(options, "\n".join(map(str, shown)))
    return 0


def run_diff(options):
    json_option.check(options, "diff")
    found = difference.difference(options.before, options.after)
    json_option.write(options, "diff", verdict_json.of_diff(found))
    tell(options, "\n".join(found.lines))
    return statuses.DIFFERENT if found.differs else 0


def run_compare(options):
    json_option.check(options, "compare")
    pair = results.read(options.before), results.read(options.after)
    mode = compare.STATISTICAL if options.statistical else compare.EXACT
    table = compare.compare(*map(samples.read, pair), mode, options.tolerance)
    made_by = provenance.of(*pair)
    content = verdict_json.of_compare(*pair, made_by, table, mode, options.tolerance)
    json_option.write(options, "compare", content)
    tell(options, "\n".join([*made_by.lines(), compare.text_of(table, options.tolerance)]))
    return compare.STATUS_OF[compare.verdict(table)]


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
            runs = suite.Runs(options.program, out, scratch, handed_to_runs(options), attendance)
            return run_accept(options, chosen, runs) if options.accept else (
                run_suite(options, chosen, runs)
            )
    except suite.NotRun as error:
        if error.status not in statuses.INTERRUPTIONS:
            return error.status  # the simulator has said why
        if options.out is None:
            note("regress: stopped; without --out nothing is kept, what has been run is removed")
        return 128 + attendance.ended_by if attendance.is_ended else error.status


def handed_to_runs(options):
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
    tell(options, regression.text_of(findings))
    return regression.status(findings)


def run_accept(options, chosen, runs):
    if options.json is not None:
        raise AnalysisError("--json: allowed: without --accept")
    found = acceptance.changes(chosen, runs)
    pages = acceptance.write(found, chosen.orphans, options.tolerance)
    tell(options, "\n".join(map(str, pages)) or "nothing changed")
    return 0


def run_stages(options):
    from analysis import figure_files, stages_figure  # as above

    figure_files.check("--figure", options.figure)
    if not options.check:
        figure_files.save("--figure", stages_figure.draw_report(options.report), options.figure)
        say(options.figure)
    return 0


def run_reproduce(options):
    from analysis import (  # as above
        figure_files, reproduction_curves, reproduction_figure, reproduction_page, reproduction_table,
    )  # fmt: skip

    everything = published.read()
    if not options.names:
        say(published.list_of(everything))
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
            (stem.name, reproduction_figure.draw(judged)),
            *reproduction.curves_of(chosen, folders, reproduction_curves.draw, given),
        ]
    }
    command = reproduction.command_of(names, given)
    pngs = {name: files[output.PNG] for name, files in images.items()}
    page = reproduction_page.page(judged, folders, pngs.pop(stem.name), pngs, given, command)
    contents = {f"{stem}.{output.HTML}": (output.HTML, page.encode())}
    for name, kinds in images.items():
        for suffix, files in kinds.items():
            for index, content in enumerate(files):
                contents[figure_files.path_of(out, name, index, suffix)] = (suffix, content)
    output.write("reproduce", contents)
    if options.markdown is not None:
        text = reproduction_table.table(judged, command).encode()
        output.write("--markdown", {options.markdown: (output.MARKDOWN, text)})
    json_option.write(options, "reproduce", reproduction.to_json(judged, given))
    tell(options, f"{reproduction.text_of(judged)}\n{stem}.{output.HTML}")
    return status


def check_reproduce_outputs(options, stem):
    """Makes the folder, and refuses before any work what could not be written after it."""
    made_folder(stem.parent)
    for suffix in (output.HTML, *output.FIGURES):
        output.check("reproduce", Path(f"{stem}.{suffix}"), suffix)
    if options.markdown is not None:
        output.check("--markdown", options.markdown, output.MARKDOWN)
    json_option.check(options, "reproduce")


def simulate(options, out, chosen):
    """Runs what the chosen results need; the status of what failed."""
    if options.program is None:
        return 0
    scenarios = reproduction.scenarios_of(chosen)
    given = {option: getattr(options, option) or [] for option in RUN_OPTIONS}
    if options.workflow is not None:
        return workflow.run(options, out, scenarios, given)
    handed = [
        argument
        for option, values in given.items()
        for value in values
        for argument in (f"--{option}", value)
    ] + ["--replace"] * options.replace
    return reproduction.run(options.program, out, scenarios, handed)


if __name__ == "__main__":
    if sys.stdout is not None:
        sys.stdout.reconfigure(errors="surrogateescape")  # names of files need not be texts
    sys.exit(main())

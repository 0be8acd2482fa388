# SPDX-License-Identifier: BSD-3-Clause
"""The page about a result folder: one self-contained HTML file below 5 MB."""

from markupsafe import Markup

from analysis import curves, decimals, html_page
from analysis.html_page import PARTS, Cell, Row, Section, escaped, table
from analysis.kinds import figure_files, style
from analysis.report import comparison, content
from analysis.sensitivity.noted import noted

MOST_BYTES = 5_000_000
SPARE_BYTES = 4_000  # for the contents, and texts about figures that do not fit
MOST_ROWS = 200
MOST_VALUES = 12  # per swept key
MOST_SETUP_BYTES = 200_000
RATIO_DIGITS = 3
STYLE = """
.run th { width: 12rem } .run th, .run td { border: 0; padding: .15rem .6rem }
.scroll td { white-space: nowrap }
.best { font-weight: bold; background: #e3f0f8 }
"""
ABOUT_MEANS = (
    "JCT: mean over the finished jobs, then over seeds, with the 95 % interval over seeds (Student's t). "
    "Percentiles: over the finished jobs of all seeds. Jobs and failed jobs: of all seeds."
)
ABOUT_BEST = (
    "Bold: the lowest of the compared means, and all means whose 95 % intervals overlap with the interval "
    "of the lowest. Without intervals, no mean is bold."
)


def page(read):
    """The text of the page."""
    warnings, sections = of_jobs(read) if read.has_jobs else without_jobs(read)
    head = [
        PARTS.heading(read.name), PARTS.paragraph(read.manifest.get("description", "")),
        html_page.warned(warnings),
    ]
    sections = [*findings(read), *sensitivity_of(read), *sections]
    tail = [Section("run", "What was run", [what_was_run(read), setup(read)])]
    source = Markup(f"<!-- {figure_files.source_of(read)} -->")
    others = [source, *head, *(one.html for one in [*sections, *tail])]
    room = MOST_BYTES - SPARE_BYTES - len(html_page.page(read.name, others, STYLE).encode())
    sections += [*figures(read, room), *tail]
    parts = [source, *head, PARTS.contents(sections), *(one.html for one in sections)]
    return html_page.page(read.name, parts, STYLE)


def of_jobs(read):
    """(warnings, sections) of the means."""
    jobs = read.jobs()
    shape = content.layout_of(read, jobs)
    points = content.points(jobs, shape)
    parts = [*comparisons(points, shape), *means(points, shape, read)]
    return content.warnings(read, jobs, points), [Section("means", "Means", parts)]


def without_jobs(read):
    parts = [PARTS.paragraph("The runs have no jobs.")]
    return content.warnings_without_jobs(read), [Section("means", "Means", parts)]


def findings(read):
    """A section, unless there are no findings."""
    found = content.findings(read)
    return [Section("findings", "Findings", [PARTS.listed(found, "findings")])] if found else []


def sensitivity_of(read):
    """A section, if `ina sensitivity` has been run for the folder."""
    texts = noted(read.folder)
    return [Section("sensitivity", "Sensitivity", [PARTS.listed(texts, "findings")])] if texts else []


def measures_of(points):
    """The average JCT and, if jobs have several iterations, the iteration time."""
    has_iterations = not points[curves.JCT.mean].equals(points[curves.ITERATION.mean])
    return [curves.JCT, curves.ITERATION] if has_iterations else [curves.JCT]


def comparisons(points, shape):
    """A table for each measure, with the compared variants or systems side by side."""
    compared, axes = comparison.axes_of(shape)
    if compared is None:
        return []
    names = (style.title_part(compared, one) for one in compared.values)
    header = [*map(style.axis_label, axes), *names]
    return [
        comparison_table(comparison.rows(points, shape, measure), header, axes, compared, measure)
        for measure in measures_of(points)
    ] + [PARTS.remark(ABOUT_BEST)]


def comparison_table(rows, header, axes, compared, measure):
    places = decimals.of_estimates(
        point[measure] for row in rows for point in row.points.values()
    )
    texts = [
        comparison_row(row, axes, compared, measure, places) for row in rows[:MOST_ROWS]
    ]
    caption = measure.label + beyond(len(rows))
    return table(header, texts, len(compared.values), caption)


def comparison_row(row, axes, compared, measure, places):
    names = [style.value_name(axis, row.facet[axis.key]) for axis in axes]
    cells = [Cell(name, is_head=True) for name in names]
    return Row(cells + [comparison_cell(row, value, measure, places) for value in compared.values])


def comparison_cell(row, value, measure, places):
    if value not in row.points:
        return Cell("-", "number")
    point = row.points[value]
    failed = f"{point['failed_jobs']} failed" if point["failed_jobs"] else ""
    kind = "number best" if value in row.best else "number"
    return Cell(decimals.estimate_text(point[measure], places), kind, failed)


def beyond(count):
    return f" (first {MOST_ROWS} of {count} rows)" if count > MOST_ROWS else ""


def means(points, shape, read):
    """The table of all points, one row each."""
    columns = columns_of(points, shape)
    header = [*map(style.axis_label, shape.axes), *columns]
    best = comparison.best_points(points, shape, curves.JCT)
    rows = [
        point_row(point, shape, [column[index] for column in columns.values()], index in best)
        for index, (_, point) in enumerate(points.head(MOST_ROWS).iterrows())
    ]
    about = f"{ABOUT_MEANS} {ABOUT_BEST}" if best else ABOUT_MEANS
    if len(points) > MOST_ROWS:
        about += (
            f" The first {MOST_ROWS} of {len(points)} points: all of them are in jobs.csv, and in what "
            f"./ina report {read.folder} --json FILE writes."
        )
    return [table(header, rows, len(columns), "All points"), PARTS.remark(about)]


def point_row(point, shape, numbers, is_best):
    names = [Cell(style.value_name(axis, point[axis.key])) for axis in shape.axes]
    return Row(names + [Cell(number, "number") for number in numbers], "best" if is_best else "")


def columns_of(points, shape):
    """{title: texts of a column}; all numbers of a column have the same number of decimals."""
    columns = {one.label: estimate_column(points[one]) for one in measures_of(points)}
    if shape.baseline is not None:
        title = f"JCT / {style.value_name(shape.lines, shape.baseline)}"
        columns[title] = number_column(points[curves.JCT.ratio], RATIO_DIGITS)
    return columns | {
        "95th percentile (ms)": number_column(points["jct_p95_ms"], decimals.DIGITS),
        "Jobs": list(map(str, points["jobs"])),
        "Failed": list(map(str, points["failed_jobs"])),
        "Seeds": list(map(str, points["seeds"])),
    }


def estimate_column(column):
    places = decimals.of_estimates(column)
    return [decimals.estimate_text(found, places) for found in column]


def number_column(column, digits):
    places = decimals.of_column(column, digits)
    return [decimals.text(number, places) for number in column]


def figures(read, room):
    """A section for each figure, with as many images as fit into `room` bytes."""
    sections = []
    for figure in content.figures(read):
        section = figure_section(figure, read, room)
        room -= len(section.html.encode()) + 1
        sections.append(section)
    return sections


def figure_section(figure, read, room):
    notes = [note_of(figure, read)]
    room -= len(notes[0].encode())
    images = []
    for image in figure.images:
        shown = html_page.figure(image.png, figure.title, image.caption)
        room -= len(shown) + 1
        if room < 0:
            notes.append(PARTS.remark("There is no room for the rest."))
            break
        images.append(shown)
    return Section(figure.kind, figure.title, [PARTS.figures(images), *notes])


def note_of(figure, read):
    """The command that draws the figure, or the reason for its absence."""
    if figure.missing:
        return PARTS.remark(f"Not drawn: {figure.missing}")
    verb, *options = figure.command.split(" ")
    command = " ".join(["./ina", verb, str(read.folder), *options])
    what = "Drawn by" if figure.is_whole else "The first pages; all of them are drawn by"
    return PARTS.drawn_by(what, command)


def what_was_run(read):
    manifest = read.manifest
    build = manifest.get("build", {})
    runs = manifest["points"]
    known = {
        **{style.axis_label(axis): values_text(axis.values) for axis in read.axes},
        "System": values_text(read.system_order or sorted(systems_of(read))),
        "Seeds": values_text(read.seeds),
        "Runs": len(runs),
        "INA Lab": " ".join(str(build[key]) for key in ("ina", "commit") if key in build),
        "ns-3": build.get("ns3", ""),
        "Compiler": " ".join(str(build[key]) for key in ("compiler", "flags") if key in build),
        "Build-id": build.get("program_id", ""),
        "Packet-hops": f"{sum(run.get('packet_hops', 0) for run in runs):,}",
        "Time of all runs (s)": f"{sum(run.get('wall_time_s', 0) for run in runs):.1f}",
    }
    rows = [Row([Cell(name, is_head=True), Cell(value)]) for name, value in known.items() if value]
    return PARTS.bare_table(rows, "run")


def systems_of(read):
    return {run["scenario"]["system"] for run in read.manifest["points"] if "system" in run.get("scenario", {})}


def values_text(values):
    shown = [style.short(value, 60) for value in values[:MOST_VALUES]]
    return ", ".join(shown) + (f" and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else "")


def setup(read):
    text = html_page.setup_text(read.manifest)
    if len(escaped(text)) > MOST_SETUP_BYTES:
        return PARTS.remark("The scenario with every default is in manifest.json.")
    return PARTS.details("The scenario, with every default", "", text)

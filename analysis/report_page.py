# SPDX-License-Identifier: BSD-3-Clause
"""The page about a result folder: one HTML file below 5 MB that needs no other."""

import math

from analysis import curves, figure_files, html_page, report, style
from analysis.html_page import escaped, table

MOST_BYTES = 5_000_000
SPARE_BYTES = 2_000  # for what is said of figures that there is no room for
MOST_ROWS = 200
MOST_VALUES = 12  # of a swept key
MOST_SETUP_BYTES = 200_000
STYLE = """
.warnings { background: #fff4e0; border-left: 4px solid #E69F00; padding: .5rem 1rem .5rem 2rem }
img { display: block; max-width: min(100%, 44rem); margin: .5rem 0 }
.run th { width: 12rem } .run th, .run td { border: 0; padding: .15rem .6rem }
"""


def page(read):
    """The text of the page."""
    head = [f"<h1>{escaped(read.name)}</h1>", f"<p>{escaped(read.manifest.get('description', ''))}</p>"]
    if read.has_jobs:
        jobs = read.jobs()
        shape = report.layout_of(read, jobs)
        points = report.points(jobs, shape)
        head += [warned(report.warnings(read, jobs, points)), *findings(read)]
        head += ["<h2>Means</h2>", means(points, shape, read)]
    else:
        head += [warned(report.warnings_without_jobs(read)), *findings(read), "<p>The runs have no jobs.</p>"]
    tail = ["<h2>What was run</h2>", what_was_run(read), setup(read)]
    source = f"<!-- {figure_files.source_of(read)} -->"
    room = MOST_BYTES - SPARE_BYTES - len(html_page.page(read.name, [source, *head, *tail], STYLE).encode())
    return html_page.page(read.name, [source, *head, *figures(read, room), *tail], STYLE)


def warned(warnings):
    return listed(warnings, "warnings") if warnings else ""


def findings(read):
    """A section, unless there are none."""
    found = report.findings(read)
    return ["<h2>Findings</h2>", listed(found, "findings")] if found else []


def listed(texts, kind):
    return f'<ul class="{kind}">' + "".join(f"<li>{escaped(one)}</li>" for one in texts) + "</ul>"


def means(points, shape, read):
    measures = [curves.JCT]
    if (points[curves.JCT.mean] != points[curves.ITERATION.mean]).any():
        measures.append(curves.ITERATION)
    has_ratio = shape.baseline is not None
    header = [style.axis_label(axis) for axis in shape.axes]
    header += [measure.label for measure in measures]
    if has_ratio:
        header.append(f"to {style.value_name(shape.lines, shape.baseline)}")
    header += ["95th percentile (ms)", "jobs", "failed", "seeds"]
    rows = [row_of(point, shape, measures, has_ratio) for _, point in points.head(MOST_ROWS).iterrows()]
    about = (
        "Mean over the jobs that finished, then over seeds, with its 95 % interval over seeds "
        "(Student's t); percentiles over all jobs."
    )
    if len(points) > MOST_ROWS:
        about += (
            f" The first {MOST_ROWS} of {len(points)} points: all of them are in jobs.csv, and in what "
            f"./ina plot {read.folder} --json FILE writes."
        )
    return table(header, rows) + f"\n<p><small>{escaped(about)}</small></p>"


def row_of(point, shape, measures, has_ratio):
    cells = [escaped(style.value_name(axis, point[axis.key])) for axis in shape.axes]
    numbers = [estimate_text(point[measure]) for measure in measures]
    numbers += [number_text(point[curves.JCT.ratio])] * has_ratio
    numbers += [number_text(point["jct_p95_ms"]), point["jobs"], point["failed_jobs"], point["seeds"]]
    return (
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells)
        + "".join(f'<td class="number">{escaped(one)}</td>' for one in numbers) + "</tr>"
    )


def number_text(number):
    return f"{number:.4g}" if number == number else "-"  # not NaN


def estimate_text(found):
    if found is None:
        return "-"
    if found.half_width is None:
        return number_text(found.mean)
    if found.half_width == 0:
        return f"{number_text(found.mean)} ± 0"
    decimals = max(0, 1 - math.floor(math.log10(found.half_width)))
    return f"{found.mean:.{decimals}f} ± {found.half_width:.{decimals}f}"


def figures(read, room):
    """A section for each figure, of as many images as there is room for, in bytes."""
    parts = []
    for figure in report.figures(read):
        section = [f"<h2>{escaped(figure.title)}</h2>", note_of(figure, read)]
        room -= sum(len(part.encode()) + 1 for part in section)
        for png in figure.images:
            image = html_page.image(png, figure.title)
            if len(image) + 1 > room:
                section.append("<p><small>There is no room for more of it.</small></p>")
                break
            section.append(image)
            room -= len(image) + 1
        parts += section
    return parts


def note_of(figure, read):
    """How the figure is drawn, or why it is not."""
    if figure.missing:
        return f"<p><small>Not drawn: {escaped(figure.missing)}</small></p>"
    verb, *options = figure.command.split(" ")
    command = " ".join(["./ina", verb, str(read.folder), *options])
    what = "Drawn by" if figure.is_whole else "The first pages; all of them are drawn by"
    return f"<p><small>{what} <code>{escaped(command)}</code></small></p>"


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
        "Sources (CRC-32)": build.get("code_crc32", ""),
        "Packet-hops": number_text(sum(run.get("packet_hops", 0) for run in runs)),
        "Time of all runs (s)": number_text(sum(run.get("wall_time_s", 0) for run in runs)),
    }
    rows = [
        f"<tr><th>{escaped(name)}</th><td>{escaped(value)}</td></tr>"
        for name, value in known.items() if value
    ]
    return '<table class="run">\n' + "\n".join(rows) + "\n</table>"


def systems_of(read):
    return {run["scenario"]["system"] for run in read.manifest["points"] if "system" in run.get("scenario", {})}


def values_text(values):
    shown = [style.short(value, 60) for value in values[:MOST_VALUES]]
    return ", ".join(shown) + (f" and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else "")


def setup(read):
    text = html_page.setup_text(read.manifest)
    if len(text) > MOST_SETUP_BYTES:
        return "<p><small>The scenario with every default is in manifest.json.</small></p>"
    return html_page.details("The scenario, with every default", f"<pre>{text}</pre>")

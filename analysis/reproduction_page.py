# SPDX-License-Identifier: BSD-3-Clause
"""The page of published results beside simulated ones: one HTML file that needs no other."""

from analysis import html_page, published, reproduction, verdicts
from analysis.html_page import escaped, table

STYLE = """
.curves { display: flex; flex-wrap: wrap; gap: 1rem } figure { margin: 1rem 0; max-width: 22rem }
.verdict { white-space: nowrap; font-weight: bold }
.reproduced { color: #0072B2 } .trend-only { color: #9a6a00 } .not-reproduced { color: #b04a00 }
.as-the-bound { color: #007a55 }
.for-comparison, .not-run, .not-simulated { color: #666 }
"""

DEMANDS = {
    "within": "within {share} of the {of}",
    "points": "{of} ± {points}",
    "factor": "within a factor of {factor:g} of the {of}",
    "at_least": "at least {bare}",
    "at_most": "at most {bare}",
    "above": "above {bare}, with all of the interval",
}
OF = {"published": "published number", "bound": "bound"}


def page(judged, folders, images, curves, command):
    """The text of the page; `images`: the PNGs of the figure of all, `curves`: by their names."""
    title = "Published results beside simulated ones"
    parts = [
        f"<h1>{title}</h1>",
        f"<p>Made by <code>{escaped(command)}</code>.</p>",
        summary(judged),
        *(f"<p>{html_page.image(png, 'Simulated over published')}</p>" for png in images),
        legend(),
        *(section(one, folders, curves) for one in judged),
    ]
    return html_page.page(title, parts, STYLE)


def summary(judged):
    """How many rows of each result came out how."""
    columns, counts = reproduction.tally(judged)
    rows = []
    for one, row in zip(judged, counts):
        cells = "".join(f'<td class="number">{count or ""}</td>' for count in row)
        link = f'<a href="#{one.result.id}">{one.result.id}</a>'
        rows.append(f"<tr><td>{link}</td><td>{escaped(one.result.title)}</td>{cells}</tr>")
    return table(["id", "result", *columns], rows)


def legend():
    return (
        "<p><small>Simulated: the mean over seeds and its 95 % interval (Student's t); without one "
        "there is one seed, mostly since nothing is random. Bound: what follows from arithmetic. "
        "Each verdict is computed from the mean and from what is accepted; <em>as the bound</em>: "
        "what arithmetic gives for these packets and links, where the published number differs or "
        "there is none; <em>trend only</em>: the number differs, but lies on the published side. <em>(near the edge)</em>: a "
        "part of the interval would give another verdict.</small></p>"
    )


def curves_section(result, curves):
    """The figures of a result that were drawn."""
    parts = []
    for figure in result.figures:
        for png in curves.get(reproduction.figure_name(result, figure), []):
            title = figure["title"]
            about = escaped(f"{title} ({published.SCENARIOS}/{figure['in']})")
            parts.append(
                f"<figure>{html_page.image(png, title)}"
                f"<figcaption><small>{about}</small></figcaption></figure>"
            )
    return '<div class="curves">\n' + "\n".join(parts) + "\n</div>" if parts else ""


def section(judged, folders, curves):
    result = judged.result
    rows = [row_of(row) for row in judged.rows]
    header = ["what", "published", "simulated", "bound", "accepted", "verdict", "reason"]
    assumptions = "".join(f"<li>{escaped(text)}</li>" for text in result.assumptions)
    return "\n".join(
        [
            f'<h2 id="{result.id}">{result.id}: {escaped(result.title)}</h2>',
            f"<p><small>{escaped(result.cite)}</small></p>",
            table(header, rows),
            curves_section(result, curves),
            f"<h3>Setup and assumptions</h3>\n<ul>{assumptions}</ul>" if assumptions else "",
            *(setup(*one) for one in reproduction.setups_of(result, folders).items()),
        ]
    )


def row_of(judged):
    row, found = judged.row, judged.found
    unit = row.get("unit", "")
    where = f"<br><small>{escaped(row['source'])}</small>" if "source" in row else ""
    published_cell = escaped(reproduction.published_text(row)) + where
    how = f"<br><small>{escaped(row['bound_from'])}</small>" if "bound_from" in row else ""
    edge = "" if judged.is_certain else "<br><small>(near the edge)</small>"
    reason = judged.why or row.get("reason", "")
    return (
        f"<tr><td>{escaped(row['what'])}</td><td>{published_cell}</td>"
        f'<td class="number">{escaped(reproduction.estimate_text(found, unit))}</td>'
        f"<td>{escaped(reproduction.with_unit(row.get('bound'), unit))}{how}</td>"
        f"<td>{escaped(demand_text(row))}</td>"
        f'<td class="verdict {judged.verdict.replace(" ", "-")}">{judged.verdict}{edge}</td>'
        f"<td>{escaped(reason)}</td></tr>"
    )


def demand_text(row):
    demand, unit = row.get("accept"), row.get("unit", "")
    if demand is None:
        return ""
    (kind,) = [kind for kind in verdicts.KINDS if kind in demand]
    return DEMANDS[kind].format(
        of=OF.get(demand.get("of"), ""),
        share=f"{100 * demand.get('within', 0):g} %",
        points=reproduction.with_unit(demand.get("points", 0), unit),
        factor=demand.get("factor", 1),
        bare=reproduction.with_unit(demand[kind], unit),
    )


def setup(scenario, manifest):
    file = f"{published.SCENARIOS}/{scenario}"
    about = f"<p>{escaped(reproduction.read_description(scenario))}</p>"
    if manifest is None:
        return html_page.details(f"{file}: no results", about)
    return html_page.details(file, f"{about}<pre>{html_page.setup_text(manifest)}</pre>")

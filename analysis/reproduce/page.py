# SPDX-License-Identifier: BSD-3-Clause
"""The page of published results beside simulated ones: one HTML file that needs no other."""

from analysis import html_page
from analysis.html_page import Section, escaped, table
from analysis.reproduce import published, reproduction, verdicts

STYLE = """
td.what, td.source, td.reason { min-width: 9rem }
.verdict { white-space: nowrap; font-weight: bold }
.reproduced { color: #0072B2 } .trend-only { color: #9a6a00 } .not-reproduced { color: #b04a00 }
.as-the-bound { color: #007a55 }
.for-comparison, .not-run, .not-simulated, .other-set-up { color: #666 }
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


OVERVIEW = (
    "Simulated values divided by published ones; without a published value by the bound. Bars are 95 % "
    "intervals over seeds, grey bands show what is accepted."
)


def page(judged, folders, images, curves, given, command):
    """The text of the page; `images`: the PNGs of the figure of all, `curves`: by their names."""
    title = "Published results beside simulated ones"
    sections = [
        Section("summary", "Summary", [summary(judged), legend()]),
        Section("overview", "Simulated over published", [overview(images)]),
        *(section(one, folders, curves) for one in judged),
    ]
    parts = [
        f"<h1>{title}</h1>",
        f"<p>Made by <code>{escaped(command)}</code>.</p>",
        html_page.warned(notices(given)),
        html_page.contents(sections),
        *(one.html for one in sections),
    ]
    return html_page.page(title, parts, STYLE)


def notices(given):
    """A notice of what differs from the scenarios of the papers."""
    texts = []
    if given.settings:
        texts.append(
            f"Other set-up than that of the papers: --set {', '.join(given.settings)}. The rows have no "
            "verdicts, and figures over a key that it fixed are left out."
        )
    if given.seeds:
        texts.append(f"Other seeds than those of the scenarios: {', '.join(given.seeds)}.")
    return texts


def overview(images):
    return html_page.figures(
        [html_page.figure(png, "Simulated over published", escaped(OVERVIEW)) for png in images]
    )


def summary(judged):
    """How many rows of each result came out how."""
    columns, counts = reproduction.tally(judged)
    rows = []
    for one, row in zip(judged, counts):
        cells = "".join(f'<td class="number">{count or ""}</td>' for count in row)
        link = f'<a href="#{one.result.id}">{one.result.id}</a>'
        rows.append(f"<tr><td>{link}</td><td>{escaped(one.result.title)}</td>{cells}</tr>")
    return table(["id", "result", *columns], rows, len(columns))


def legend():
    return (
        "<p><small>Simulated: the mean over seeds and its 95 % interval (Student's t); without one "
        "there is one seed, mostly since nothing is random. Bound: what follows from arithmetic. "
        "Each verdict is computed from the mean and from what is accepted; <em>as the bound</em>: "
        "what arithmetic gives for these packets and links, where the published number differs or "
        "there is none; <em>trend only</em>: the number differs, but lies on the published side. <em>(near the edge)</em>: a "
        "part of the interval would give another verdict; <em>other set-up</em>: --set changed the "
        "scenarios.</small></p>"
    )


def curves_section(result, curves):
    """The figures of a result that were drawn."""
    return html_page.figures([
        html_page.figure(png, figure["title"], caption(figure))
        for figure in result.figures
        for png in curves.get(reproduction.figure_name(result, figure), [])
    ])


def caption(figure):
    return escaped(f"{figure['title']} ({published.SCENARIOS}/{figure['in']})")


def section(judged, folders, curves):
    result = judged.result
    rows = [row_of(row) for row in judged.rows]
    header = ["what", "published", "simulated", "bound", "accepted", "verdict", "reason"]
    assumptions = "".join(f"<li>{escaped(text)}</li>" for text in result.assumptions)
    parts = [
        f"<p><small>{escaped(result.cite)}</small></p>",
        table(header, rows),
        curves_section(result, curves),
        f"<h3>Setup and assumptions</h3>\n<ul>{assumptions}</ul>" if assumptions else "",
        *(setup(*one) for one in reproduction.setups_of(result, folders).items()),
    ]
    return Section(result.id, f"{result.id}: {result.title}", parts)


def row_of(judged):
    row, found = judged.row, judged.found
    unit = row.get("unit", "")
    where = f"<br><small>{escaped(row['source'])}</small>" if "source" in row else ""
    published_cell = escaped(reproduction.published_text(row)) + where
    how = f"<br><small>{escaped(row['bound_from'])}</small>" if "bound_from" in row else ""
    edge = "" if judged.is_certain else "<br><small>(near the edge)</small>"
    reason = judged.why or row.get("reason", "")
    return (
        f'<tr><td class="what">{escaped(row["what"])}</td><td class="source">{published_cell}</td>'
        f"<td>{escaped(reproduction.estimate_text(found, unit))}</td>"
        f"<td>{escaped(reproduction.with_unit(row.get('bound'), unit))}{how}</td>"
        f"<td>{escaped(demand_text(row))}</td>"
        f'<td class="verdict {judged.verdict.replace(" ", "-")}">{judged.verdict}{edge}</td>'
        f'<td class="reason">{escaped(reason)}</td></tr>'
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

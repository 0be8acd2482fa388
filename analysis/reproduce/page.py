# SPDX-License-Identifier: BSD-3-Clause
"""The page that compares published and simulated results: one self-contained HTML file."""

from analysis import html_page
from analysis.html_page import PARTS, Cell, Row, Section, table
from analysis.reproduce import published, reproduction, summary, verdicts

STYLE = """
td.what, td.source, td.reason { min-width: 9rem }
.verdict { white-space: nowrap; font-weight: bold }
.reproduced, .as-stated { color: #0072B2 } .trend-only, .depends-on-a-choice, .undecided { color: #9a6a00 }
.not-reproduced, .not-as-stated, .bound-contradicts, .bound-missed { color: #b04a00 }
.bound-agrees { color: #007a55 }
.tuned, .for-comparison, .not-run, .not-simulated, .other-set-up { color: #666 }
.choice { padding-left: 1.5rem }
"""

DEMANDS = {
    "within": "within {share} of the {of}",
    "points": "{of} ± {points}",
    "factor": "within a factor of {factor:g} of the {of}",
    "at_least": "at least {bare}",
    "at_most": "at most {bare}",
    "above": "above {bare}, with the whole interval",
}
OF = {"published": "published number", "reads_as": "number that stands for the words", "bound": "bound"}


OVERVIEW = (
    "Simulated values divided by published ones, or by the bound if no value was published. Bars are 95 % "
    "intervals over seeds, and grey bands are the accepted ranges."
)


def page(judged, folders, images, curves, given, command):
    """The text of the page; `images`: PNGs of the overview, `curves`: figures by name."""
    title = "Published results next to simulated ones"
    sections = [
        Section("summary", "Summary", [
            PARTS.paragraph(" ".join(summary.sentences(judged))), counts(judged), legend(),
        ]),
        Section("overview", "Simulated over published", [overview(images)]),
        *(section(one, folders, curves) for one in judged),
    ]
    parts = [
        PARTS.heading(title),
        PARTS.made_by(command),
        html_page.warned(notices(given)),
        PARTS.contents(sections),
        *(one.html for one in sections),
    ]
    return html_page.page(title, parts, STYLE)


def notices(given):
    """A notice about deviations from the papers' scenarios."""
    texts = []
    if given.settings:
        texts.append(
            f"Other set-up than that of the papers: --set {', '.join(given.settings)}. The rows have no "
            "verdicts, and figures over a key that --set fixed are left out."
        )
    if given.seeds:
        texts.append(f"Other seeds than those of the scenarios: {', '.join(given.seeds)}.")
    return texts


def overview(images):
    return PARTS.figures(
        [html_page.figure(png, "Simulated over published", OVERVIEW) for png in images]
    )


def legend():
    return PARTS.definitions(summary.VERDICTS.items(), summary.INTERVALS)


def counts(judged):
    """Number of rows per verdict for each result."""
    columns, counts = reproduction.tally(judged)
    rows = [
        Row([
            Cell(one.result.id, link=f"#{one.result.id}"), Cell(one.result.title),
            *(Cell(count or "", "number") for count in row),
        ])
        for one, row in zip(judged, counts)
    ]
    return table(["id", "result", *columns], rows, len(columns))


def curves_section(result, curves):
    """The figures of a result that were drawn."""
    return PARTS.figures([
        html_page.figure(png, figure["title"], caption(figure))
        for figure in result.figures
        for png in curves.get(reproduction.figure_name(result, figure), [])
    ])


def caption(figure):
    return f"{figure['title']} ({published.SCENARIOS}/{figure['in']})"


def section(judged, folders, curves):
    result = judged.result
    rows = [line for row in judged.rows for line in lines_of(row)]
    header = ["what", "published", "simulated", "bound", "accepted", "verdict", "what decides it"]
    parts = [
        PARTS.remark(result.cite),
        table(header, rows),
        curves_section(result, curves),
        PARTS.assumptions(result.assumptions),
        *(setup(*one) for one in reproduction.setups_of(result, folders).items()),
    ]
    return Section(result.id, f"{result.id}: {result.title}", parts)


def lines_of(judged):
    """A line for the row, and one for each choice in it."""
    row = judged.row
    published_cells = [
        Cell(row["what"], "what"),
        Cell(reproduction.published_text(row), "source", row.get("source", "")),
    ]
    yield Row([*published_cells, *cells_of(judged, demand_text(row))])
    for one in judged.choices:
        yield Row([Cell(one.row["choice"], "choice"), Cell(""), *cells_of(one, "")])


def cells_of(judged, accepted):
    row = judged.row
    unit = row.get("unit", "")
    edge = "" if judged.is_certain else "(near the edge)"
    return [
        Cell(reproduction.estimate_text(judged.found, unit)),
        Cell(reproduction.with_unit(row.get("bound"), unit), note=row.get("bound_from", "")),
        Cell(accepted),
        Cell(judged.verdict, f"verdict {judged.verdict.replace(' ', '-')}", edge),
        Cell(reproduction.reason_of(judged), "reason"),
    ]


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
    about = reproduction.read_description(scenario)
    if manifest is None:
        return PARTS.details(f"{file}: no results", about, "")
    return PARTS.details(file, about, html_page.setup_text(manifest))

# SPDX-License-Identifier: BSD-3-Clause
"""The page of a sensitivity analysis: one self-contained HTML file."""

from analysis import decimals, html_page
from analysis.html_page import PARTS, Cell, Row, Section, table
from analysis.sensitivity import findings, morris

RATIO_DIGITS = 3
MOST_DECIMALS = 4
ABOUT_ROWS = (
    "One key changes at a time, and all others are as in the scenario. Results are means over the finished jobs, "
    "then over seeds. Elasticity: change of the result in per cent for a change of the key by one per cent, between "
    "the two ends, if both are numbers above 0. Of several alternatives, the table has those with the lowest and the "
    "highest result. All rows are in elasticities.csv."
)
ABOUT_EFFECTS = (
    "Elementary effects (Morris 1991): change of the result from one end of a key's range to the other, with all "
    "other keys anywhere in their ranges. μ*: mean of the absolute values (Campolongo et al. 2007). μ: mean. σ: "
    "standard deviation, large if the effect of the key depends on other keys. Alternatives are in the order of the "
    "levels."
)
ABOUT_TURNS = (
    "With several seeds, each sentence holds for the whole 95 % interval of the ratio (Student's t)."
)


def page(found, images):
    """The text of the page; `images`: PNGs of the tornado figure."""
    title = f"Sensitivity of {found.name}"
    sections = [
        Section("order", "What reverses the order", turns(found)),
        Section("tornado", "One key at a time", [figures(images), rows_table(found), PARTS.remark(ABOUT_ROWS)]),
    ]
    if found.trajectories:
        parts = [*effect_tables(found), PARTS.remark(about_screening(found))]
        sections.append(Section("morris", "Screening", parts))
    sections += [
        Section("ranges", "Ranges and their sources", [ranges_table(found)]),
        Section("run", "What was run", [what_was_run(found)]),
    ]
    head = [PARTS.heading(title), html_page.warned(warnings(found)), PARTS.contents(sections)]
    return html_page.page(title, [*head, *(one.html for one in sections)])


def warnings(found):
    names = ", ".join(found.failed)
    failed = [f"Runs failed: {names}. Results that depend on these runs are left out."] if names else []
    return failed + [f"{key} was skipped: {why}." for key, why in found.skipped.items()]


def turns(found):
    return [PARTS.listed(findings.texts_of(found), "findings"), PARTS.remark(ABOUT_TURNS)]


def figures(images):
    caption = "Change of a result by each key, relative to the unchanged scenario. Keys with the largest effect come first."
    return PARTS.figures([html_page.figure(png, "Tornado figure", caption) for png in images])


def rows_table(found):
    header = ["Key", "Result", "Values", "At the first", "At the point", "At the second"]
    header += ["Change (%)", "Elasticity"]
    rows = sorted(found.rows, key=lambda row: (not row.subject.under, -row.span))
    return table(header, [cells_of_row(row) for row in rows], 5)


def cells_of_row(row):
    results = [row.at_low, row.at_point, row.at_high]
    places = decimals.of_column(results)
    numbers = [decimals.text(value, places) for value in results]
    elastic = "-" if row.elasticity is None else f"{row.elasticity:.2f}"
    unit = " (ms)" if not row.subject.under else ""
    texts = [Cell(row.key), Cell(row.subject.name + unit), Cell(f"{row.low}, {row.high}")]
    return Row(texts + [Cell(text, "number") for text in [*numbers, f"{100 * row.change:+.1f}", elastic]])


def effect_tables(found):
    return [effect_table(subject, by_key) for subject, by_key in found.effects if by_key]


def effect_table(subject, by_key):
    ordered = sorted(by_key.items(), key=lambda item: -item[1].mean_absolute)
    places = decimals.of_column([one.mean_absolute for _, one in ordered], RATIO_DIGITS)
    rows = [effect_row(key, one, min(places, MOST_DECIMALS)) for key, one in ordered]
    unit = "" if subject.under else " (ms)"
    return table(["Key", "μ*", "μ", "σ", "Effects"], rows, 4, f"{subject.name}{unit}")


def effect_row(key, one, places):
    numbers = [decimals.text(value, places) for value in (one.mean_absolute, one.mean, one.deviation)]
    return Row([Cell(key), *(Cell(text, "number") for text in [*numbers, one.count])])


def about_screening(found):
    return (
        f"{ABOUT_EFFECTS} {found.trajectories} trajectories of {morris.LEVELS} levels, seed {found.seed}. "
        "All rows: morris.csv."
    )


def ranges_table(found):
    ranges = [change.range for change in found.changes]
    rows = [
        Row([Cell(", ".join([one.key, *one.also])), Cell(findings.values_text(one)), Cell(one.source)])
        for one in ranges
    ]
    return table(["Key", "Values", "Source"], rows)


def what_was_run(found):
    build = found.build
    known = {
        "Scenario": found.given["file"],
        "Settings": ", ".join(found.given["set"]),
        "Seeds": ", ".join(map(str, found.given["seeds"])),
        "INA Lab": " ".join(str(build[key]) for key in ("ina", "commit") if key in build),
        "ns-3": build.get("ns3", ""),
    }
    rows = [Row([Cell(name, is_head=True), Cell(value)]) for name, value in known.items() if value]
    return PARTS.bare_table(rows, "run")

# SPDX-License-Identifier: BSD-3-Clause
"""Renews the references of a regression suite, and says for a reviewer what that changes."""

from dataclasses import dataclass
from pathlib import Path

from analysis import compare, equivalence, markdown, output, references, regression, samples
from analysis.references import Made
from analysis.results import AnalysisError

CHANGES = "CHANGES.md"
HEADINGS = ("seeds", "before (ms)", "now (ms)", "now / before", "95 %")


@dataclass(frozen=True)
class Change:
    """A scenario with its reference, None if it is new, and what it gives now."""

    scenario: Path
    before: Made | None
    now: Made


def changes(suite: list[Path], runs: regression.Runs) -> list[Change]:
    """Those of a suite whose reference is not what they give. Raises NotRun if one fails."""
    found = []
    for scenario, made in regression.each(suite, runs.made):
        if isinstance(made, regression.NotRun):
            raise made
        before = references.read(references.path_of(scenario))
        if before is None or not references.is_same(before, made):
            found.append(Change(scenario, before, made))
    return found


def write(found: list[Change], tolerance: float) -> list[Path]:
    """The references, and in each of their folders CHANGES.md, whose paths it returns."""
    pages: dict[Path, list[str]] = {}
    for change in found:
        page = references.path_of(change.scenario).parent / CHANGES
        pages.setdefault(page, [output.MARKDOWN_MARK, "# Renewed last"]).append(
            section(change, tolerance)
        )
    for page in pages:
        page.parent.mkdir(parents=True, exist_ok=True)
        output.check(references.OPTION, page, output.MARKDOWN)
    for change in found:
        references.write(references.path_of(change.scenario), change.now)
    texts = {page: ("\n\n".join(parts) + "\n").encode() for page, parts in pages.items()}
    output.write(references.OPTION, {page: (output.MARKDOWN, text) for page, text in texts.items()})
    return list(pages)


def section(change: Change, tolerance: float) -> str:
    """What a reviewer reads of one scenario."""
    paragraphs = [f"## {change.scenario.stem}"]
    if change.before is None:
        points = len(change.now.sample.points())
        paragraphs += [f"New: {points} points.", f"By {references.versions(change.now.first)}."]
    else:
        paragraphs += [*of_versions(change.before, change.now), of_rows(change.before, change.now)]
        paragraphs += of_points(change.before.sample, change.now.sample, tolerance)
    return "\n\n".join([*paragraphs, *of_seeds(change.now.sample, tolerance)])


def of_versions(before: Made, now: Made) -> list[str]:
    was, is_now = (references.versions(made.first) for made in (before, now))
    return [f"By {is_now}." if was == is_now else f"By {is_now}; before by {was}."]


def of_rows(before: Made, now: Made) -> str:
    found = regression.exact_finding(Path(), before.first, now.first)
    return "The first seed (A: before, B: now): " + "; ".join(found.lines) + "."


def of_points(before: samples.Sample, now: samples.Sample, tolerance: float) -> list[str]:
    """A table of the points whose mean JCT is another one."""
    try:
        table = compare.over_seeds(before, now, tolerance)
    except AnalysisError as error:
        return [f"Another sweep: {error}."]
    moved = table[table["jct_ms_a"] != table["jct_ms_b"]]
    words = f"{len(table) - len(moved)} of {len(table)} points have the same mean JCT."
    if moved.empty:
        return [words]
    head = [*before.keys, *HEADINGS, f"at {tolerance:.1%}"]
    body = [cells_of(row, before.keys) for _, row in moved.iterrows()]
    return [words, markdown.table(head, body)]


def cells_of(row, keys: tuple[str, ...]) -> list[str]:
    ends = [number(row["ratio_low"]), number(row["ratio_high"])]
    return [
        *(str(row[key]) for key in keys), f"{row['count_a']}, {row['count_b']}",
        number(row["jct_ms_a"]), number(row["jct_ms_b"]), number(row["ratio"]),
        " to ".join(ends), row["status"],
    ]  # fmt: skip


def number(value: float | None) -> str:
    return "-" if value is None or value != value else f"{value:.4f}"


def of_seeds(sample: samples.Sample, tolerance: float) -> list[str]:
    """Warns of points of which other seeds could not tell twice the tolerance."""
    short = []
    for key, rows in sample.points().items():
        values = samples.by_seed(rows).values()
        needed = equivalence.seeds_needed(values, tolerance) if len(values) > 1 else 2
        if needed > len(values):
            short.append(f"{', '.join(key)} has {len(values)}, needs {needed}")
    return [f"Too few seeds: {'; '.join(short)}."] if short else []

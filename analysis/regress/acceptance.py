# SPDX-License-Identifier: BSD-3-Clause
"""Renews the references of a regression suite, and describes the changes for a reviewer."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pandas

from analysis import decimals, equivalence, markdown, provenance, results
from analysis.regress import compare, references, regression, samples
from analysis.regress.references import Made
from analysis.regress.suite import Runs, Suite, each
from analysis.results import AnalysisError
from hw.commands.errors import CommandError
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.files import output

CHANGES = "CHANGES.md"
TITLE = "# Renewed last, by scenario"
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
HEADINGS = ("number of seeds", "before (ms)", "now (ms)", "now / before", "95 %")


@dataclass(frozen=True)
class Change:
    """A scenario with its reference and its new results. `why`: reason if there is no reference."""

    scenario: Path
    before: Made | None
    now: Made
    why: str = "New"


def changes(suite: Suite, runs: Runs) -> list[Change]:
    """The scenarios of a suite whose results differ from their references. Raises AnalysisError if
    some fail."""
    found, failed = [], []
    for scenario, made in each(suite.scenarios, runs.made):
        if isinstance(made, AnalysisError):
            failed.append(f"{scenario.stem}: {made}")
            continue
        before, why = reference_or_reason(scenario)
        if before is None or not references.is_same(before, made):
            found.append(Change(scenario, before, made, why))
    if failed:
        raise AnalysisError(f"no reference was renewed: {'; '.join(failed)}")
    return found


def reference_or_reason(scenario: Path) -> tuple[Made | None, str]:
    """The reference, or None with the reason if it is missing or damaged."""
    folder = references.path_of(scenario)
    try:
        return references.read(folder), "New"
    except AnalysisError as error:
        if not references.is_there(folder):
            raise
        return None, f"The reference was damaged ({str(error).removeprefix(f'{folder}/')})"


def write(found: list[Change], orphans: tuple[Path, ...], tolerance: float) -> list[Path]:
    """Writes all references and a CHANGES.md in each of their folders, or nothing. Removes
    references without a scenario. Returns the paths of CHANGES.md."""
    folders = dict.fromkeys(
        [references.path_of(change.scenario).parent for change in found]
        + [orphan.parent for orphan in orphans]
    )
    files = {}
    for change in found:
        folder = references.path_of(change.scenario)
        check(folder / references.MANIFEST, references.WRITER)
        files |= {folder / name: one for name, one in references.contents(change.now).items()}
    pages = {folder / CHANGES: folder for folder in folders}
    for page, folder in pages.items():
        check(page, output.MARKDOWN)
        gone = {orphan.name for orphan in orphans if orphan.parent == folder}
        own = [change for change in found if references.path_of(change.scenario).parent == folder]
        files[page] = page_text(page, own, gone, tolerance).encode()
    put(files)
    for folder in [references.path_of(change.scenario) for change in found]:
        for table in results.ROWS_OF:
            if folder / table not in files:  # the scenario no longer writes the table
                (folder / table).unlink(missing_ok=True)
    for orphan in orphans:
        shutil.rmtree(orphan)
    return list(pages)


def check(path: Path, mark: str) -> None:
    """Rejects a folder with files that we did not write."""
    if path.exists() and not (mark == references.WRITER and references.is_there(path.parent)):
        output.check(references.OPTION, path, mark)


def put(files: dict[Path, bytes]) -> None:
    """Creates all files, or none of the files and folders."""
    made = []
    try:
        for folder in dict.fromkeys(path.parent for path in files):
            missing = [one for one in (folder, *folder.parents) if not one.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            made += missing
        output.put(files)
    except OSError as error:
        for folder in sorted(made, reverse=True):  # inner folders first
            folder.rmdir()
        raise CommandError(
            f"{references.OPTION}: {error.filename}: {output.reason(error)}; no reference was renewed",
            ENVIRONMENT_ERROR,
        ) from None


def page_text(page: Path, found: list[Change], gone: set[str], tolerance: float) -> str:
    """The page, with the sections of other scenarios unchanged."""
    sections = sections_of(page)
    sections |= {change.scenario.stem: section(change, tolerance) for change in found}
    kept = [sections[name] for name in sorted(sections) if name not in gone]
    return "\n\n".join([output.MARKDOWN_MARK, TITLE, *kept]) + "\n"


def sections_of(page: Path) -> dict[str, str]:
    if not page.exists():
        return {}
    _, *parts = SECTION.split(page.read_text(encoding="utf-8"))
    return {name: f"## {name}\n{text.rstrip()}" for name, text in zip(parts[::2], parts[1::2])}


def section(change: Change, tolerance: float) -> str:
    """The section of one scenario, for a reviewer."""
    paragraphs = [f"## {change.scenario.stem}"]
    if change.before is not None and change.before.sample.seeds != change.now.sample.seeds:
        seeds = (seeds_text(made.sample) for made in (change.before, change.now))
        paragraphs.append("Seeds: {} before, {} now.".format(*seeds))
    build = provenance.build_text(provenance.build_of(change.now.first))
    if change.before is None:
        points = len(change.now.sample.points())
        paragraphs += [f"{change.why}: {points} points.", f"By {build}."]
    else:
        paragraphs += [*of_origin(change.before, change.now, build), of_rows(change.before, change.now)]
        paragraphs += of_points(change.before.sample, change.now.sample, tolerance)
    return "\n\n".join([*paragraphs, *of_seeds(change.now.sample, tolerance)])


def seeds_text(sample: samples.Sample) -> str:
    """Seeds as "1-3, 7"."""
    seeds = sorted(map(int, sample.seeds))
    starts = [seed for seed in seeds if seed - 1 not in seeds]
    ends = [seed for seed in seeds if seed + 1 not in seeds]
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends))


def of_origin(before: Made, now: Made, build: str) -> list[str]:
    """The builds, and the keys whose values changed."""
    made_by = provenance.of(before.first, now.first)
    then = "" if made_by.before == made_by.after else (
        f"; before by {provenance.build_text(made_by.before)}"
    )
    keys = [f"- `{line}`" for line in made_by.key_lines(regression.WORDS)]
    return [f"By {build}{then}.", *(["\n".join(keys)] if keys else [])]


def of_rows(before: Made, now: Made) -> str:
    try:
        lines = regression.tables_beside(before.first, now.first)
    except AnalysisError as error:
        lines = (str(error),)
    return "The first seed (A: before, B: now): " + "; ".join(lines) + "."


def of_points(before: samples.Sample, now: samples.Sample, tolerance: float) -> list[str]:
    """A table of the points whose mean JCT changed."""
    try:
        table = compare.compare(before, now, compare.STATISTICAL, tolerance)
    except AnalysisError:  # of_rows() has reported it
        return []
    is_same = (table["jct_ms_a"] == table["jct_ms_b"]) & table["verdict"].isin(compare.PASSING)
    moved = table[~is_same]
    words = f"{len(table) - len(moved)} of {len(table)} points have the same mean JCT."
    if moved.empty:
        return [words]
    head = [*before.keys, *HEADINGS, f"at {tolerance:.1%}"]
    of_times = decimals.of_column(moved[compare.JCTS].to_numpy().ravel())
    body = [cells_of(row, before.keys, of_times) for _, row in moved.iterrows()]
    return [words, markdown.table(head, body)]


def cells_of(row, keys: tuple[str, ...], of_times: int) -> list[str]:
    """Table cells. `of_times`: number of decimals of times."""
    ends = [decimals.text(row[end], compare.DECIMALS_OF_RATIOS) for end in compare.RATIOS[1:]]
    return [
        *(str(row[key]) for key in keys), f"{row['seeds_a']}, {row['seeds_b']}",
        decimals.text(row["jct_ms_a"], of_times), decimals.text(row["jct_ms_b"], of_times),
        decimals.text(row["ratio"], compare.DECIMALS_OF_RATIOS),
        "-" if pandas.isna(row["ratio_low"]) else " to ".join(ends), compare.words_of(row),
    ]  # fmt: skip


def of_seeds(sample: samples.Sample, tolerance: float) -> list[str]:
    """Warns about points for which other seeds could not resolve twice the tolerance."""
    short = []
    for key, rows in sample.points().items():
        values = samples.by_seed(rows).values()
        if not values:
            continue  # no job finishes there
        needed = equivalence.seeds_needed(values, tolerance) if len(values) > 1 else 2
        if needed is None or needed > len(values):
            number_of = f"more than {equivalence.MOST_SEEDS}" if needed is None else needed
            point = ", ".join(f"{name} {value}" for name, value in zip(sample.keys, key))
            short.append(f"{point} has {len(values)}, needs {number_of}")
    return [f"Too few seeds: {'; '.join(short)}."] if short else []

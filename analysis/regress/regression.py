# SPDX-License-Identifier: BSD-3-Clause
"""Compares the results of the scenarios of a regression suite with their references."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas

from analysis import provenance
from analysis.provenance import Provenance
from analysis.regress import compare, difference, references, samples
from analysis.regress.references import Made
from analysis.regress.suite import NotRun, Runs, Suite, each
from analysis.results import AnalysisError, Results, listed
from hw.commands.statuses import ENVIRONMENT_ERROR

TOLERANCE = 0.015  # half of the slowdown that must be detected
WORDS = ("then", "now")
IDENTICAL = "identical"
FAILED = "failed"  # verdict in addition to those of `compare`: nothing could be compared


@dataclass(frozen=True)
class Finding:
    """Comparison of a scenario with its reference, in lines for a terminal."""

    scenario: Path
    verdict: str
    lines: tuple[str, ...]
    made_by: Provenance | None = None
    table: pandas.DataFrame | None = None  # over seeds
    seeds: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    is_environment_error: bool = False  # nothing could be compared


def exact(suite: Suite, runs: Runs) -> list[Finding]:
    """Compares the tables of the first seed with those of the references, byte for byte."""

    def work(scenario: Path) -> Finding:
        reference = reference_of(scenario, runs)
        first = runs.first(scenario, references.first_seed(reference))
        return exact_finding(scenario, reference.first, first)

    return findings(suite, work)


def over_seeds(suite: Suite, runs: Runs, tolerance: float, seeds: str | None) -> list[Finding]:
    """Compares the mean JCTs over seeds, by default the scenarios' seeds, with the references,
    within the tolerance."""
    chosen = [] if seeds is None else ["--seeds", seeds]

    def work(scenario: Path) -> Finding:
        reference = reference_of(scenario, runs)
        now = runs.results(scenario, *chosen)
        return finding_over_seeds(scenario, reference, now, tolerance)

    return findings(suite, work)


def findings(suite: Suite, work) -> list[Finding]:
    found = [
        failed(scenario, one) if isinstance(one, AnalysisError) else one
        for scenario, one in each(suite.scenarios, work)
    ]
    return found + [
        Finding(orphan, FAILED, ("a reference without a scenario: ./ina regress --accept removes it",))
        for orphan in suite.orphans
    ]


def failed(scenario: Path, error: AnalysisError) -> Finding:
    is_environment_error = isinstance(error, NotRun) and error.status == ENVIRONMENT_ERROR
    return Finding(scenario, FAILED, (str(error),), is_environment_error=is_environment_error)


def reference_of(scenario: Path, runs: Runs) -> Made:
    reference = references.read(references.path_of(scenario))
    if reference is None:
        runs.check(scenario)
        raise AnalysisError(f"no reference yet: ./ina regress --accept {scenario}")
    return reference


def exact_finding(scenario: Path, reference: Results, now: Results) -> Finding:
    made_by = provenance.of(reference, now)
    seeds = (reference.seeds, now.seeds)
    if is_identical(reference, now):
        lines = (IDENTICAL, *made_by.key_lines(WORDS))
        return Finding(scenario, compare.SAME, lines, made_by, seeds=seeds)
    check_sweep(reference, now)
    found = difference.of_folders(reference, now)
    lines = (*made_by.lines(WORDS), *found.lines)
    verdict = compare.DIFFERENT if found.differs else compare.SAME
    return Finding(scenario, verdict, lines, made_by, seeds=seeds)


def check_sweep(reference: Results, now: Results) -> None:
    if set(reference.keys) != set(now.keys):
        raise AnalysisError(
            f"another sweep: {listed(reference.keys)} in the reference, {listed(now.keys)} now"
        )


def is_identical(reference: Results, now: Results) -> bool:
    """Whether the tables are equal, byte for byte."""
    tables = [
        {file: one.checked_bytes(file) for file in one.tables} for one in (reference, now)
    ]
    return tables[0] == tables[1]


def tables_beside(reference: Results, now: Results) -> tuple[str, ...]:
    """Describes how the tables differ, if they do; A is the reference."""
    if is_identical(reference, now):
        return (IDENTICAL,)
    check_sweep(reference, now)
    return difference.of_folders(reference, now).lines


def finding_over_seeds(scenario: Path, reference: Made, now: Results, tolerance: float) -> Finding:
    check_sweep(reference.first, now)
    made_by = provenance.of(reference.first, now)
    sample = replace(samples.read(now), folder=Path("the new results"))
    table = compare.compare(reference.sample, sample, compare.STATISTICAL, tolerance)
    verdict = compare.verdict(table)
    others = table[~table["verdict"].isin(compare.PASSING)]
    lines = [*made_by.lines(WORDS), *compare.rows_of(others).splitlines()] if len(others) else []
    return Finding(
        scenario, verdict, (*lines, compare.counts_of(table, tolerance)), made_by, table,
        seeds=(reference.sample.seeds, sample.seeds),
    )  # fmt: skip


def status(found: list[Finding]) -> int:
    """Exit status of the command. An environment error is not a difference."""
    others = [one for one in found if one.verdict != compare.SAME]
    if others and all(one.is_environment_error for one in others):
        return ENVIRONMENT_ERROR
    return compare.STATUS_OF[verdict(found)]


def verdict(found: Iterable[Finding]) -> str:
    """The overall verdict on the suite, like compare.overall()."""
    return compare.overall(one.verdict for one in found)


def text_of(found: list[Finding]) -> str:
    lines = []
    for one in found:
        first, *more = one.lines
        lines += [f"{one.scenario.stem}: {first}"] if not more else [
            f"{one.scenario.stem}:", *(f"  {line}" for line in one.lines)
        ]
    plural = "s" * (len(found) != 1)
    return "\n".join([*lines, f"{len(found)} scenario{plural}: {counts_of(found)}"])


def counts_of(found: list[Finding]) -> str:
    verdicts = [one.verdict for one in found]
    order = (compare.SAME, compare.DIFFERENT, compare.INCONCLUSIVE, FAILED)
    return ", ".join(f"{verdicts.count(one)} {one}" for one in order if one in verdicts)

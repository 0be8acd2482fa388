# SPDX-License-Identifier: BSD-3-Clause
"""JCT-curve regression: compares the curves of two samples point by point, with a verdict for each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pandas

from analysis import decimals, equivalence, estimates
from analysis.regress import samples
from analysis.regress.samples import Sample
from analysis.results import SYSTEM, VARIANT, AnalysisError, listed
from hw.commands import statuses

SAME = "same"
IDENTICAL = "identical where seeds are common"
DIFFERENT = "different"
INCONCLUSIVE = "inconclusive"
ONLY_A = "only in A"
ONLY_B = "only in B"
OTHER_FAILURES = "other failures"
NO_COMMON_SEED = "no common seed"
VERDICTS = (
    SAME, IDENTICAL, DIFFERENT, INCONCLUSIVE, ONLY_A, ONLY_B, OTHER_FAILURES, NO_COMMON_SEED,
)  # fmt: skip
PASSING = (SAME, IDENTICAL)
STATUS_OF = {  # by the verdict on all points
    SAME: 0, DIFFERENT: statuses.DIFFERENT, INCONCLUSIVE: statuses.INCONCLUSIVE,
}  # fmt: skip
TOLERANCE = 0.02  # unless another is asked for
EXACT = "exact"
STATISTICAL = "statistical"
HEADINGS = {
    "jct_ms_a": "JCT A (ms)", "jct_ms_b": "JCT B (ms)", "seeds_a": "seeds A", "seeds_b": "seeds B",
    "common_seeds": "common",
    "failed_jobs_a": "failed A", "failed_jobs_b": "failed B", "ratio_low": "from", "ratio_high": "to",
}  # fmt: skip
SEEDS = ["seeds_a", "seeds_b", "common_seeds"]
FAILURES = ["failed_jobs_a", "failed_jobs_b"]
JCTS = ["jct_ms_a", "jct_ms_b"]
RATIOS = ["ratio", "ratio_low", "ratio_high"]
DECIMALS_OF_RATIOS = 4


@dataclass(frozen=True)
class Runs:
    """The runs of a point, by seed: the mean JCT in ms if a job finished, and the number of failed jobs."""

    jct_ms: Mapping[str, float] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)

    def only(self, seeds):
        parts = (self.jct_ms, self.failed)
        return Runs(*({seed: part[seed] for seed in part if seed in seeds} for part in parts))


@dataclass(frozen=True)
class Judged:
    verdict: str
    before: Runs  # the compared runs
    after: Runs
    ratio: equivalence.Ratio = equivalence.Ratio(None)
    needed: int | None = None  # for INCONCLUSIVE; None: more than anybody would run


def compare(before: Sample, after: Sample, mode: str, tolerance: float) -> pandas.DataFrame:
    """A row for each point of either sample: keys, both mean JCTs, their seeds and failed jobs, the
    ratio of the JCTs with its 95 % interval, `verdict` and `seeds_needed`.

    EXACT: means over the seeds that both have, which may differ by at most the tolerance, a share
    of the first. STATISTICAL: means over any seeds, judged by the interval of the ratio. The means
    are of the seeds that the ratio uses. A JCT of 0 has no ratio.
    """
    check_alike(before, after)
    ours, theirs = before.points(), after.points()
    order = [after.keys.index(key) for key in before.keys]
    theirs = {tuple(key[i] for i in order): rows for key, rows in theirs.items()}
    table = pandas.DataFrame([
        dict(zip(before.keys, key)) | row_of(ours.get(key), theirs.get(key), mode, tolerance)
        for key in dict.fromkeys([*ours, *theirs])
    ])
    return table.astype({"seeds_needed": "Int64", "ratio": float})


def check_alike(before: Sample, after: Sample) -> None:
    if set(before.keys) != set(after.keys):
        keys = [[key for key in one.keys if key != SYSTEM] for one in (before, after)]
        raise AnalysisError(
            f"{before.folder} sweeps {listed(keys[0])}, {after.folder} {listed(keys[1])}"
        )
    systems = [one.rows[SYSTEM].unique() for one in (before, after)]
    if VARIANT not in before.keys and not set(systems[0]) & set(systems[1]):
        raise AnalysisError(
            f"{before.folder} has {listed(systems[0])}, {after.folder} {listed(systems[1])}; allowed: "
            "folders of the same systems (two systems: sweep /system in one file, then ./ina plot "
            "DIR --ratio A/B)"
        )


def row_of(before, after, mode: str, tolerance: float) -> dict:
    """A row of the table. `before`, `after`: the rows of a point in two samples, None if it is missing."""
    one, two = (runs_of(rows) for rows in (before, after))
    judged = judge(one, two, mode, tolerance)
    return {
        "jct_ms_a": mean_of(judged.before),
        "jct_ms_b": mean_of(judged.after),
        "seeds_a": len(one.failed),
        "seeds_b": len(two.failed),
        "common_seeds": len(one.failed.keys() & two.failed.keys()),
        "failed_jobs_a": sum(one.failed.values()),
        "failed_jobs_b": sum(two.failed.values()),
        "ratio": judged.ratio.value,
        "ratio_low": judged.ratio.low,
        "ratio_high": judged.ratio.high,
        "verdict": judged.verdict,
        "seeds_needed": judged.needed,
    }


def runs_of(rows: pandas.DataFrame | None) -> Runs:
    return Runs() if rows is None else Runs(samples.by_seed(rows), samples.failures(rows))


def mean_of(runs: Runs) -> float | None:
    return estimates.mean(runs.jct_ms.values()) if runs.jct_ms else None


def judge(before: Runs, after: Runs, mode: str, tolerance: float) -> Judged:
    if not before.failed or not after.failed:
        return Judged(ONLY_A if before.failed else ONLY_B, before, after)
    seeds = before.failed.keys(), after.failed.keys()
    common = seeds[0] & seeds[1] if mode == EXACT else equivalence.common_seeds(*seeds)
    ours, theirs = before.only(common), after.only(common)
    has_other_failures = (
        ours.failed != theirs.failed if common else share_of_failed(before) != share_of_failed(after)
    )
    if has_other_failures:
        return Judged(OTHER_FAILURES, before, after)
    if common and ours == theirs:
        verdict = SAME if seeds[0] == seeds[1] else IDENTICAL
        return Judged(verdict, ours, theirs, ratio_of_identical(ours))
    if mode == STATISTICAL:
        return judge_over_seeds(*((ours, theirs) if len(common) > 1 else (before, after)), tolerance)
    return judge_means(ours, theirs, tolerance) if common else Judged(NO_COMMON_SEED, before, after)


def share_of_failed(runs: Runs) -> float:
    return sum(runs.failed.values()) / len(runs.failed)


def ratio_of_identical(runs: Runs) -> equivalence.Ratio:
    return equivalence.Ratio(1.0, 0.0) if any(runs.jct_ms.values()) else equivalence.Ratio(None)


def judge_means(before: Runs, after: Runs, tolerance: float) -> Judged:
    one, two = mean_of(before), mean_of(after)
    is_same = abs(two - one) <= tolerance * one
    ratio = equivalence.Ratio(two / one if one else None)
    return Judged(SAME if is_same else DIFFERENT, before, after, ratio)


def judge_over_seeds(before: Runs, after: Runs, tolerance: float) -> Judged:
    if not before.jct_ms and not after.jct_ms:
        return Judged(SAME, before, after)  # equally many failed
    ratio = equivalence.ratio(before.jct_ms, after.jct_ms)
    if ratio.value is None:
        return Judged(DIFFERENT if any(after.jct_ms.values()) else SAME, before, after, ratio)
    if ratio.half is None:
        return Judged(INCONCLUSIVE, before, after, ratio, 2)
    if ratio.is_within(tolerance):
        return Judged(SAME, before, after, ratio)
    if ratio.is_outside(tolerance):
        return Judged(DIFFERENT, before, after, ratio)
    return Judged(INCONCLUSIVE, before, after, ratio, ratio.seeds_to_decide(tolerance))


def verdict(table: pandas.DataFrame) -> str:
    """The overall() verdict on all points."""
    return overall(table["verdict"])


def overall(verdicts: Iterable[str]) -> str:
    """SAME, DIFFERENT or INCONCLUSIVE. Any failing verdict makes the whole DIFFERENT, unless all
    failing ones are INCONCLUSIVE."""
    found = set(verdicts) - set(PASSING)
    if not found:
        return SAME
    return INCONCLUSIVE if found == {INCONCLUSIVE} else DIFFERENT


def text_of(table: pandas.DataFrame, tolerance: float) -> str:
    """The table for a terminal, with the counts of verdicts as its last line."""
    return f"{rows_of(table)}\n{counts_of(table, tolerance)}"


def rows_of(table: pandas.DataFrame) -> str:
    """The rows without uninformative columns: equal sets of seeds, failures if there are none, and
    ratios without an interval."""
    hidden = ["seeds_needed"]
    if (table[SEEDS].min(axis=1) == table[SEEDS].max(axis=1)).all():
        hidden += SEEDS
    if not table[FAILURES].to_numpy().any():
        hidden += FAILURES
    if table["ratio_low"].isna().all():
        hidden += RATIOS[1:]
    shown = table.assign(verdict=[words_of(row) for row in table.itertuples()])
    of_times = decimals.of_column(table[JCTS].to_numpy().ravel())
    for columns, number in ((JCTS, of_times), (RATIOS, DECIMALS_OF_RATIOS)):
        for column in columns:
            shown[column] = [decimals.text(value, number) for value in table[column]]
    return shown.drop(columns=hidden).rename(columns=HEADINGS).to_string(index=False)


def words_of(row) -> str:
    if row.verdict != INCONCLUSIVE:
        return row.verdict
    if pandas.isna(row.seeds_needed):
        number = f"more than {equivalence.MOST_SEEDS}"
    else:
        number = f"{'at least ' if pandas.isna(row.ratio_low) else ''}{row.seeds_needed}"
    return f"{INCONCLUSIVE} ({number} seeds of each would decide)"


def counts_of(table: pandas.DataFrame, tolerance: float) -> str:
    counts = [f"{count} {one}" for one, count in table["verdict"].value_counts().items()]
    return f"{len(table)} points at a tolerance of {tolerance:.1%}: {', '.join(counts)}"

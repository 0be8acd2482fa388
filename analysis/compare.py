# SPDX-License-Identifier: BSD-3-Clause
"""JCT-curve regression: the curves of two result folders, point by point."""

from analysis import curves
from analysis.results import FINISHED, SEED, SYSTEM, AnalysisError

SAME = "same"
MOVED = "moved"
ONLY_A = "only in A"
ONLY_B = "only in B"
OTHER_SEEDS = "other seeds"


def compare(before, after, tolerance):
    """A row for each point of either folder: keys, system, both JCTs, their percentiles, the ratio
    of the JCTs and `status`.

    A point has moved if its mean JCT differs by more than the tolerance, a share of the first.
    """
    if set(before.keys) != set(after.keys):
        raise AnalysisError(
            f"{before.folder} sweeps {names(before.keys)}, {after.folder} {names(after.keys)}"
        )
    keys = [*before.keys, SYSTEM]
    joined = means(before).merge(means(after), "outer", keys, suffixes=("_a", "_b"), sort=False)
    joined["ratio"] = joined["jct_ms_b"] / joined["jct_ms_a"]
    joined["status"] = [status(row, tolerance) for row in joined.itertuples()]
    return joined


def names(keys):
    return ", ".join(keys) or "nothing"


def means(results):
    """Mean JCT, its percentiles and the seeds behind them, for each swept point and system where a
    job finished."""
    jobs = results.jobs()
    finished = jobs[jobs["status"] == FINISHED]
    if finished.empty:
        raise AnalysisError(f"{results.folder}: no job finished, so there is nothing to compare")
    keys = [*results.keys, SYSTEM]
    jct = curves.JCT
    by_seed = curves.mean_by_seed(curves.measured(finished), keys, jct).groupby(keys, sort=False)
    found = by_seed.agg(jct_ms=(jct.name, "mean"), seeds=(SEED, sorted))
    return found.join(curves.percentiles(finished, keys)).reset_index()


def status(row, tolerance):
    if row.jct_ms_b != row.jct_ms_b:
        return ONLY_A
    if row.jct_ms_a != row.jct_ms_a:
        return ONLY_B
    if row.seeds_a != row.seeds_b:
        return OTHER_SEEDS
    return MOVED if abs(row.ratio - 1) > tolerance else SAME


def passes(table):
    return (table["status"] == SAME).all()


def text_of(table, tolerance):
    """The table for a terminal and, as its last line, the verdict."""
    hidden = [column for column in table.columns if column.startswith(("seeds_", "jct_p"))]
    shown = table.drop(columns=hidden).rename(
        columns={"jct_ms_a": "JCT A (ms)", "jct_ms_b": "JCT B (ms)"}
    )
    rows = shown.to_string(index=False, na_rep="-", float_format=lambda value: f"{value:.4f}")
    counts = [f"{count} {status}" for status, count in table["status"].value_counts().items()]
    return f"{rows}\n{len(table)} points at a tolerance of {tolerance:.1%}: {', '.join(counts)}"


def to_json(table, tolerance):
    columns = [column for column in table.columns if not column.startswith("seeds_")]
    return {
        "tolerance": tolerance,
        "passes": bool(passes(table)),
        "points": curves.records(table[columns]),
    }

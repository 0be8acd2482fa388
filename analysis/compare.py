# SPDX-License-Identifier: BSD-3-Clause
"""JCT-curve regression: the curves of two result folders, point by point."""

import pandas

from analysis import curves, equivalence, samples
from analysis.results import FINISHED, SEED, SYSTEM, VARIANT, AnalysisError

SAME = "same"
MOVED = "moved"
ONLY_A = "only in A"
ONLY_B = "only in B"
OTHER_SEEDS = "other seeds"
OTHER_FAILURES = "other failures"
TOO_FEW = "too few seeds"
HEADINGS = {
    "jct_ms_a": "JCT A (ms)", "jct_ms_b": "JCT B (ms)", "count_a": "seeds A", "count_b": "seeds B",
    "ratio_low": "from", "ratio_high": "to", "needed": "seeds needed",
}  # fmt: skip


def compare(before, after, tolerance):
    """A row for each point of either folder: keys, system, both JCTs, their percentiles, the ratio
    of the JCTs and `status`.

    A point has moved if its mean JCT differs by more than the tolerance, a share of the first. There
    is no ratio to a JCT of 0.
    """
    check_keys(before, after)
    keys = [*before.keys, SYSTEM]
    one, two = means(before), means(after)
    check_systems(before, one, after, two)
    joined = one.merge(two, "outer", keys, suffixes=("_a", "_b"), sort=False)
    joined["ratio"] = curves.quotient(joined["jct_ms_b"], joined["jct_ms_a"])
    joined["status"] = [status(row, tolerance) for row in joined.itertuples()]
    return joined


def check_keys(before, after):
    if set(before.keys) != set(after.keys):
        raise AnalysisError(
            f"{before.folder} sweeps {names(before.keys)}, {after.folder} {names(after.keys)}"
        )


def check_systems(before, one, after, two):
    if VARIANT not in before.keys and not set(one[SYSTEM]) & set(two[SYSTEM]):
        raise AnalysisError(
            f"{before.folder} has {names(one[SYSTEM].unique())}, {after.folder} "
            f"{names(two[SYSTEM].unique())}; allowed: folders of the same systems (two systems: sweep "
            "/system in one file, then ./ina plot DIR --ratio A/B)"
        )


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
    return MOVED if abs(row.jct_ms_b - row.jct_ms_a) > tolerance * row.jct_ms_a else SAME


def over_seeds(before, after, tolerance):
    """A row for each point of either of two Samples, whatever their seeds: keys, both JCTs, their
    seeds, the ratio of the JCTs with its 95 % interval and `status`."""
    check_keys(before, after)
    check_systems(before, before.rows, after, after.rows)
    ours, theirs = before.points(), after.points()
    order = [after.keys.index(key) for key in before.keys]
    theirs = {tuple(key[i] for i in order): rows for key, rows in theirs.items()}
    table = pandas.DataFrame([
        dict(zip(before.keys, key)) | estimates(ours.get(key), theirs.get(key), tolerance)
        for key in dict.fromkeys([*ours, *theirs])
    ])
    return table.astype({"needed": "Int64", "ratio": float})


def estimates(before, after, tolerance):
    """Of the runs of a point, None where there are none."""
    one, two = ({} if rows is None else samples.by_seed(rows) for rows in (before, after))
    ratio = equivalence.ratio(one, two) if one and two else equivalence.Ratio(None, None, None)
    return {
        "jct_ms_a": equivalence.mean(one.values()) if one else None,
        "jct_ms_b": equivalence.mean(two.values()) if two else None,
        "count_a": len(one),
        "count_b": len(two),
        "ratio": ratio.value,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "status": (status := status_over_seeds(before, after, ratio, tolerance)),
        "needed": needed(one, two, tolerance) if status == TOO_FEW else None,
    }


def needed(before, after, tolerance):
    """How many seeds could tell; None if their number is not the trouble."""
    if min(len(before), len(after)) < 2:
        return 2
    seeds = max(equivalence.seeds_needed(one.values(), tolerance) for one in (before, after))
    return seeds if seeds > min(len(before), len(after)) else None


def status_over_seeds(before, after, ratio, tolerance):
    if before is None or after is None:
        return ONLY_B if before is None else ONLY_A
    if before[samples.FAILED].mean() != after[samples.FAILED].mean():
        return OTHER_FAILURES
    if ratio.value is None:
        return MOVED if after[samples.JCT_US].any() else SAME
    if ratio.is_within(tolerance):
        return SAME
    return MOVED if ratio.is_outside(tolerance) else TOO_FEW


def passes(table):
    return (table["status"] == SAME).all()


def text_of(table, tolerance):
    """The table for a terminal and, as its last line, the verdict."""
    return f"{rows_of(table)}\n{verdict_of(table, tolerance)}"


def rows_of(table):
    hidden = [column for column in table.columns if column.startswith(("seeds_", "jct_p"))]
    shown = table.drop(columns=hidden).rename(columns=HEADINGS)
    return shown.to_string(index=False, na_rep="-", float_format=lambda value: f"{value:.4f}")


def verdict_of(table, tolerance):
    counts = [f"{count} {status}" for status, count in table["status"].value_counts().items()]
    return f"{len(table)} points at a tolerance of {tolerance:.1%}: {', '.join(counts)}"


def to_json(table, tolerance):
    columns = [column for column in table.columns if not column.startswith("seeds_")]
    return {
        "tolerance": tolerance,
        "passes": bool(passes(table)),
        "points": curves.records(table[columns]),
    }

# SPDX-License-Identifier: BSD-3-Clause
"""JCT curves: averages over jobs, then over seeds."""

import re
from dataclasses import dataclass

import pandas

from analysis import error_bars, estimates
from analysis.results import FINISHED, SEED

US_PER_MS = 1000.0
BITS_PER_VALUE = 32
BITS_PER_US_AT_1_GBPS = 1000.0
PERCENTILES = (50, 95, 99)
LOSS_KEY = re.compile(r"/faults/links/\d+/loss")


@dataclass(frozen=True)
class Measure:
    """A quantity that is averaged. `name` is the prefix of its columns in the points: `jct_ms`
    (mean over seeds), `jct_low_ms` and `jct_high_ms` (ends of the error bar), `jct_ratio` (to the
    baseline), `jct_ratio_low` and `jct_ratio_high`."""

    name: str
    unit: str
    label: str
    short: str

    mean = property(lambda self: f"{self.name}_{self.unit}")
    low = property(lambda self: f"{self.name}_low_{self.unit}")
    high = property(lambda self: f"{self.name}_high_{self.unit}")
    ratio = property(lambda self: f"{self.name}_ratio")
    ratio_low = property(lambda self: f"{self.name}_ratio_low")
    ratio_high = property(lambda self: f"{self.name}_ratio_high")


JCT = Measure("jct", "ms", "Average JCT (ms)", "JCT")
ITERATION = Measure("iteration", "ms", "Average iteration time (ms)", "Time")
GOODPUT = Measure("goodput", "gbps", "Goodput of a worker (Gbps)", "Goodput")
MEASURES = (JCT, ITERATION, GOODPUT)
QUOTIENT = Measure("jct", "quotient", "", "")  # of two lines


def quotient(over, under):
    """The quotient of two columns, NaN where a time is 0: a worker without peers may take no time."""
    return over / under.where(under != 0)


def measured(jobs):
    """jobs.csv with each measure; NaN for jobs that did not finish."""
    bits = jobs["values"] * BITS_PER_VALUE
    measures = {
        JCT: jobs["jct_us"] / US_PER_MS,
        ITERATION: jobs["iteration_mean_us"] / US_PER_MS,
        GOODPUT: quotient(bits, jobs["iteration_mean_us"] * BITS_PER_US_AT_1_GBPS),
    }
    finished = jobs["status"] == FINISHED
    return jobs.assign(**{one.name: values.where(finished) for one, values in measures.items()})


def mean_by_seed(jobs, keys, measure):
    """One row for each combination of `keys` and seed: the mean over the finished jobs."""
    by_seed = jobs.groupby(list(dict.fromkeys([*keys, SEED])), sort=False)
    return by_seed[measure.name].mean().reset_index()


def seeds_by_point(jobs, keys, measure):
    """{values of the keys: {seed: mean over the finished jobs}}"""
    rows = mean_by_seed(jobs, keys, measure).dropna(subset=[measure.name])
    found = {}
    points = rows[keys].itertuples(index=False, name=None)
    for point, seed, value in zip(points, rows[SEED], rows[measure.name]):
        found.setdefault(point, {})[seed] = value
    return found


def points(jobs, layout, spread=error_bars.INTERVAL):
    """One row for each point of a figure with the columns of each Measure, NaN if no job finished.
    `spread` selects the error bars, one of error_bars.SPREADS.

    `jct_p50_ms` etc. are percentiles over the finished jobs of all seeds, `seeds` is the number of
    seeds with such a job, `jobs` and `failed_jobs` are numbers of jobs.
    """
    keys = layout.keys
    jobs = measured(jobs)
    by_point = jobs.groupby(keys, sort=False)
    columns = percentiles(jobs, keys)
    columns["seeds"] = jobs[jobs["status"] == FINISHED].groupby(keys)[SEED].nunique()
    table = columns.reindex(by_point.size().index).fillna({"seeds": 0}).astype({"seeds": int})
    table["jobs"] = by_point.size()
    table["failed_jobs"] = by_point.size() - by_point[JCT.name].count()
    table = table.reset_index()
    means = [means_of(table[keys], layout, measure, jobs, spread) for measure in MEASURES]
    return pandas.concat([table[keys], *means, table.drop(columns=keys)], axis=1)


def means_of(points, layout, measure, jobs, spread):
    """The columns of a Measure; each point has a value for each key."""
    seeds = seeds_by_point(jobs, layout.keys, measure)
    rows = []
    for point in points.itertuples(index=False, name=None):
        base, of_point = base_of(point, layout), seeds.get(point, {})
        mean = estimates.mean(of_point.values()) if of_point else float("nan")
        ratio, *ends = error_bars.ratio(seeds.get(base, {}), of_point, spread)
        ends = error_bars.NONE if base == point else ends  # 1 by definition
        rows.append([mean, *error_bars.ends(of_point.values(), spread), ratio, *ends])
    names = [
        measure.mean, measure.low, measure.high, measure.ratio, measure.ratio_low,
        measure.ratio_high,
    ]  # fmt: skip
    return pandas.DataFrame(rows, columns=names, index=points.index, dtype=float)


def base_of(point, layout):
    """The baseline's point for a point; None without a baseline."""
    if layout.baseline is None:
        return None
    pairs = zip(layout.keys, point)
    return tuple(layout.baseline if key == layout.lines.key else value for key, value in pairs)


def percentiles(jobs, keys):
    """`jct_p50_ms` etc. over the finished jobs of all seeds, for each combination of keys."""
    finished = jobs[jobs["status"] == FINISHED]
    jct_ms = (finished["jct_us"] / US_PER_MS).groupby([finished[key] for key in keys], sort=False)
    return pandas.DataFrame(
        {f"jct_p{percent}_ms": jct_ms.quantile(percent / 100) for percent in PERCENTILES}
    )


def quotients(jobs, layout, key, pair, spread=error_bars.INTERVAL):
    """One row for each point of a figure that compares two variants or systems (`key`), `atp` and
    `dsa`. `jct_quotient` is the average JCT of the first over that of the second, for the `seeds`
    that have both; `jct_low_quotient` and `jct_high_quotient` are the ends of its error bar; `jobs`
    and `failed_jobs` are those of both."""
    keys = layout.keys
    jobs = measured(jobs[jobs[key].isin(pair)])
    by_point = jobs.groupby(keys, sort=False)
    table = by_point.size().rename("jobs").reset_index()
    table["failed_jobs"] = table["jobs"] - by_point[JCT.name].count().to_numpy()
    seeds = seeds_by_point(jobs, [*keys, key], JCT)
    rows = []
    for point in table[keys].itertuples(index=False, name=None):
        over, under = (seeds.get((*point, value), {}) for value in pair)
        both = [seed for seed in over if under.get(seed)]
        samples = ({seed: one[seed] for seed in both} for one in (under, over))
        rows.append([*error_bars.ratio(*samples, spread), len(both)])
    names = [QUOTIENT.mean, QUOTIENT.low, QUOTIENT.high, "seeds"]
    found = pandas.DataFrame(rows, columns=names, index=table.index)
    return pandas.concat([table[keys], found, table[["jobs", "failed_jobs"]]], axis=1)


def is_over_loss(layout):
    """Whether the x axis is a loss probability."""
    return layout.has_curves and LOSS_KEY.fullmatch(layout.x.key) is not None


def has_iterations(jobs):
    """Whether a job has several iterations, so that its JCT differs from the time of an iteration."""
    return (jobs["iterations"] > 1).any()


def to_json(results, layout, points, spread):
    """The plotted numbers: one entry per point, with its swept keys by name."""
    return {
        "name": results.name,
        "spread": spread,
        "x": layout.x and layout.x.key,
        "lines": layout.lines and layout.lines.key,
        "baseline": layout.baseline,
        "points": records(points),
    }


def records(table):
    """The rows for JSON: NaN becomes null, since JSON has no NaN."""
    return table.astype(object).where(table.notna(), None).to_dict("records")

# SPDX-License-Identifier: BSD-3-Clause
"""The ratio of two means over seeds with its 95 % interval, the verdict about a margin, and the
number of seeds that a verdict needs.

If the whole interval is within the margin the means are equivalent (two one-sided tests, each at
2.5 %). If it is outside they differ. Otherwise there are too few seeds.
"""

import bisect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analysis.estimates import mean, t_975, variance

Z_999 = 3.291  # two-sided quantile of the normal distribution
MOST_SEEDS = 1000  # maximum to recommend


@dataclass(frozen=True)
class Ratio:
    """The ratio of two means, None if the second is 0. With at least two seeds of each it has an
    interval. Half of it is Student's t, with `freedom` degrees for each seed except the first,
    times the square root of `variance` over the number of seeds."""

    value: float | None
    half: float | None = None
    variance: float = 0.0
    freedom: float = 1.0

    @property
    def low(self) -> float | None:
        """At least 0, since times are not negative."""
        return None if self.half is None else max(0.0, self.value - self.half)

    @property
    def high(self) -> float | None:
        return None if self.half is None else self.value + self.half

    def is_within(self, margin: float) -> bool:
        return self.low is not None and 1 - margin <= self.low and self.high <= 1 + margin

    def is_outside(self, margin: float) -> bool:
        return self.low is not None and (self.high < 1 - margin or 1 + margin < self.low)

    def seeds_to_decide(self, margin: float) -> int | None:
        """Number of seeds of each for which the interval is on one side of the margin, if ratio and
        spread stay the same; None if above MOST_SEEDS."""
        distance = min(abs(self.value - 1 - margin), abs(self.value - 1 + margin))

        def half(seeds):
            t = t_975(self.freedom * (seeds - 1))
            return t * math.sqrt(self.variance / seeds)

        counts = range(2, MOST_SEEDS + 1)
        needed = bisect.bisect_left(counts, True, key=lambda seeds: half(seeds) < distance)
        return counts[needed] if needed < len(counts) else None


def ratio(before: Mapping[str, float], after: Mapping[str, float]) -> Ratio:
    """The ratio of the mean of `after` to that of `before`, {seed: value}.

    Runs of one seed draw the same times. If common_seeds() has two or more seeds, the ratio uses
    these and the interval their paired differences, which is much narrower if little has changed.
    """
    common = common_seeds(before, after)
    is_paired = len(common) >= 2
    if is_paired:
        before, after = ({seed: one[seed] for seed in common} for one in (before, after))
    base = mean(before.values())
    if base == 0:
        return Ratio(None)
    value = mean(after.values()) / base
    if min(len(before), len(after)) < 2:
        return Ratio(value)
    return paired(before, after, value) if is_paired else (
        unpaired(list(before.values()), list(after.values()), value)
    )


def common_seeds(before: Iterable[str], after: Iterable[str]) -> set[str]:
    """The seeds that both have; none if they are less than half of either."""
    ours, theirs = set(before), set(after)
    common = ours & theirs
    return common if 2 * len(common) >= max(len(ours), len(theirs)) else set()


def paired(before: Mapping[str, float], after: Mapping[str, float], value: float) -> Ratio:
    """Paired ratio: interval from the residuals of the ratio estimator."""
    residuals = [after[seed] - value * before[seed] for seed in before]
    spread = variance(residuals) / mean(before.values()) ** 2
    half = t_975(len(residuals) - 1) * math.sqrt(spread / len(residuals))
    return Ratio(value, half, spread)


def unpaired(before: list[float], after: list[float], value: float) -> Ratio:
    """Unpaired ratio: Welch's interval, to the first order in the relative errors."""
    spreads = [
        variance(sample) * scale**2 / mean(before) ** 2
        for sample, scale in ((before, value), (after, 1.0))
    ]
    total = math.fsum(spreads)
    if total == 0:
        return Ratio(value, 0.0)
    errors = [spread / len(sample) for spread, sample in zip(spreads, (before, after))]
    freedom = math.fsum(errors) ** 2 / math.fsum(
        error**2 / (len(sample) - 1) for error, sample in zip(errors, (before, after))
    )
    half = t_975(freedom) * math.sqrt(math.fsum(errors))
    return Ratio(value, half, total, total**2 / math.fsum(spread**2 for spread in spreads))


def seeds_needed(values: Iterable[float], margin: float) -> int | None:
    """Number of seeds that each of two samples like this one needs, so that 999 of 1000 unchanged
    pairs are found equivalent, and as many pairs found to differ if one is slower by twice the
    margin. None if above MOST_SEEDS."""
    values = list(values)
    if not any(values):
        return 2
    spread = math.sqrt(variance(values)) / mean(values)
    for seeds in range(2, MOST_SEEDS + 1):
        if (t_975(2 * seeds - 2) + Z_999) * spread * math.sqrt(2 / seeds) <= margin:
            return seeds
    return None

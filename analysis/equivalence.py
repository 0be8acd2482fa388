# SPDX-License-Identifier: BSD-3-Clause
"""The ratio of two means over seeds with its 95 % interval, what that says of a margin, and how
many seeds such a verdict takes.

If the whole interval is within the margin the means are equivalent (two one-sided tests, each at
2.5 %), if it is outside they differ, and else there are too few seeds to tell.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analysis import verdicts

Z_999 = 3.291  # of the normal distribution, both sides
MOST_SEEDS = 1000  # that anybody is told to run


@dataclass(frozen=True)
class Ratio:
    """Of one mean over another, None if that is 0, and the ends of its interval, which need two
    seeds of each."""

    value: float | None
    low: float | None
    high: float | None

    def is_within(self, margin: float) -> bool:
        return self.low is not None and 1 - margin <= self.low and self.high <= 1 + margin

    def is_outside(self, margin: float) -> bool:
        return self.low is not None and (self.high < 1 - margin or 1 + margin < self.low)

    def seeds_to_decide(self, margin: float, seeds: int) -> int | None:
        """How many seeds of each would give an interval on one side of the margin, if ratio and
        spread stay what they are with `seeds`; None if that is more than MOST_SEEDS."""
        if self.low is None:
            return 2
        distance = min(abs(self.value - 1 - margin), abs(self.value - 1 + margin))
        if distance == 0:
            return None
        needed = math.ceil(seeds * ((self.value - self.low) / distance) ** 2)
        return needed if needed <= MOST_SEEDS else None


def ratio(before: Mapping[str, float], after: Mapping[str, float]) -> Ratio:
    """Of the mean of `after` over that of `before`, {seed: value}.

    Runs of one seed draw the same times. If both have half of the seeds or more in common, the ratio
    is that of these, and its interval that of the differences seed by seed, which is much narrower
    where little has changed.
    """
    common = before.keys() & after.keys()
    is_paired = len(common) >= max(2, max(len(before), len(after)) / 2)
    if is_paired:
        before, after = ({seed: one[seed] for seed in common} for one in (before, after))
    base = mean(before.values())
    if base == 0:
        return Ratio(None, None, None)
    value = mean(after.values()) / base
    if min(len(before), len(after)) < 2:
        return Ratio(value, None, None)
    half = paired_half(before, after, value) if is_paired else (
        unpaired_half(before.values(), after.values(), value)
    )
    return Ratio(value, value - half, value + half)


def paired_half(before: Mapping[str, float], after: Mapping[str, float], value: float) -> float:
    """Half of the interval, by the residuals of the ratio's estimator."""
    residuals = [after[seed] - value * before[seed] for seed in before]
    error = math.sqrt(variance(residuals) / len(residuals)) / mean(before.values())
    return verdicts.t_975(len(residuals) - 1) * error


def unpaired_half(before: Iterable[float], after: Iterable[float], value: float) -> float:
    """Half of Welch's interval, to the first order in the relative errors."""
    samples = [list(before), list(after)]
    parts = [
        variance(sample) / len(sample) * scale**2 for sample, scale in zip(samples, (value, 1.0))
    ]
    total = math.fsum(parts)
    if total == 0:
        return 0.0
    freedom = total**2 / math.fsum(
        part**2 / (len(sample) - 1) for part, sample in zip(parts, samples)
    )
    return verdicts.t_975(freedom) * math.sqrt(total) / mean(samples[0])


def seeds_needed(values: Iterable[float], margin: float) -> int | None:
    """How many seeds each of two samples like this one needs, so that they are found equivalent in
    999 of 1000 cases if nothing changed, and to differ as often if one is slower by twice the
    margin; None if that takes more than MOST_SEEDS."""
    values = list(values)
    if not any(values):
        return 2
    spread = math.sqrt(variance(values)) / mean(values)
    for seeds in range(2, MOST_SEEDS + 1):
        if (verdicts.t_975(2 * seeds - 2) + Z_999) * spread * math.sqrt(2 / seeds) <= margin:
            return seeds
    return None


def mean(values: Iterable[float]) -> float:
    values = list(values)
    return math.fsum(values) / len(values)


def variance(values: Iterable[float]) -> float:
    values = list(values)
    centre = mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)

# SPDX-License-Identifier: BSD-3-Clause
"""Error bars of values over several seeds: the 95 % interval of their mean, or their range."""

from collections.abc import Iterable, Mapping

from analysis import equivalence, estimates

INTERVAL, RANGE = SPREADS = ("interval", "range")
NAMES = {INTERVAL: "95 % intervals over", RANGE: "smallest and largest of"}  # N seeds
NONE = (float("nan"), float("nan"))


def ends(values: Iterable[float], spread: str) -> tuple[float, float]:
    """(low, high); NaN for fewer than two values."""
    values = list(values)
    if len(values) < 2:
        return NONE
    if spread == RANGE:
        return min(values), max(values)
    found = estimates.estimate(values)
    return found.low, found.high


def ratio(
    before: Mapping[str, float], after: Mapping[str, float], spread: str
) -> tuple[float, float, float]:
    """The ratio of the mean of `after` to that of `before`, {seed: value}, and its (low, high),
    which are NaN for fewer than two seeds. The range covers the seeds that both have."""
    found = equivalence.ratio(before, after) if before and after else None
    if found is None or found.value is None:
        return (float("nan"), *NONE)
    if spread == RANGE:
        both = [seed for seed in before if seed in after and before[seed] != 0]
        return (found.value, *ends([after[seed] / before[seed] for seed in both], RANGE))
    return (found.value, *(NONE if found.low is None else (found.low, found.high)))

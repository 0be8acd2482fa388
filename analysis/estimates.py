# SPDX-License-Identifier: BSD-3-Clause
"""Means over seeds with their 95 % intervals (Student's t)."""

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds and half the width of its 95 % interval, None for one seed."""

    mean: float
    half_width: float | None
    seeds: int

    @property
    def low(self) -> float:
        return self.mean - (self.half_width or 0)

    @property
    def high(self) -> float:
        return self.mean + (self.half_width or 0)


def estimate(values: Iterable[float]) -> Estimate:
    """The Estimate of values by seed."""
    values = list(values)
    count = len(values)
    if count == 1:
        return Estimate(mean(values), None, 1)
    return Estimate(mean(values), t_975(count - 1) * math.sqrt(variance(values) / count), count)


@functools.cache
def t_975(freedom: float) -> float:
    """Student's t for a 95 % interval, by degrees of freedom, which need not be integers."""
    from scipy.special import stdtrit  # slow to import, and most commands have no intervals

    return float(stdtrit(freedom, 0.975))


def mean(values: Iterable[float]) -> float:
    values = list(values)
    return math.fsum(values) / len(values)


def variance(values: Iterable[float]) -> float:
    values = list(values)
    centre = mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)

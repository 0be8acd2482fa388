# SPDX-License-Identifier: BSD-3-Clause
"""Screening by elementary effects (Morris, Technometrics 33(2), 1991), with the mean of their
absolute values (Campolongo, Cariboni and Saltelli, Environmental Modelling & Software 22(10),
2007).

A trajectory changes each factor once, in random order, from one of LEVELS levels of [0, 1] to the
level half of LEVELS away: by p / (2 (p - 1)) for p levels, as Morris recommends.
"""

import math
import random
from dataclasses import dataclass

from analysis import estimates

LEVELS = 4
STEP = LEVELS // 2  # in levels
DELTA = STEP / (LEVELS - 1)


@dataclass(frozen=True)
class Step:
    """A step between two points of a trajectory: {factor: level} before and after."""

    factor: str
    before: dict
    after: dict

    @property
    def sign(self):
        return 1 if self.after[self.factor] > self.before[self.factor] else -1


@dataclass(frozen=True)
class Effects:
    """The elementary effects of a factor, per unit of its range from one end to the other."""

    mean: float  # mu
    mean_absolute: float  # mu*: the importance of the factor
    deviation: float | None  # sigma: dependence on other factors or nonlinearity; None for a single effect
    count: int


def trajectories(factors, count, seed):
    """[[Step, ...], ...], determined by the seed."""
    chance = random.Random(seed)
    return [trajectory(list(factors), chance) for _ in range(count)]


def trajectory(factors, chance):
    point = {factor: chance.randrange(LEVELS) for factor in factors}
    steps = []
    for factor in chance.sample(factors, len(factors)):
        move = STEP if point[factor] < STEP else -STEP
        after = point | {factor: point[factor] + move}
        steps.append(Step(factor, point, after))
        point = after
    return steps


def points(steps):
    """The points of a trajectory, one more than its steps."""
    return [steps[0].before, *(step.after for step in steps)] if steps else []


def effects(all_steps, output):
    """{factor: Effects}. Steps at points where `output(point)` is None are left out."""
    found = {}
    for step in all_steps:
        before, after = output(step.before), output(step.after)
        if before is not None and after is not None:
            found.setdefault(step.factor, []).append(step.sign * (after - before) / DELTA)
    return {factor: summary(values) for factor, values in found.items()}


def summary(values):
    deviation = math.sqrt(estimates.variance(values)) if len(values) > 1 else None
    return Effects(estimates.mean(values), estimates.mean(map(abs, values)), deviation, len(values))

# SPDX-License-Identifier: BSD-3-Clause
"""Effects of settings on the JCT of each variant, and on the ratios between variants."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from analysis import curves, error_bars, estimates
from analysis.kinds import style
from analysis.results import SYSTEM, VARIANT
from analysis.sensitivity import morris
from analysis.sensitivity.ranges import text_of
from analysis.sensitivity.settings import AT_POINT, point_key

MOST_TURNS = 3


@dataclass(frozen=True)
class Found:
    """A mean over seeds with its 95 % interval, which is NaN for one seed."""

    value: float
    low: float
    high: float

    def side(self, of):
        """1 or -1 if the whole interval is above or below a number, otherwise 0."""
        low, high = (self.value, self.value) if math.isnan(self.low) else (self.low, self.high)
        return (low > of) - (high < of)


@dataclass(frozen=True)
class Subject:
    """A variant (or system), or the ratio of the JCTs of two."""

    over: str
    under: str = ""

    @property
    def name(self):
        return f"{self.over} / {self.under}" if self.under else self.over

    def found(self, jcts):
        """The Found of {variant: {seed: JCT in ms}}; None if no job finished."""
        own = jcts.get(self.over, {})
        if self.under:
            value = Found(*error_bars.ratio(jcts.get(self.under, {}), own, error_bars.INTERVAL))
            return None if math.isnan(value.value) else value
        if not own:
            return None
        return Found(estimates.mean(own.values()), *error_bars.ends(own.values(), error_bars.INTERVAL))


@dataclass(frozen=True)
class Row:
    """A key and a subject. With more than two alternatives, `low` and `high` are those with the
    smallest and the largest result. `elasticity`: that of the result, if both ends are positive
    numbers; otherwise None."""

    key: str
    subject: Subject
    low: str
    high: str
    point: Found
    at_low: float
    at_high: float
    elasticity: float | None

    @property
    def at_point(self):
        return self.point.value

    @property
    def change(self):
        """The change from one end to the other, relative to the result at the point."""
        return (self.at_high - self.at_low) / self.at_point if self.at_point else 0.0

    @property
    def span(self):
        """The largest change of the result by either end, as a logarithm."""
        values = [self.at_point, self.at_low, self.at_high]
        return math.log(max(values) / min(values)) if min(values) > 0 else math.inf


@dataclass(frozen=True)
class Turn:
    """A key that reverses the order of two variants: at one value `first` is faster, at another
    `second`. The factors, at least 1, state by how much."""

    key: str
    first: str
    second: str
    first_at: str
    second_at: str
    first_factor: float
    second_factor: float

    @property
    def strength(self):
        return min(self.first_factor, self.second_factor)

    @property
    def text(self):
        return (
            f"{self.first} is faster than {self.second} with {self.key} = {self.first_at} "
            f"({self.first_factor:.2f} times), slower with {self.second_at} ({self.second_factor:.2f} times)"
        )


class Outcomes:
    """The JCTs of settings, {name of a setting: {variant: {seed: ms}}}."""

    def __init__(self, jcts: Mapping, subjects):
        self.jcts, self.subjects = jcts, subjects

    def at(self, setting, subject):
        return subject.found(self.jcts.get(setting.name, {}))

    def rows(self, changes):
        """[Row] for each subject and key with results."""
        found = (self.row(change, subject) for subject in self.subjects for change in changes)
        return [row for row in found if row is not None]

    def row(self, change, subject):
        at_point = self.at(AT_POINT, subject)
        values = [self.at(setting, subject) for setting in change.settings]
        if at_point is None or None in values:
            return None
        pairs = list(zip(change.range.values, (one.value for one in values)))
        if len(pairs) > 2:
            first, *_, last = sorted(pairs, key=lambda pair: pair[1])
            pairs = [first, last]
        (low, at_low), (high, at_high) = pairs
        elastic = elasticity(change.range.ends, at_low, at_high)
        return Row(change.range.key, subject, text_of(low), text_of(high), at_point, at_low, at_high, elastic)

    def turns(self, changes, own_text):
        """[Turn], at most MOST_TURNS, each of another key, the clearest first. `own_text(key)`: the
        value at the point. Each order is certain: it holds for the whole interval over seeds."""
        ratios = [subject for subject in self.subjects if subject.under]
        found = [
            self.turn(change, subject, own_text(change.range.key)) for change in changes for subject in ratios
        ]
        best = {}
        for turn in sorted(filter(None, found), key=lambda turn: -turn.strength):
            best.setdefault(turn.key, turn)
        return list(best.values())[:MOST_TURNS]

    def turn(self, change, subject, own):
        texts = [*map(text_of, change.range.values), own]
        found = [*(self.at(one, subject) for one in change.settings), self.at(AT_POINT, subject)]
        known = [(one, text) for one, text in zip(found, texts) if one is not None]
        below = [pair for pair in known if pair[0].side(1) < 0]
        above = [pair for pair in known if pair[0].side(1) > 0]
        if not below or not above:
            return None
        (least, first_at), (most, second_at) = (
            choose(pairs, key=lambda pair: pair[0].value) for choose, pairs in ((min, below), (max, above))
        )
        return Turn(
            change.range.key, subject.over, subject.under, first_at, second_at, 1 / least.value, most.value
        )

    def effects(self, screening):
        """[(Subject, {key: morris.Effects})]"""

        def output_of(subject):
            def output(point):
                found = self.at(screening.settings[point_key(point)], subject)
                return found and found.value

            return output

        return [(one, morris.effects(screening.steps, output_of(one))) for one in self.subjects]


def elasticity(ends, at_low, at_high):
    """d ln(result) / d ln(key) between the ends of a range."""
    if ends is None or min(*ends, at_low, at_high) <= 0:
        return None
    return math.log(at_high / at_low) / math.log(ends[1] / ends[0])


def subjects_of(names, baseline):
    """Each variant, and its ratio to the baseline; without a baseline, all ratios."""
    names = list(names)
    if baseline in names:
        pairs = [(name, baseline) for name in names if name != baseline]
    else:
        pairs = [(over, under) for under, over in itertools.combinations(names, 2)]
    return [*(Subject(*pair) for pair in pairs), *map(Subject, names)]


def jcts_of(read):
    """{variant, or without variants the label of a system: {seed: mean JCT in ms over finished jobs}}"""
    jobs = curves.measured(read.jobs())
    if VARIANT not in jobs.columns:
        jobs = jobs.assign(**{VARIANT: jobs[SYSTEM].map(style.SYSTEM_NAMES)})
    return {name: seeds for (name,), seeds in curves.seeds_by_point(jobs, [VARIANT], curves.JCT).items()}


def baseline_of(read):
    """The baseline of results, by the same names; None if there is none."""
    baseline = (read.manifest.get("baseline") or {}).get("value")
    return baseline if any(axis.key == VARIANT for axis in read.axes) else style.SYSTEM_NAMES.get(baseline)

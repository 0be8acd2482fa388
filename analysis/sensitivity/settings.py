# SPDX-License-Identifier: BSD-3-Clause
"""Settings to run: the point of a scenario, each key at its values, and the points of the screening."""

import hashlib
import json
import re
from dataclasses import dataclass, field

from analysis import quantities
from analysis.sensitivity import morris
from analysis.sensitivity.ranges import Range, text_of

POINT = "point"
NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
HASH_DIGITS = 12


@dataclass(frozen=True)
class Setting:
    """Values of keys for a run; `name` is the name of its result folder."""

    name: str
    values: dict = field(hash=False)

    @property
    def options(self):
        """Options for the simulator."""
        given = [f"{key}={text_of(value)}" for key, value in self.values.items()]
        return [word for one in [*given, f"/name={self.name}"] for word in ("--set", one)]


AT_POINT = Setting(POINT, {})


@dataclass(frozen=True)
class Change:
    """A key and the setting of each of its values, in the order of the range."""

    range: Range
    settings: tuple[Setting, ...]


@dataclass(frozen=True)
class Screening:
    """The points of the screening. `settings`: by point_key()."""

    steps: tuple[morris.Step, ...]
    settings: dict


def change_of(one, scenario):
    """The Change of a Range. The value that the scenario has already is its point."""
    own = scenario.value(one.key)
    return Change(one, tuple(
        AT_POINT if is_same(value, own) and not one.also else setting_of(one, value) for value in one.values
    ))  # fmt: skip


def setting_of(one, value):
    words = f"{one.key.strip('/')}-{text_of(value)}"
    return Setting(NOT_IN_NAMES.sub("-", words).strip("-."), one.settings(value))


def is_same(one, other):
    """Whether two values are equal, possibly in different units: 1ms, 1000us."""
    if other is None or isinstance(one, bool) or isinstance(other, (bool, dict, list)):
        return one is other
    numbers = quantities.common_scale([text_of(one), text_of(other)])[0]
    return one == other if numbers is None else numbers[0] == numbers[1]


def screening_of(ranges, trajectories, seed):
    """`ranges`: {key: Range}."""
    found = morris.trajectories(ranges, trajectories, seed)
    points = [point for steps in found for point in morris.points(steps)]
    settings = {point_key(point): screening_setting(point, ranges) for point in points}
    return Screening(tuple(step for steps in found for step in steps), settings)


def point_key(point):
    return tuple(sorted(point.items()))


def screening_setting(point, ranges):
    values = {}
    for key, level in sorted(point.items()):
        values |= ranges[key].settings(ranges[key].level(level, morris.LEVELS))
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
    return Setting(f"morris-{digest[:HASH_DIGITS]}", values)

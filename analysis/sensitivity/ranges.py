# SPDX-License-Identifier: BSD-3-Clause
"""Ranges of keys: the defaults in ranges.json, and those that the user gives as KEY=LOW..HIGH."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

from analysis import quantities, scenario_keys
from analysis.results import AnalysisError

FILE = Path(__file__).with_name("ranges.json")
SIGN = ".."  # between the ends of a range
GIVEN = "Given on the command line"
LOGARITHMIC_FROM = 10  # quotient of the ends above which levels are spaced logarithmically

# How a value between the ends is written, by the dimension of the ends: the unit, and the number of
# such units in the base unit of `quantities`.
WHOLE = {"time": ("ps", 1e12), "rate": ("bps", 1.0), "bytes": ("B", 1.0)}


@dataclass(frozen=True)
class Range:
    """A key with its possible values: the two ends of a numeric range, or alternatives."""

    key: str
    values: tuple  # in the notation of scenarios: the ends, or the alternatives
    source: str
    also: tuple[str, ...] = ()  # keys that get the same value

    @property
    def ends(self):
        """The values as numbers in one unit; None for alternatives."""
        if len(self.values) != 2 or any(isinstance(value, bool) for value in self.values):
            return None
        return quantities.common_scale([text_of(value) for value in self.values])[0]

    def settings(self, value):
        """{key: value} of all keys that get the value."""
        return {self.key: value} | dict.fromkeys(self.also, value)

    def level(self, index, levels):
        """The value at one of `levels` equally spaced levels, from 0. The first is the lower end,
        the last the upper one. Alternatives cover about equally many levels each."""
        if self.ends is None:
            return self.values[index * len(self.values) // levels]
        if index in (0, levels - 1):
            return self.values[0 if index == 0 else 1]
        low, high = self.ends
        share = index / (levels - 1)
        if low > 0 and high / low >= LOGARITHMIC_FROM:
            return written(math.exp(math.log(low) + share * math.log(high / low)), self.values)
        return written(low + share * (high - low), self.values)


def written(number, ends):
    """A number in the notation of scenarios, in the common unit of the range's ends."""
    texts = [text_of(end) for end in ends]
    unit = quantities.common_scale(texts)[1]
    dimension, size = quantities.UNITS[unit]
    if dimension in WHOLE:
        name, per_base = WHOLE[dimension]
        return f"{round(number * size * per_base)}{name}"
    return round(number) if all(isinstance(end, int) for end in ends) else number


def text_of(value):
    """A value in the notation of --set."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def table():
    """{key: Range} of ranges.json."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return {row["key"]: range_of(row) for row in rows}


def range_of(row):
    values = row["values"] if "values" in row else [row["low"], row["high"]]
    return Range(row["key"], tuple(values), row["source"], tuple(row.get("also", ())))


def chosen(texts):
    """{key: Range} for the option --keys, a comma-separated list of KEY or KEY=LOW..HIGH; the whole
    table if it is empty."""
    known = table()
    words = [word for text in texts for word in text.split(",")]
    found = [given(word) if "=" in word else of_table(word, known) for word in words]
    return {one.key: one for one in found} if words else known


def of_table(key, known):
    if key in known:
        return known[key]
    if not scenario_keys.is_key(key):
        raise AnalysisError(f'--keys: found "{key}"; allowed: a key of scenarios, such as {next(iter(known))}')
    raise AnalysisError(
        f"--keys: {key} has no range; allowed: {key}=LOW{SIGN}HIGH, or a key of {FILE.name}: {', '.join(known)}"
    )


def given(word):
    key, _, text = word.partition("=")
    if not scenario_keys.is_key(key):
        raise AnalysisError(f'--keys: found "{key}"; allowed: a key of scenarios, as KEY=LOW{SIGN}HIGH')
    ends = text.split(SIGN)
    if len(ends) != 2 or not all(ends) or ends[0] == ends[1]:
        raise AnalysisError(f'--keys: {key}: found "{text}"; allowed: two values, LOW{SIGN}HIGH')
    return Range(key, tuple(map(value_of, ends)), GIVEN)


def value_of(text):
    """The value that --set reads from a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text

# SPDX-License-Identifier: BSD-3-Clause
"""Findings of `ina sensitivity` as data: for its page, its tables and sensitivity.json."""

import csv
import io
from dataclasses import asdict, dataclass

from analysis.sensitivity import morris
from analysis.sensitivity.noted import NO_TURN
from analysis.sensitivity.outcomes import Outcomes, Turn
from analysis.sensitivity.ranges import text_of

DIGITS = 9  # significant digits of numbers in tables


@dataclass(frozen=True)
class Findings:
    name: str  # of the experiment
    given: dict  # the command's input: file, set, seeds
    build: dict
    changes: tuple  # settings.Change
    skipped: dict  # {key: reason}
    failed: tuple[str, ...]  # names of settings
    seed: int  # of the screening
    trajectories: int
    rows: tuple  # outcomes.Row
    turns: tuple[Turn, ...]
    effects: tuple  # (Subject, {key: morris.Effects})

    def to_json(self):
        return {
            "name": self.name, **self.given, "build": self.build,
            "ranges": [
                {"key": one.range.key, "values": list(one.range.values), "also": list(one.range.also),
                 "source": one.range.source, "folders": [setting.name for setting in one.settings]}
                for one in self.changes
            ],
            "skipped": [{"key": key, "why": why} for key, why in self.skipped.items()],
            "failed": list(self.failed),
            "turns": [asdict(turn) | {"text": turn.text} for turn in self.turns],
            "elasticities": [row_of(row) for row in self.rows],
            "morris": {
                "levels": morris.LEVELS, "seed": self.seed, "trajectories": self.trajectories,
                "effects": effect_rows(self.effects),
            },
        }  # fmt: skip

    def tables(self):
        """{file: bytes}"""
        return {
            "elasticities.csv": csv_of(map(row_of, self.rows)),
            "morris.csv": csv_of(effect_rows(self.effects)),
        }


def of(name, given, build, changes, skipped, failed, screening, jcts, subjects, own_text):
    """`screening`: (settings.Screening, seed, trajectories). `own_text(key)`: the value at the point."""
    outcomes = Outcomes(jcts, subjects)
    points, seed, trajectories = screening
    return Findings(
        name, given, build, tuple(changes), skipped, tuple(failed), seed, trajectories,
        tuple(outcomes.rows(changes)), tuple(outcomes.turns(changes, own_text)), tuple(outcomes.effects(points)),
    )  # fmt: skip


def row_of(row):
    return {
        "key": row.key, "of": row.subject.name, "unit": unit_of(row.subject), "low": row.low, "high": row.high,
        "at_point": row.at_point, "at_low": row.at_low, "at_high": row.at_high,
        "relative_change": row.change, "elasticity": row.elasticity,
    }  # fmt: skip


def effect_rows(effects):
    return [
        {"key": key, "of": subject.name, "unit": unit_of(subject), "mu_star": one.mean_absolute, "mu": one.mean,
         "sigma": one.deviation, "effects": one.count}
        for subject, by_key in effects
        for key, one in sorted(by_key.items(), key=lambda item: -item[1].mean_absolute)
    ]  # fmt: skip


def unit_of(subject):
    return "" if subject.under else "ms"


def csv_of(rows):
    rows = list(rows)
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: cell_of(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def cell_of(value):
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else value


def texts_of(findings):
    return [f"{turn.text}." for turn in findings.turns] or [NO_TURN]


def values_text(one):
    """The values of a Range, for a table."""
    if one.ends is not None:
        return f"{text_of(one.values[0])} to {text_of(one.values[1])}"
    return ", ".join(map(text_of, one.values))

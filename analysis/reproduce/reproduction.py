# SPDX-License-Identifier: BSD-3-Clause
"""Compares published results with simulated ones: runs the scenarios, measures, and judges."""

import dataclasses
import functools
import shlex
import sys
from pathlib import Path, PurePosixPath

from analysis import decimals, estimates, results
from analysis.attendance import Attendance
from analysis.reproduce import measures, published, verdicts
from analysis.results import AnalysisError
from hw.commands.statuses import INTERRUPTIONS, WRONG_INPUT

ROOT = Path(__file__).resolve().parents[2]
ENDS_ALL = (WRONG_INPUT, *INTERRUPTIONS)  # wrong input, which the simulator has reported
OTHER_SETUP = "other set-up"  # verdict for runs with --set, since they are another experiment
VERDICTS = (*verdicts.VERDICTS, OTHER_SETUP)
DIGITS_OF_INTERVAL = 2
ROUNDING = 1e-12  # relative error of the mean of equal values
PLACES_OF_SHARES = 2  # of a per cent; a smaller share is nothing
LONGEST_SHORT = 10_000  # above this, %g would write an exponent
DEFAULT = "default"  # choice of the line with a row's own measure


@dataclasses.dataclass(frozen=True)
class Given:
    """Settings and seeds that the user gave for all scenarios."""

    settings: tuple[str, ...] = ()  # /KEY=VALUE of --set
    seeds: tuple[str, ...] = ()

    @property
    def options(self):
        given = [("--seeds", one) for one in self.seeds] + [("--set", one) for one in self.settings]
        return [word for pair in given for word in pair]


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of a published result with its outcome."""

    row: dict
    found: estimates.Estimate | None  # None: there is no value, or there are choices
    verdict: str  # of all lines
    why: str  # reason if there is no value
    is_certain: bool
    choices: tuple["Row", ...] = ()  # lines below; without them the row is its only line

    @property
    def choice(self):
        return self.row.get("choice", DEFAULT)

    @property
    def shown(self):
        """The parts of the row that have a value."""
        return [one for one in (self, *self.choices) if one.found is not None]


@dataclasses.dataclass(frozen=True)
class Judged:
    """A published result with the outcome of each row."""

    result: published.Result
    rows: tuple[Row, ...]


class Folders:
    """The result folders of scenarios of papers; tables are read once."""

    def __init__(self, out):
        self.out = Path(out)

    def path(self, scenario):
        return self.out / PurePosixPath(scenario).stem

    @functools.cache
    def results(self, scenario):
        folder = self.path(scenario)
        if not (folder / "manifest.json").exists():
            raise measures.NoValue(f"{scenario} has not been run to its end")
        return results.read(folder)

    @functools.cache
    def table(self, scenario, file):
        return self.results(scenario).table(file)


def scenarios_of(chosen):
    """Files below scenarios/papers, each once."""
    return list(dict.fromkeys(name for result in chosen for name in result.scenarios))


def run(program, out, scenarios, options):
    """Runs scenarios one after the other; finished runs are not repeated.

    Returns the simulator's status. A failure does not stop the other scenarios.
    """
    status = 0
    with Attendance() as attendance:
        for index, scenario in enumerate(scenarios):
            print(f"ina: reproduce: {index + 1} of {len(scenarios)}: {scenario}", file=sys.stderr)
            file = ROOT / published.SCENARIOS / scenario
            ended = attendance.run([program, "run", "--out", str(out), *options, str(file)])
            if ended in ENDS_ALL:
                return ended
            status = status or ended
    return status


def command_of(names, given):
    """The command line that makes the same page."""
    return shlex.join(["./ina", "reproduce", *names, *given.options])


def judge(result, folders, given=Given()):
    return Judged(result, tuple(judge_row(row, folders, given) for row in result.rows))


def judge_row(row, folders, given=Given()):
    """Judges a row by all of its lines: its own measure and the choices in it."""
    for key, verdict in (("cannot", verdicts.NOT_SIMULATED), ("missing", verdicts.NOT_RUN)):
        if key in row:
            return Row(row, None, verdict, row[key], True)
    if "readings" in row:
        return of_lines(row, choices_of(row, "readings", folders, given))
    judged = judge_measure(row, folders, given)
    others = choices_of(row, "also", folders, given)
    differing = [one for one in others if verdict_alone(one, given) != judged.verdict]
    if not differing:
        return judged
    default = dataclasses.replace(judged, row=published.default_of(row, DEFAULT))
    return of_lines(published.without_measure(row), (default, *differing))


def of_lines(row, lines):
    verdict = verdicts.of_lines([one.verdict for one in lines])
    return Row(row, None, verdict, "", all(one.is_certain for one in lines), tuple(lines))


def verdict_alone(line, given):
    """The verdict on a line, also on one that is contrary to what the paper states."""
    if line.found is None or given.settings:
        return line.verdict
    return verdicts.verdict(line.found, line.row)


def choices_of(row, key, folders, given):
    return tuple(
        judge_measure(published.of_choice(row, one), folders, given) for one in row.get(key, [])
    )


def judge_measure(row, folders, given):
    try:
        values = measures.values(row["measure"], folders.table, row.get("in"))
    except measures.NoValue as error:
        return Row(row, None, verdicts.NOT_RUN, str(error), True)
    found = estimates.estimate(values.values())
    if given.settings:
        return Row(row, found, OTHER_SETUP, "", True)
    if "contrary" in row:
        return Row(row, found, verdicts.COMPARED, "", True)
    return Row(row, found, verdicts.verdict(found, row), "", verdicts.is_certain(found, row))


def figure_name(result, figure):
    """File name of a figure of a result."""
    return f"{result.id}-{PurePosixPath(figure['in']).stem}"


def curves_of(chosen, folders, draw, given=Given()):
    """(name, pages) of each figure whose scenario has been run; `draw(results, figure)` draws it.

    A figure over a key that --set fixed is left out.
    """
    drawn = []
    for result in chosen:
        for figure in result.figures:
            try:
                pages = draw(folders.results(figure["in"]), figure)
            except measures.NoValue:
                continue
            except AnalysisError:
                if not given.settings:
                    raise
                continue
            drawn.append((figure_name(result, figure), pages))
    return drawn


def setups_of(result, folders):
    """{scenario: text about its manifest}, None without results."""
    setups = {}
    for scenario in result.scenarios:
        try:
            setups[scenario] = folders.results(scenario).manifest
        except measures.NoValue:
            setups[scenario] = None
    return setups


def scale_of(unit):
    """The scale of numbers: shares are shown in per cent."""
    return 100 if unit == "%" else 1


def number_text(value, unit):
    scaled = value * scale_of(unit)
    if unit == "%":
        scaled = round(scaled, PLACES_OF_SHARES)
    return f"{scaled:.4g}" if abs(scaled) < LONGEST_SHORT else f"{scaled:.0f}"


def with_unit(number, unit):
    if number is None:
        return ""
    low, high = verdicts.span(number)
    text = number_text(low, unit)
    return f"{text if low == high else f'{text} to {number_text(high, unit)}'} {unit}".strip()


def published_text(row):
    return row.get("stated") or with_unit(row.get("published"), row.get("unit", ""))


def reason_of(judged):
    """The reason for a missing value, or what decides the verdict."""
    row = judged.row
    parts = (judged.why, row.get("contrary"), tuned_text(row), row.get("reason"))
    return " ".join(filter(None, parts))


def tuned_text(row):
    """The setting that was chosen because it fits; a row names one that all of its choices share."""
    return row.get("tuned") if "choice" not in row or row.get("is_tuned_alone") else None


def estimate_text(found, unit):
    if found is None:
        return ""
    if found.half_width is None:
        return f"{number_text(found.mean, unit)} {unit}".strip()
    text = interval_text(found, unit)
    return f"{text} {unit} ({found.seeds} seeds)".replace("  ", " ")


def interval_text(found, unit):
    """The mean and half of its interval with the same number of decimals."""
    if found.half_width <= ROUNDING * abs(found.mean):
        return f"{number_text(found.mean, unit)} ± 0"
    mean, width = (number * scale_of(unit) for number in (found.mean, found.half_width))
    places = decimals.of_column([width], DIGITS_OF_INTERVAL)
    if mean != 0:
        places = min(places, decimals.of_column([abs(mean)]))
    if unit == "%":
        places = min(places, PLACES_OF_SHARES)
    return f"{mean:.{places}f} ± {width:.{places}f}"


def tally(judged):
    """The verdicts that occur, and for each result the number of rows with each."""
    found = [[row.verdict for row in one.rows] for one in judged]
    there = [name for name in VERDICTS if any(name in rows for rows in found)]
    return there, [[rows.count(name) for name in there] for rows in found]


def counted(judged):
    """The rows that count each published number once: without results that explore another one."""
    present = {one.result.id for one in judged}
    return [row for one in judged if one.result.explores not in present for row in one.rows]


def text_of(judged):
    """A line for each row, and for each choice in it."""
    cells = [
        (one.result.id, line.verdict, value_of(line), what_of(line))
        for one in judged
        for row in one.rows
        for line in (row, *row.choices)
    ]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join(
        f"{name:{widths[0]}}  {verdict:{widths[1]}}  {value:>{widths[2]}}  {what}"
        for name, verdict, value, what in cells
    )


def what_of(line):
    return f"- {line.choice}" if "choice" in line.row else line.row["what"]


def value_of(row):
    return "" if row.found is None else with_unit(row.found.mean, row.row.get("unit", ""))


def to_json(judged, given=Given()):
    """The numbers of the page."""
    return {
        "set": list(given.settings),
        "seeds": list(given.seeds),
        "results": [
            {
                "id": one.result.id,
                "title": one.result.title,
                "rows": [row_to_json(row) for row in one.rows],
            }
            for one in judged
        ]
    }


def row_to_json(row):
    kept = (
        "what", "unit", "published", "stated", "reads_as", "source", "bound", "bound_from", "tuned",
        "reason",
    )  # fmt: skip
    numbers = {key: row.row.get(key) for key in kept}
    return numbers | measured_to_json(row) | {"choices": [choice_to_json(one) for one in row.choices]}


def choice_to_json(row):
    kept = ("choice", "bound", "bound_from", "contrary", "reason")
    return {key: row.row.get(key) for key in kept} | measured_to_json(row)


def measured_to_json(row):
    found = row.found
    return {
        "simulated": found and found.mean,
        "half_width_95": found and found.half_width,
        "seeds": found.seeds if found else 0,
        "verdict": row.verdict,
        "why": row.why or None,
    }


def read_description(scenario):
    """The description in a scenario file, including that of the repository."""
    file = ROOT / published.SCENARIOS / scenario
    content = results.parse_json(results.read_bytes(file, "allowed: a scenario"), file)
    if not isinstance(content, dict) or "description" not in content:
        raise AnalysisError(f"{file}: no description; allowed: one in each scenario of a paper")
    return content["description"]

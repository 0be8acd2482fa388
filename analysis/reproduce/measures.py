# SPDX-License-Identifier: BSD-3-Clause
"""Measures of result folders, with which published numbers are compared: one value per seed.

A measure is a number, or an object with one of these, `COLUMN` being such as "jobs.jct_us", or an
expression of a table's columns such as "iterations.1 / (period_us - compute_us)":

    {"mean": COLUMN, "of": WHERE}    mean over the rows
    {"sum": COLUMN, "of": WHERE}     their sum
    {"median": COLUMN, "by": COUNT, "of": WHERE}
                                     the value that half of what the column COUNT counts lies below
    {"spread": COLUMN, "over": KEY, "of": WHERE}
                                     the largest of the means for the values of a swept key over the
                                     least, less 1
    {"ratio": [MEASURE, MEASURE]}    the first one divided by the second
    {"share_lost": [MEASURE, MEASURE]}
                                     1 less that ratio: the share of the speed that is lost, if they
                                     are the times without and with what costs it
    {"least": [MEASURE, MEASURE, ...]}
                                     the least of them

WHERE names the rows by a value for each of some columns ({"variant": "ATP", "/jobs/count": 8}); of
`link` by a pattern ("*>ps0"). `"in": FILE` names the scenario, where it is not that of the row. Rows
whose cell is empty, such as the JCT of a job that failed, are left out.
"""

from fnmatch import fnmatchcase

from analysis import results
from analysis.results import SEED, AnalysisError

COLUMNS = ("mean", "sum", "median", "spread")
PAIRS = ("ratio", "share_lost")
OF_MEASURES = (*PAIRS, "least")
PATTERNS = ("link",)
VALUE = "measured value"


class NoValue(Exception):
    """The reason why a measure has no value in these results."""


def scenarios_of(measure, default):
    """The scenarios whose results a measure reads."""
    if isinstance(measure, (int, float)):
        return []
    for kind in OF_MEASURES:
        if kind in measure:
            return [name for part in measure[kind] for name in scenarios_of(part, default)]
    return [measure.get("in", default)]


def check(measure, pointer):
    """Rejects anything that is not a measure; `pointer`: its position."""
    if isinstance(measure, (int, float)) and not isinstance(measure, bool):
        return
    kinds = [*COLUMNS, *OF_MEASURES]
    kind = [key for key in kinds if isinstance(measure, dict) and key in measure]
    if len(kind) != 1:
        raise AnalysisError(f"{pointer}: no measure; allowed: a number, or one of {', '.join(kinds)}")
    content = measure[kind[0]]
    if kind[0] in OF_MEASURES:
        if not isinstance(content, list) or not content:
            raise AnalysisError(f"{pointer}/{kind[0]}: allowed: a list of measures")
        if kind[0] in PAIRS and len(content) != 2:
            raise AnalysisError(f"{pointer}/{kind[0]}: allowed: two measures")
        for index, part in enumerate(content):
            check(part, f"{pointer}/{kind[0]}/{index}")
        return
    table, _, column = content.partition(".") if isinstance(content, str) else ("", "", "")
    if f"{table}.csv" not in results.ROWS_OF or not column:
        raise AnalysisError(f'{pointer}/{kind[0]}: allowed: TABLE.COLUMN such as "jobs.jct_us"')
    if kind[0] == "spread" and not isinstance(measure.get("over"), str):
        raise AnalysisError(f"{pointer}/over: allowed: a swept key")
    if kind[0] == "median" and not isinstance(measure.get("by"), str):
        raise AnalysisError(f"{pointer}/by: allowed: a column that counts")


def values(measure, tables, default):
    """{seed: value}; `tables(scenario, file)` returns a table. Raises NoValue."""
    if isinstance(measure, (int, float)):
        return measure
    for kind, combine in COMBINED.items():
        if kind in measure:
            return combined([values(part, tables, default) for part in measure[kind]], combine)
    kind = next(key for key in COLUMNS if key in measure)
    file, _, column = measure[kind].partition(".")
    rows = selected(tables(measure.get("in", default), f"{file}.csv"), measure.get("of", {}), column)
    if kind == "spread":
        means = rows.groupby([SEED, measure["over"]])[VALUE].mean().groupby(SEED)
        return (means.max() / means.min() - 1).to_dict()
    if kind == "median":
        return {seed: median(of_seed, measure["by"]) for seed, of_seed in rows.groupby(SEED)}
    return rows.groupby(SEED)[VALUE].agg(kind).to_dict()


def median(rows, count):
    if count not in rows.columns:
        raise NoValue(f"its results have no {count}")
    rows = rows.sort_values(VALUE)
    below = rows[count].cumsum()
    return float(rows[VALUE][below >= below.iloc[-1] / 2].iloc[0])


def ratio(a, b):
    if b == 0:
        raise NoValue("it divides by 0")
    return a / b


COMBINED = {
    "ratio": ratio,
    "share_lost": lambda a, b: 1 - ratio(a, b),
    "least": lambda *parts: min(parts),
}


def combined(parts, combine):
    """Combines values of the seeds that all measures have; a number counts for every seed."""
    seeds = [set(part) for part in parts if isinstance(part, dict)]
    if not seeds:
        return combine(*parts)
    common = set.intersection(*seeds)
    if not common:
        raise NoValue("its results have no seed in common")
    return {
        seed: combine(*(part[seed] if isinstance(part, dict) else part for part in parts))
        for seed in sorted(common)
    }


def selected(table, where, column):
    for key, value in where.items():
        if key not in table.columns:
            raise NoValue(f"its results have no {key}")
        cells = table[key].astype(str)
        text = results.text_of(value)
        found = cells.map(lambda cell: fnmatchcase(cell, text)) if key in PATTERNS else cells == text
        table = table[found]
    table = table.assign(**{VALUE: evaluated(table, column)}).dropna(subset=[VALUE])
    if table.empty:
        wanted = ", ".join(f"{key} {results.text_of(value)}" for key, value in where.items())
        raise NoValue(f"its results have no {column} of {wanted or 'any run'}")
    return table


def evaluated(table, column):
    if column in table.columns:
        return table[column]
    try:
        return table.eval(column, engine="python")
    except (AttributeError, NameError, SyntaxError, TypeError, ValueError) as error:
        raise NoValue(f"its results have no column {column}: {error}") from error

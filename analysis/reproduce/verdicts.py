# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on a mean with its interval over seeds, compared with a published statement.

A number is reproduced only if the paper prints one. Words ("matches", "faster in all cases") and
orders have verdicts of their own, and so has a setting that was chosen because it fits.
"""

import math

REPRODUCED = "reproduced"  # a printed number
AS_STATED = "as stated"  # words or an order, no number
TUNED = "tuned"  # one of these, or a trend, with a setting chosen for it
DEPENDS = "depends on a choice"  # some lines of a row confirm the paper, others do not
TREND = "trend only"
CONTRADICTS = "bound contradicts"  # arithmetic agrees with the simulator but not with the paper
NOT_REPRODUCED = "not reproduced"
UNDECIDED = "undecided"  # an order, and the interval includes both sides
NOT_AS_STATED = "not as stated"
AGREES = "bound agrees"  # no conflicting publication
BOUND_MISSED = "bound missed"  # nothing published, and arithmetic gives another number
COMPARED = "for comparison"  # nothing published, or contrary to what the paper states
NOT_RUN = "not run"
NOT_SIMULATED = "not simulated"  # beyond a simulator
VERDICTS = (
    REPRODUCED, AS_STATED, TUNED, DEPENDS, TREND, CONTRADICTS, NOT_REPRODUCED, UNDECIDED, NOT_AS_STATED,
    AGREES, BOUND_MISSED, COMPARED, NOT_RUN, NOT_SIMULATED,
)  # fmt: skip
CONFIRMS = (REPRODUCED, AS_STATED)

KINDS = ("within", "points", "factor", "at_least", "at_most", "above")
OF_A_NUMBER = KINDS[:3]
NO_GAIN = 0.001  # share of a limit by which an interval must exceed it to leave an order open


def verdict(found, row):
    """The verdict on the Estimate of a row."""
    return verdict_at(found, found.mean, row)


def verdict_at(found, value, row):
    """The verdict if the mean were `value`."""
    if "accept" not in row:
        return COMPARED
    reached = untuned(found, value, row)
    return TUNED if "tuned" in row and reached in (*CONFIRMS, TREND) else reached


def untuned(found, value, row):
    if not holds(row["accept"], found, value, row):
        if "trend" in row and holds(row["trend"], found, value, row):
            return TREND
        return missed(found, row)
    if row["accept"].get("of") == "bound":
        paper = demand_of_paper(row)
        if paper is None:
            return AGREES
        if not holds(paper, found, value, row):
            return CONTRADICTS
    return REPRODUCED if has_number(row) else AS_STATED


def missed(found, row):
    if has_number(row):
        return NOT_REPRODUCED
    if is_open(found, row["accept"]):
        return UNDECIDED
    is_of_bound = row["accept"].get("of") == "bound"
    return BOUND_MISSED if is_of_bound and demand_of_paper(row) is None else NOT_AS_STATED


def is_open(found, demand):
    """Whether the interval includes both sides of the limit of an order."""
    if "above" not in demand:
        return False
    limit = demand["above"]
    return found.low <= limit and found.high > limit + NO_GAIN * abs(limit)


def has_number(row):
    """Whether the paper prints the number."""
    return row.get("published") is not None


def demand_of_paper(row):
    """The demand that a value near the bound must meet for the paper to agree; None: nothing was published."""
    if "agrees" in row:
        return row["agrees"]
    for key in ("published", "reads_as"):
        if row.get(key) is not None:
            return row["accept"] | {"of": key}
    return None


def of_lines(verdicts):
    """The verdict on a row whose lines have these verdicts.

    Lines for comparison have no say in it, unless there are no others.
    """
    known = [one for one in verdicts if one != NOT_RUN] or [NOT_RUN]
    known = [one for one in known if one != COMPARED] or known
    best = min(known, key=VERDICTS.index) if set(known) <= set(VERDICTS) else known[0]
    others = set(known) - {best}
    if best not in CONFIRMS or not others:
        return best
    return UNDECIDED if others == {UNDECIDED} else DEPENDS


def is_certain(found, row):
    """Whether all values of the interval have the verdict of the mean."""
    inside = [found.low, found.mean, found.high]
    for key in ("accept", "trend"):
        if key in row:
            inside += [end for end in ends_of(row[key], row) if found.low < end < found.high]
    return len({verdict_at(found, end, row) for end in inside}) == 1


def holds(demand, found, value, row):
    """Whether a value meets a demand; `above` applies to the whole interval."""
    if "above" in demand:
        return found.low > demand["above"]
    low, high = ends_of(demand, row)
    return low <= value <= high


def ends_of(demand, row):
    """The smallest and the largest value that a demand accepts."""
    if "at_most" in demand:
        return -math.inf, demand["at_most"]
    for key in ("at_least", "above"):
        if key in demand:
            return demand[key], math.inf
    low, high = span(row[demand["of"]])
    if "points" in demand:
        return low - demand["points"], high + demand["points"]
    if "factor" in demand:
        return low / demand["factor"], high * demand["factor"]
    return low * (1 - demand["within"]), high * (1 + demand["within"])


def span(number):
    """The range of a published number, from one or two numbers."""
    return tuple(number) if isinstance(number, list) else (number, number)

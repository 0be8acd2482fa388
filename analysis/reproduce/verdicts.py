# SPDX-License-Identifier: BSD-3-Clause
"""What a mean with its interval over seeds says of a published number."""

import math

REPRODUCED = "reproduced"
AS_THE_BOUND = "as the bound"  # what arithmetic gives, where another number, or none, was published
TREND = "trend only"
NOT_REPRODUCED = "not reproduced"
COMPARED = "for comparison"  # no number was published
NOT_RUN = "not run"
NOT_SIMULATED = "not simulated"  # what a simulator cannot show
VERDICTS = (REPRODUCED, AS_THE_BOUND, TREND, NOT_REPRODUCED, COMPARED, NOT_RUN, NOT_SIMULATED)

KINDS = ("within", "points", "factor", "at_least", "at_most", "above")
OF_A_NUMBER = KINDS[:3]


def verdict(found, row):
    """Of the Estimate of a row of published numbers."""
    if "accept" not in row:
        return COMPARED
    if holds(row["accept"], found, found.mean, row):
        return REPRODUCED if is_of_published(row, found) else AS_THE_BOUND
    if "trend" in row and holds(row["trend"], found, found.mean, row):
        return TREND
    return NOT_REPRODUCED


def is_of_published(row, found):
    """Whether what is accepted by the bound is accepted by the published number, too."""
    if row["accept"].get("of") != "bound":
        return True
    demand = row["accept"] | {"of": "published"}
    return row.get("published") is not None and holds(demand, found, found.mean, row)


def is_certain(found, row):
    """Whether every value of the interval gives the verdict that the mean gives."""
    if "accept" not in row:
        return True
    demands = [row[key] for key in ("accept", "trend") if key in row]
    ends = (found.low, found.mean, found.high)
    return all(len({holds(demand, found, end, row) for end in ends}) == 1 for demand in demands)


def holds(demand, found, value, row):
    """Whether a value is as a demand wants it; `above` is for the whole interval."""
    if "above" in demand:
        return found.low > demand["above"]
    low, high = ends_of(demand, row)
    return low <= value <= high


def ends_of(demand, row):
    """The least and the largest value that a demand accepts."""
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
    """A number, or the two that a paper names, as two."""
    return tuple(number) if isinstance(number, list) else (number, number)

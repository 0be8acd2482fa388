# SPDX-License-Identifier: BSD-3-Clause
"""Formats the numbers of a table column with the same number of decimals."""

import math

DIGITS = 4  # significant, for the smallest number
MOST = 9  # a picosecond in ms, the resolution of all tables


def of_column(numbers, digits=DIGITS):
    """Number of decimals that gives `digits` significant digits to the smallest positive number.

    None and NaN are missing numbers. A column in ms needs more decimals for microseconds than for
    seconds.
    """
    present = [number for number in numbers if number is not None and number > 0]
    if not present:
        return 0
    return min(max(0, digits - 1 - math.floor(math.log10(min(present)))), MOST)


def of_estimates(column, digits=DIGITS):
    """The same for the means of estimates.Estimate."""
    return of_column((found.mean for found in column if found is not None), digits)


def text(number, decimals):
    is_missing = number is None or number != number
    return "-" if is_missing else f"{number:.{decimals}f}"


def estimate_text(found, decimals):
    """A mean with half of its 95 % interval; the mean of one seed has none."""
    if found is None:
        return "-"
    mean = text(found.mean, decimals)
    return mean if found.half_width is None else f"{mean} ± {text(found.half_width, decimals)}"

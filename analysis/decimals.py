# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of a table's column, all with the same number of decimals."""

import math

DIGITS = 4  # of the least number
MOST = 9  # a picosecond in ms, the resolution of all tables


def of_column(numbers, digits=DIGITS):
    """Number of decimals that gives `digits` significant digits to the least number above 0.

    None and NaN are missing numbers. A time of microseconds in a column of ms needs more decimals
    than one of seconds.
    """
    present = [number for number in numbers if number is not None and number > 0]
    if not present:
        return 0
    return min(max(0, digits - 1 - math.floor(math.log10(min(present)))), MOST)


def of_estimates(column, digits=DIGITS):
    """The same of estimates.Estimate, by the means."""
    return of_column((found.mean for found in column if found is not None), digits)


def text(number, decimals):
    is_missing = number is None or number != number
    return "-" if is_missing else f"{number:.{decimals}f}"


def estimate_text(found, decimals):
    """A mean with half of its 95 % interval; a mean of one seed has none."""
    if found is None:
        return "-"
    mean = text(found.mean, decimals)
    return mean if found.half_width is None else f"{mean} ± {text(found.half_width, decimals)}"

# SPDX-License-Identifier: BSD-3-Clause
"""Named exceptions from a property: each has a limit and a reason, and has to be one still."""

from typing import NamedTuple


class Known(NamedTuple):
    most: float  # a ratio that is not exceeded
    reason: str


def check(ratio, tolerance, known=None):
    """That a ratio, at most 1 by the property, is so within a tolerance, or as a known exception allows."""
    if known is None:
        assert ratio <= 1 + tolerance, f"{ratio:.4f} > {1 + tolerance}"
        return
    assert ratio > 1 + tolerance, f"{ratio:.4f} is no exception any more: take it out of the table"
    assert ratio <= known.most, f"{ratio:.4f} > {known.most}: {known.reason}"

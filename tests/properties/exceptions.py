# SPDX-License-Identifier: BSD-3-Clause
"""Named exceptions to a property. Each has a limit and a reason. An exception that is no longer needed fails."""

from typing import NamedTuple


class Known(NamedTuple):
    most: float  # maximum ratio
    reason: str


def check(ratio, tolerance, known=None):
    """Requires a ratio of at most 1 within a tolerance. With a known exception, requires more, up to its limit."""
    if known is None:
        assert ratio <= 1 + tolerance, f"{ratio:.4f} > {1 + tolerance}"
        return
    assert ratio > 1 + tolerance, f"{ratio:.4f} is no exception any more: take it out of the table"
    assert ratio <= known.most, f"{ratio:.4f} > {known.most}: {known.reason}"

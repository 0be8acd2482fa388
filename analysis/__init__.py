# SPDX-License-Identifier: BSD-3-Clause
"""Figures, comparisons and tables of result folders; see analysis/README.md."""


def load(folder):
    """The tables of a result folder as pandas frames: see analysis.tables.Tables."""
    from analysis import tables  # loads pandas, which help on commands does not need

    return tables.load(folder)

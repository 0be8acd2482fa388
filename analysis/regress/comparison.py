# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of two result folders: the verdict on each point, and what made the folders."""

from dataclasses import dataclass

import pandas

from analysis import provenance
from analysis.regress import compare, samples
from analysis.results import Results
from analysis.sensitivity.noted import noted


@dataclass(frozen=True, repr=False)
class Comparison:
    """As text it is what `ina compare` prints."""

    before: Results
    after: Results
    made_by: provenance.Provenance
    table: pandas.DataFrame  # of compare.compare()
    mode: str
    tolerance: float

    @property
    def verdict(self) -> str:
        """On all points: SAME, DIFFERENT or INCONCLUSIVE."""
        return compare.verdict(self.table)

    def __str__(self) -> str:
        notes = dict.fromkeys(text for read in (self.before, self.after) for text in noted(read.folder))
        text = compare.text_of(self.table, self.tolerance)
        return "\n".join([*self.made_by.lines(), text, *notes])

    __repr__ = __str__


def of(before: Results, after: Results, mode: str, tolerance: float) -> Comparison:
    table = compare.compare(samples.read(before), samples.read(after), mode, tolerance)
    return Comparison(before, after, provenance.of(before, after), table, mode, tolerance)

# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a result folder as pandas frames, for evaluations of one's own."""

from dataclasses import dataclass

import pandas

from analysis import results


@dataclass(frozen=True)
class Tables:
    """A frame for each table; docs/reference/results.md describes the columns.

    Numbers are numbers, NaN where the cell is empty. So are swept values that are bare numbers in
    the scenario; those with units are texts (`"5MB"`), with a number beside (`memory_bytes`).
    """

    name: str  # of the experiment
    jobs: pandas.DataFrame
    iterations: pandas.DataFrame
    switch: pandas.DataFrame
    links: pandas.DataFrame
    link_series: pandas.DataFrame | None = None  # if the scenario asks for it
    occupation: pandas.DataFrame | None = None  # likewise
    flows: pandas.DataFrame | None = None  # if there was other traffic
    packets: pandas.DataFrame | None = None  # likewise


def load(folder):
    """The Tables of a result folder. Raises results.AnalysisError, which says what is wrong, if
    they are not what the run wrote."""
    read = results.read(folder)
    frames = {
        file.removesuffix(".csv"): with_numbers(read.table(file), read.axes)
        for file in read.tables
    }
    return Tables(read.name, **frames)


def with_numbers(table, axes):
    numeric = [axis.key for axis in axes if axis.are_numbers]
    return table.assign(**{key: pandas.to_numeric(table[key]) for key in numeric})

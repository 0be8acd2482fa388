# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a result folder as pandas frames, for custom evaluations."""

from dataclasses import dataclass

import pandas

from analysis import results


@dataclass(frozen=True)
class Tables:
    """A frame for each table; docs/reference/results.md describes the columns.

    Numeric cells are numbers, empty ones NaN. Swept values are numbers if they are bare numbers in
    the scenario. Values with units are texts (`"5MB"`), with a numeric column next to them
    (`memory_bytes`).
    """

    name: str  # of the experiment
    jobs: pandas.DataFrame
    iterations: pandas.DataFrame
    switch: pandas.DataFrame
    links: pandas.DataFrame
    link_series: pandas.DataFrame | None = None  # if enabled by the scenario
    occupation: pandas.DataFrame | None = None  # if enabled by the scenario
    flows: pandas.DataFrame | None = None  # if there was background traffic
    packets: pandas.DataFrame | None = None  # if there was background traffic


def load(folder):
    """The Tables of a result folder. Raises results.AnalysisError with the reason if they are not
    what the run wrote."""
    read = results.read(folder)
    frames = {
        file.removesuffix(".csv"): with_numbers(read.table(file), read)
        for file in read.tables
    }
    return Tables(read.name, **frames)


def with_numbers(table, read):
    """A table with the keys of Results, with its swept values as Tables has them."""
    numeric = [axis.key for axis in read.axes if axis.are_numbers]
    table = table.assign(**{key: pandas.to_numeric(table[key]) for key in numeric})
    for key, (column, numbers) in read.numbers.items():
        if column not in table:
            table.insert(table.columns.get_loc(key) + 1, column, table[key].map(numbers))
    return table

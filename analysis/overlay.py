# SPDX-License-Identifier: BSD-3-Clause
"""Two result folders in one figure: their tables are joined, with the folder as an additional key."""

from dataclasses import dataclass
from functools import cached_property

import pandas

from analysis.results import FOLDER, AnalysisError, Axis, Results


@dataclass(frozen=True)
class Overlay:
    """Offers the parts of Results that figures of jobs need. `before` is the first of the two
    folders, into which figures are written."""

    before: Results
    after: Results

    @property
    def parts(self):
        return self.before, self.after

    @property
    def folder(self):
        return self.before.folder

    @property
    def name(self):
        return ", ".join(dict.fromkeys(one.name for one in self.parts))

    @property
    def seeds(self):
        return tuple(dict.fromkeys(seed for one in self.parts for seed in one.seeds))

    @cached_property
    def names(self):
        """Names of the folders: the last parts of their paths, as many as are needed to differ."""
        paths = [one.folder.resolve().parts for one in self.parts]
        for count in range(1, max(map(len, paths)) + 1):
            names = tuple("/".join(path[-count:]) for path in paths)
            if len(set(names)) == len(names):
                return names
        raise AnalysisError(
            f"{self.after.folder}: found the same folder twice; allowed: two result folders"
        )

    def jobs(self):
        return self.joined([one.jobs() for one in self.parts])

    def iterations(self, parts):
        return self.joined([one.iterations(parts) for one in self.parts])

    def joined(self, tables):
        """Joins one table; the points of the second folder are numbered after those of the first."""
        first = 1 + max(run["point"] for run in self.before.manifest["points"])
        return pandas.concat(
            [
                table.assign(point=table["point"] + start, **{FOLDER: name})
                for table, name, start in zip(tables, self.names, (0, first))
            ],
            ignore_index=True,
        )  # fmt: skip

    def with_system(self, table):
        """The axes of both folders, with the values of the first followed by additional ones of the
        second, and the axis of the folders."""
        axes, others = (
            one.with_system(table[table[FOLDER] == name]) for one, name in zip(self.parts, self.names)
        )
        check_keys(self.parts, axes, others)
        further = {axis.key: axis for axis in others}
        return (*(union(axis, further[axis.key]) for axis in axes), Axis(FOLDER, self.names))


def check_keys(parts, axes, others):
    one, other = ([axis.key for axis in found] for found in (axes, others))
    if set(one) != set(other):
        before, after = (part.folder for part in parts)
        raise AnalysisError(
            f"{before} sweeps {', '.join(one)}, {after} {', '.join(other)}; allowed: folders that "
            "sweep the same keys"
        )


def union(one, other):
    values = tuple(dict.fromkeys([*one.values, *other.values]))
    return Axis(one.key, values, one.are_numbers and other.are_numbers, one.baseline or other.baseline)

# SPDX-License-Identifier: BSD-3-Clause
"""The mean JCT of every run of a result folder or of a reference; a reference keeps little else of
seeds after the first one."""

from dataclasses import dataclass
from pathlib import Path

import pandas

from analysis import curves
from analysis.results import FINISHED, SEED, SYSTEM, Results, require

TABLE = "jct.csv"  # in a reference
JCT_US = "jct_us"
FAILED = "failed_jobs"
DECIMALS = 6  # picoseconds, as in all tables


@dataclass(frozen=True)
class Sample:
    """Rows of `keys`, seed, mean JCT of the finished jobs (NaN if there is none), and failed jobs."""

    folder: Path
    keys: tuple[str, ...]  # swept keys, variant and system
    rows: pandas.DataFrame

    @property
    def seeds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.rows[SEED]))

    def points(self) -> dict[tuple[str, ...], pandas.DataFrame]:
        """The rows of each point."""
        alike = pandas.MultiIndex.from_frame(self.rows[list(self.keys)])  # tuples even for a single key
        grouped = self.rows.groupby(alike.to_flat_index(), sort=False)
        return dict(list(grouped))


def read(results: Results) -> Sample:
    keys = (*results.keys, SYSTEM)
    is_reference = TABLE in results.manifest["tables_crc32"]
    rows = of_reference(results) if is_reference else of_jobs(results.jobs(), keys)
    return Sample(results.folder, keys, rows.astype({SEED: str}))


def of_reference(results: Results) -> pandas.DataFrame:
    rows = results.cells(TABLE, [FAILED])
    require(rows, [JCT_US], results.folder / TABLE)
    return rows


def of_jobs(jobs: pandas.DataFrame, keys: tuple[str, ...]) -> pandas.DataFrame:
    finished = jobs["status"] == FINISHED
    runs = jobs.assign(**{JCT_US: jobs[JCT_US].where(finished), FAILED: ~finished})
    by_run = runs.groupby([*keys, SEED], sort=False)
    rows = by_run.agg({JCT_US: "mean", FAILED: "sum"}).reset_index()
    return rows.round({JCT_US: DECIMALS})


def by_seed(rows: pandas.DataFrame) -> dict[str, float]:
    """{seed: JCT in ms} of seeds that have one."""
    known = rows[rows[JCT_US].notna()]
    return dict(zip(known[SEED], known[JCT_US] / curves.US_PER_MS))


def failures(rows: pandas.DataFrame) -> dict[str, int]:
    """{seed: number of failed jobs}"""
    return dict(zip(rows[SEED], rows[FAILED].astype(int)))


def to_csv(sample: Sample) -> bytes:
    text = sample.rows.to_csv(index=False, float_format=f"%.{DECIMALS}f", lineterminator="\n")
    return text.encode()

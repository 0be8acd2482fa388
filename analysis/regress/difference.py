# SPDX-License-Identifier: BSD-3-Clause
"""Point of divergence of two runs: the first difference of two result folders or two time lines."""

import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from analysis import provenance, results, time_line
from analysis.results import SEED, SYSTEM, VARIANT, AnalysisError, listed

JOBS = "jobs.csv"
TIMES_US = {  # columns whose sum is the time that a row refers to
    "switch.csv": ("time_us",),
    "link_series.csv": ("time_us",),
    "iterations.csv": ("start_us", "iteration_span_us"),
    "flows.csv": ("last_received_us",),
    JOBS: ("end_us",),
}
NEVER = float("inf")  # for a row about a whole run


@dataclass(frozen=True)
class Difference:
    """Comparison of two runs, in lines for a terminal. Result folders have a provenance, time lines do not."""

    differs: bool
    lines: tuple[str, ...]
    compared: int  # rows of both folders together, or events of the longer time line
    different: int  # number of these that differ
    folders: tuple = ()
    made_by: provenance.Provenance | None = None


def difference(before, after):
    """The Difference of two result folders, or of two files of `ina trace`."""
    paths = Path(before), Path(after)
    for path in paths:
        if not path.exists():
            raise AnalysisError(f"{path}: no such file or folder")
    folders = [path.is_dir() for path in paths]
    if any(folders) and not all(folders):
        raise AnalysisError(
            f"{before} and {after}: a folder and a file; allowed: two result folders, or two files "
            "of ina trace"
        )
    if all(folders):
        pair = tuple(results.read(path) for path in paths)
        made_by = provenance.of(*pair)
        found = of_folders(*pair)
        return replace(found, lines=(*made_by.lines(), *found.lines), folders=pair, made_by=made_by)
    return of_time_lines(*map(time_line.read, paths))


# ---- result folders


@dataclass(frozen=True, order=True)
class Row:
    """A row that differs or exists in one folder only."""

    run_number: int  # position of the run among those of both folders
    time_us: float
    table: str
    words: str
    run: str  # the swept values of the run


def of_folders(before, after):
    """Rows correspond if they have the same swept values and seed, whatever the order of the sweep."""
    if set(before.keys) != set(after.keys):
        raise AnalysisError(
            f"{after.folder}: sweeps {listed(after.keys)}; allowed: what {before.folder} sweeps, "
            f"{listed(before.keys)}"
        )
    systems = other_systems(before, after)
    swept = [column for column in swept_columns(before) if not systems or column != SYSTEM]
    index = RunIndex(swept, before, after)
    common = [file for file in before.tables if file in after.tables]
    shape = [*only_tables(before, after), *index.only_one()]
    rows, found = 0, []
    for file in common:
        one, two = before.table(file), after.table(file)
        shape += only_columns(file, one, two)
        one, two = (index.by_key(file, table) for table in (one, two))
        rows += len(one.keys() | two.keys())
        found += rows_that_differ(file, one, two, index)
    if not found:
        counted = [f"no difference in {rows} rows of {listed(common)}"]
    else:
        counted = [count_of(found, rows), first_of(found)]
    return Difference(
        differs=bool(systems or shape or found),
        lines=(*systems, *shape, *counted),
        compared=rows,
        different=len(found),
    )


def other_systems(before, after):
    """Lines about runs whose systems differ in the two folders; their rows differ as well."""
    if any(len(read.system_order) > 1 for read in (before, after)):
        return []  # runs are then identified by system, too
    keys = [*before.keys, SEED]
    one, two = (
        dict(zip(table[keys].itertuples(index=False, name=None), table[SYSTEM]))
        for table in (before.table(JOBS), after.table(JOBS))
    )
    pairs = ((one[key], two[key]) for key in one if key in two)
    return [f"system {a} in A, {b} in B" for a, b in dict.fromkeys(pairs) if a != b]


def swept_columns(read):
    """Columns that distinguish the runs of a seed. Each variant has one system, unless systems are
    swept, too."""
    has_systems = VARIANT not in read.keys or bool(read.system_order)
    return [*([SYSTEM] if has_systems else []), *read.keys]


def only_tables(before, after):
    for one, two, where in ((before, after, "A"), (after, before, "B")):
        for file in one.tables:
            if file not in two.tables:
                yield f"{file} only in {where}"


def only_columns(file, before, after):
    for one, two, where in ((before, after, "A"), (after, before, "B")):
        columns = [column for column in one.columns if column not in two.columns]
        if columns:
            yield f"{file}: {listed(columns)} only in {where}"


class RunIndex:
    """The runs of two folders, identified by swept values and seed."""

    def __init__(self, swept, before, after):
        self.columns = [*swept, SEED]
        self.runs = [self.runs_of(read) for read in (before, after)]
        self.common = self.runs[0].keys() & self.runs[1].keys()
        self.order = {run: number for number, run in enumerate(dict.fromkeys([*self.runs[0], *self.runs[1]]))}

    def runs_of(self, read):
        """The runs in the tables, since manifests do not state systems; runs without jobs have links."""
        rows = [read.table(file)[self.columns] for file in (JOBS, "links.csv") if file in read.tables]
        return dict.fromkeys(run for table in rows for run in table.itertuples(index=False, name=None))

    def only_one(self):
        """Lines about runs that only one folder has."""
        for runs, where in zip(self.runs, "AB"):
            only = [run for run in runs if run not in self.common]
            if only:
                others = len(only) - 1
                more = f" and {others} other run{'s' * (others > 1)}" if others else ""
                yield f"run ({self.words(only[0])}){more} only in {where}"

    def words(self, run):
        return ", ".join(f"{column} {value}" for column, value in zip(self.columns, run))

    def by_key(self, file, table):
        """The rows of common runs, by run and by the columns that identify a row within a run."""
        cells = table.astype(object).where(table.notna(), None)
        found = {}
        for row in cells.to_dict("records"):
            run = tuple(row[column] for column in self.columns)
            if run in self.common:
                found[run, tuple(row[column] for column in results.ROWS_OF[file])] = row
        return found


def rows_that_differ(file, before, after, index):
    for run, key in dict.fromkeys([*before, *after]):
        one, two = before.get((run, key)), after.get((run, key))
        if one is None or two is None or columns_that_differ(one, two):
            keys = [
                f"{column} {cell}" for column, cell in zip(results.ROWS_OF[file], key) if column != "time_us"
            ]
            yield Row(
                run_number=index.order[run],
                time_us=min(time_us(file, row) for row in (one, two) if row),
                table=file,
                words=f"{', '.join(keys)}: {cells_that_differ(one, two)}",
                run=index.words(run),
            )


def time_us(file, row):
    cells = [row.get(column) for column in TIMES_US.get(file, ())]
    return NEVER if not cells or None in cells else sum(cells)


def cells_that_differ(one, two):
    if one is None or two is None:
        return f"only in {'A' if two is None else 'B'}"
    return "; ".join(
        f"{column} {cell(one[column])} in A, {cell(two[column])} in B"
        for column in columns_that_differ(one, two)
    )


def cell(value):
    return "nothing" if value is None else value


def columns_that_differ(one, two):
    """The common columns that differ, except those that identify the run: point number and system."""
    return [
        column for column in one
        if column in two and column not in ("point", SYSTEM) and one[column] != two[column]
    ]


def count_of(found, rows):
    counts = Counter(row.table for row in found)
    tables = ", ".join(f"{count} of {table}" for table, count in counts.items())
    runs = len({row.run_number for row in found})
    return f"{len(found)} of {rows} rows differ, in {runs} run{'s' if runs > 1 else ''}: {tables}"


def first_of(found):
    row = min(found)
    when = "in the whole of it" if row.time_us == NEVER else f"at {row.time_us:.6f} us"
    return f"first in run ({row.run}) {when}: {row.table}, {row.words}"


# ---- time lines


def of_time_lines(before, after):
    found = of_events(before, after)
    return replace(found, lines=(*other_origins(before.origin, after.origin), *found.lines))


def other_origins(before, after):
    """Lines about differences in what was run."""
    for key in dict.fromkeys([*before, *after]):
        values = before.get(key), after.get(key)
        if values[0] != values[1]:
            texts = map(provenance.build_text if key == "build" else str, values)
            yield f"{key}: " + ", ".join(f"{text} in {where}" for text, where in zip(texts, "AB"))


def of_events(before, after):
    pairs = zip(before.events, after.events)
    at = next((i for i, (one, two) in enumerate(pairs) if one != two), None)
    if at is None and len(before.events) == len(after.events):
        events = len(before.events)
        return Difference(False, (f"no difference in {events} events",), events, 0)
    if at is None:
        at = min(len(before.events), len(after.events))
    counts = [Counter(json.dumps(event) for event in line.events) for line in (before, after)]
    only = [(counts[i] - counts[1 - i]).total() for i in (0, 1)]
    return Difference(
        True,
        (
            f"{only[0]} of {len(before.events)} events only in A, {only[1]} of {len(after.events)} only in B",
            f"first in A: {event_in_words(before, at)}",
            f"first in B: {event_in_words(after, at)}",
        ),
        compared=max(len(before.events), len(after.events)),
        different=max(only),
    )


def event_in_words(line, at):
    if at == len(line.events):
        return "nothing more"
    event = line.events[at]
    process = line.processes.get(event["pid"], f"process {event['pid']}")
    thread = line.threads.get((event["pid"], event["tid"]), f"thread {event['tid']}")
    what = {"b": "begins", "e": "ends"}.get(event["ph"], "")
    details = [f"for {event['dur']:.6f} us"] if "dur" in event else []
    details += [f"{key} {value}" for key, value in event["args"].items()]
    words = " ".join(filter(None, (event["name"], what)))
    return ", ".join([f"at {event['ts']:.6f} us: {process}, {thread}: {words}", *details])

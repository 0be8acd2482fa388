# SPDX-License-Identifier: BSD-3-Clause
"""Where two runs part: the first difference of two result folders, or of two time lines."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from analysis import results, time_line
from analysis.results import SEED, SYSTEM, VARIANT, AnalysisError

JOBS = "jobs.csv"
TIMES_US = {  # what adds up to the time that a row tells of
    "switch.csv": ("time_us",),
    "link_series.csv": ("time_us",),
    "iterations.csv": ("start_us", "iteration_us"),
    "flows.csv": ("last_received_us",),
    JOBS: ("end_us",),
}
NEVER = float("inf")  # of a row of a whole run


@dataclass(frozen=True)
class Difference:
    """What two runs have in common or not, in lines for a terminal."""

    differs: bool
    lines: tuple[str, ...]


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
        return of_folders(*map(results.read, paths))
    return of_time_lines(*map(time_line.read, paths))


# ---- result folders


@dataclass(frozen=True, order=True)
class Row:
    """One that differs, or is in one folder only."""

    point: int
    seed: int
    time_us: float
    table: str
    words: str
    run: str  # what it is of the sweep


def of_folders(before, after):
    if before.keys != after.keys or before.tables != after.tables:
        raise AnalysisError(
            f"{after.folder}: sweeps {names(after.keys)}, and has {names(after.tables)}; allowed: "
            f"what {before.folder} has, {names(before.keys)} and {names(before.tables)}"
        )
    rows = 0
    found = []
    systems = other_systems(before, after)
    swept = [column for column in swept_columns(before) if not systems or column != SYSTEM]
    for file in before.tables:
        one, two = before.table(file), after.table(file)
        if list(one.columns) != list(two.columns):
            raise AnalysisError(
                f"{after.folder / file}: has {names(two.columns)}; allowed: the columns of "
                f"{before.folder / file}, {names(one.columns)}"
            )
        one, two = by_key(file, one), by_key(file, two)
        rows += len(one.keys() | two.keys())
        found += rows_that_differ(file, one, two, swept)
    if not found:
        none = f"no difference in {rows} rows of {names(before.tables)}"
        return Difference(bool(systems), (*systems, none))
    return Difference(True, (*systems, count_of(found, rows), first_of(found)))


def other_systems(before, after):
    """What the same runs of both have of different systems, in lines; rows differ besides."""
    one, two = (by_key(JOBS, read.table(JOBS)) for read in (before, after))
    pairs = ((one[key][SYSTEM], two[key][SYSTEM]) for key in one if key in two)
    return [f"system {a} in A, {b} in B" for a, b in dict.fromkeys(pairs) if a != b]


def swept_columns(read):
    """What tells the runs of a seed apart; variants have a system each, unless it is swept, too."""
    has_systems = VARIANT not in read.keys or bool(read.system_order)
    return [*([SYSTEM] if has_systems else []), *read.keys]


def names(all_of_them):
    return ", ".join(all_of_them) or "nothing"


def by_key(file, table):
    key = ["point", SEED, *results.ROWS_OF[file]]
    cells = table.astype(object).where(table.notna(), None)
    return {tuple(row[column] for column in key): row for row in cells.to_dict("records")}


def rows_that_differ(file, before, after, swept):
    for key in dict.fromkeys([*before, *after]):
        one, two = before.get(key), after.get(key)
        if one is None or two is None or columns_that_differ(one, two):
            there = one or two
            place = [
                f"{column} {there[column]}" for column in results.ROWS_OF[file] if column != "time_us"
            ]
            yield Row(
                point=there["point"],
                seed=there[SEED],
                time_us=min(time_us(file, row) for row in (one, two) if row),
                table=file,
                words=f"{', '.join(place)}: {cells_that_differ(one, two)}",
                run=", ".join(f"{column} {there[column]}" for column in (*swept, SEED)),
            )


def time_us(file, row):
    cells = [row.get(column) for column in TIMES_US.get(file, ())]
    return NEVER if not cells or None in cells else sum(cells)


def cells_that_differ(one, two):
    if one is None or two is None:
        return f"only in {'A' if two is None else 'B'}"
    return "; ".join(
        f"{column} {one[column]} in A, {two[column]} in B" for column in columns_that_differ(one, two)
    )


def columns_that_differ(one, two):
    """But for the system, which names the run."""
    return [column for column in one if column != SYSTEM and one[column] != two[column]]


def count_of(found, rows):
    counts = Counter(row.table for row in found)
    tables = ", ".join(f"{count} of {table}" for table, count in counts.items())
    runs = len({(row.point, row.seed) for row in found})
    return f"{len(found)} of {rows} rows differ, in {runs} run{'s' if runs > 1 else ''}: {tables}"


def first_of(found):
    row = min(found)
    when = "in the whole of it" if row.time_us == NEVER else f"at {row.time_us:.6f} us"
    return f"first in run {row.point} ({row.run}) {when}: {row.table}, {row.words}"


# ---- time lines


def of_time_lines(before, after):
    pairs = zip(before.events, after.events)
    at = next((i for i, (one, two) in enumerate(pairs) if one != two), None)
    if at is None and len(before.events) == len(after.events):
        return Difference(False, (f"no difference in {len(before.events)} events",))
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

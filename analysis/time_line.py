# SPDX-License-Identifier: BSD-3-Clause
"""Reads time lines, the files of `ina trace`."""

import json
from dataclasses import dataclass
from pathlib import Path

from analysis import results
from analysis.results import AnalysisError


@dataclass(frozen=True)
class TimeLine:
    """A time line of one run, or of a window of it."""

    path: Path
    events: list  # without events that only define names
    processes: dict  # by pid
    threads: dict  # by pid and tid
    origin: dict  # scenario, point, swept values, seed and build; empty in older files


def read(path):
    try:
        content = json.loads(results.read_bytes(path, "allowed: a file of ina trace"))
        events = content["traceEvents"]
        named = [event for event in events if event["ph"] == "M"]
        return TimeLine(
            path=path,
            events=[checked(event) for event in events if event["ph"] != "M"],
            processes={
                event["pid"]: event["args"]["name"] for event in named if event["name"] == "process_name"
            },
            threads={
                (event["pid"], event["tid"]): event["args"]["name"]
                for event in named
                if event["name"] == "thread_name"
            },
            origin=dict(content.get("otherData", {})),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        raise AnalysisError(f"{path}: not a time line; allowed: a file of ina trace") from None


def checked(event):
    numbers = [event["pid"], event["tid"], event["ts"], event.get("dur", 0)]
    if not all(isinstance(number, (int, float)) for number in numbers):
        raise ValueError
    return event | {"name": str(event["name"]), "args": dict(event.get("args", {}))}

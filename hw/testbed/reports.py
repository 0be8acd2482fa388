# SPDX-License-Identifier: BSD-3-Clause
"""Reports of a run's processes at their end. A process that was started again has several reports:
NAME.json, NAME.1.json ..."""

import json
from collections import Counter
from functools import reduce


def reports_in(folder):
    """The reports by name of the process, merged as if each process had run without
    interruption."""
    names = {path.name.split(".")[0] for path in folder.iterdir()}
    return {name: report_of(folder, name) for name in names}


def report_of(folder, name):
    """Merges the reports of a process. Keeps the training of each of a worker's processes, in the
    order of their starts."""
    reports = [
        json.loads(path.read_text()) for path in sorted(folder.glob(f"{name}.*"), key=number_of)
    ]
    training = [report["training"] for report in reports if "training" in report]
    return reduce(joined, reports) | {"training": training}


def number_of(path):
    """Number of a report; the first one's file has none."""
    parts = path.name.split(".")
    return int(parts[1]) if len(parts) == 3 else 0


def joined(first, second):
    """The later report, with the sums of both reports' counters."""
    both = (first, second)
    return second | {
        part: sums_of(report[part] for report in both) for part in ("port", "counters") if part in first
    }


def sums_of(counters):
    """Sums of dictionaries with the same keys, or some of them."""
    sums = Counter()
    for part in counters:
        sums.update(part)
    return dict(sums)

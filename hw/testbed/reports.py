# SPDX-License-Identifier: BSD-3-Clause
"""What the processes of a run report when they end. One that was started again has written several
reports: NAME.json, NAME.1.json ..."""

import json
from collections import Counter
from functools import reduce


def reports_in(folder):
    """The reports by the names of processes, as if each process had run on."""
    names = {path.name.split(".")[0] for path in folder.iterdir()}
    return {name: report_of(folder, name) for name in names}


def report_of(folder, name):
    """With what each process of a worker went through, in the order in which they were started."""
    reports = [
        json.loads(path.read_text()) for path in sorted(folder.glob(f"{name}.*"), key=number_of)
    ]
    training = [report["training"] for report in reports if "training" in report]
    return reduce(joined, reports) | {"training": training}


def number_of(path):
    """The first one has none."""
    parts = path.name.split(".")
    return int(parts[1]) if len(parts) == 3 else 0


def joined(first, second):
    """The later report, with the counters of both."""
    both = (first, second)
    return second | {
        part: sums_of(report[part] for report in both) for part in ("port", "counters") if part in first
    }


def sums_of(counters):
    """The sums of dictionaries with the same keys, or with some of them."""
    sums = Counter()
    for part in counters:
        sums.update(part)
    return dict(sums)

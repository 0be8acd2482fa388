# SPDX-License-Identifier: BSD-3-Clause
"""What the processes of a run report when they end. One that was started again has written several
reports: NAME.json, NAME.1.json ..."""

import json


def reports_in(folder):
    """The reports by the names of processes, as if each process had run on."""
    names = {path.name.split(".")[0] for path in folder.iterdir()}
    return {name: report_of(folder, name) for name in names}


def report_of(folder, name):
    first, *later = (
        json.loads(path.read_text()) for path in sorted(folder.glob(f"{name}.*"), key=number_of)
    )
    for report in later:
        first = joined(first, report)
    return first


def number_of(path):
    """The first one has none."""
    parts = path.name.split(".")
    return int(parts[1]) if len(parts) == 3 else 0


def joined(first, second):
    """The later report, with the counters and iterations of both."""
    port = {key: number + second["port"][key] for key, number in first["port"].items()}
    sums = {
        key: first[key] + second[key] for key in ("rejected_frames", "retransmissions") if key in first
    }
    return second | {"port": port} | sums | iterations_of_both(first, second)


def iterations_of_both(first, second):
    """An iteration that was begun anew counts from its first start: what was done in vain is
    recovery."""
    if "iterations" not in first:  # a server's
        return {}
    again = second["first_iteration"]
    starts = [iteration["start_ps"] for iteration in first["iterations"]]
    starts.append(first["iteration_start_ps"])
    start_ps = starts[again] if again < len(starts) else None
    iterations = [dict(iteration) for iteration in second["iterations"]]
    merged = {"iterations": first["iterations"][:again] + iterations}
    if start_ps is None:  # it had not begun
        return merged
    if not iterations:
        return merged | {"iteration_start_ps": start_ps}
    parts = dict(iterations[0]["breakdown_ps"])
    parts["recovery"] += iterations[0]["start_ps"] - start_ps
    iterations[0] |= {"start_ps": start_ps, "breakdown_ps": parts}
    return merged

# SPDX-License-Identifier: BSD-3-Clause
"""The means of a report as data."""

from analysis import curves, provenance
from analysis.report import content


def numbers(read):
    """The content of `report --json`."""
    has_none = {"keys": read.keys, "baseline": None, "points": []}
    return provenance.folder(read) | {
        "findings": read.manifest.get("findings", []),
        **(of_jobs(read) if read.has_jobs else has_none),
    }


def of_jobs(read):
    jobs = read.jobs()
    shape = content.layout_of(read, jobs)
    table = content.points(jobs, shape)
    found = findings_of(jobs, shape, read.manifest["points"])
    kept = [*shape.keys, curves.JCT.ratio, "jct_p95_ms", "seeds", "jobs", "failed_jobs"]
    points = [
        row | means_of(point) | {"findings": found[key_of(point, shape)]}
        for row, (_, point) in zip(curves.records(table[kept]), table.iterrows())
    ]
    return {"keys": shape.keys, "baseline": shape.baseline, "points": points}


def means_of(point):
    """The mean of each measure over seeds and half of its 95 % interval; None if unknown."""
    means = {}
    for measure in curves.MEASURES:
        found = point[measure]
        means[measure.mean] = found and found.mean
        means[f"{measure.name}_half_width_95_{measure.unit}"] = found and found.half_width
    return means


def findings_of(jobs, shape, runs):
    """{key of a point: findings of its runs, each with its seed}"""
    keys = {point: key_of(row, shape) for point, row in jobs.groupby("point").first().iterrows()}
    found = {key: [] for key in keys.values()}
    for run in runs:
        for one in run.get("findings", []):
            if run["point"] in keys:
                found[keys[run["point"]]].append({"seed": run["seed"], **one})
    return found


def key_of(row, shape):
    return tuple(row[key] for key in shape.keys)

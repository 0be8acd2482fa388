# SPDX-License-Identifier: BSD-3-Clause
"""Content of `--json` of compare, diff and regress, from which curves over months can be drawn.
json.schema.json describes it."""

from analysis import curves, provenance
from analysis.regress import compare, regression


def of_compare(found):
    """`found`: a Comparison."""
    return {
        "mode": found.mode,
        "tolerance": found.tolerance,
        "verdict": found.verdict,
        "passes": found.verdict == compare.SAME,
        "a": provenance.folder(found.before),
        "b": provenance.folder(found.after),
        "changed_keys": found.made_by.to_json(),
        "points": curves.records(found.table),
    }


def of_diff(found):
    """For diff. `found`: a Difference."""
    pair = found.folders
    return {
        "verdict": compare.DIFFERENT if found.differs else compare.SAME,
        "passes": not found.differs,
        "a": provenance.folder(pair[0]) if pair else None,
        "b": provenance.folder(pair[1]) if pair else None,
        "changed_keys": found.made_by.to_json() if found.made_by else [],
        "compared": found.compared,
        "different": found.different,
        "lines": list(found.lines),
    }


def of_regress(found, mode, tolerance):
    """For regress. `found`: the Findings of a suite."""
    verdict = regression.verdict(found)
    return {
        "mode": mode,
        "tolerance": tolerance if mode == compare.STATISTICAL else None,
        "verdict": verdict,
        "passes": verdict == compare.SAME,
        "scenarios": [scenario(one) for one in found],
    }


def scenario(found):
    made_by = found.made_by
    return {
        "scenario": provenance.relative(found.scenario),
        "verdict": found.verdict,
        "passes": found.verdict == compare.SAME,
        "a": made_by and provenance.side(made_by.before, found.seeds[0]),
        "b": made_by and provenance.side(made_by.after, found.seeds[1]),
        "changed_keys": made_by.to_json() if made_by else [],
        "points": [] if found.table is None else curves.records(found.table),
        "lines": list(found.lines),
    }

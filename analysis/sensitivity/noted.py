# SPDX-License-Identifier: BSD-3-Clause
"""Findings of `ina sensitivity` for a result folder, as shown by `report` and `compare`."""

from pathlib import Path

from analysis.results import AnalysisError, parse_json, read_bytes

FOLDER = "sensitivity"  # in the result folder of the experiment
FILE = "sensitivity.json"
PAGE = "sensitivity.html"
WRITER = "ina sensitivity --json"
NO_TURN = "No key reverses the order of two variants within its range."


def noted(folder):
    """A text of one or more sentences; empty if the command has not been run."""
    path = Path(folder) / FOLDER / FILE
    if not path.is_file():
        return []
    content = parse_json(read_bytes(path, "run ina sensitivity again"), path)
    try:
        if content["written_by"] != WRITER:
            raise ValueError
        texts = [f"{turn['text']}." for turn in content["turns"]]
        at = f" at {', '.join(content['set'])}" if content["set"] else ""
    except (ValueError, KeyError, TypeError):
        raise AnalysisError(f"{path}: not a page of ina sensitivity; run ina sensitivity again, or remove this file") from None
    return [f"Sensitivity{at} ({path.with_name(PAGE)}): {' '.join(texts) or NO_TURN}"]

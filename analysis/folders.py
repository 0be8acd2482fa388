# SPDX-License-Identifier: BSD-3-Clause
"""Folders that commands write to."""

from pathlib import Path

from analysis.results import AnalysisError


def made_folder(out):
    """That of --out, which it makes."""
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except PermissionError:
        raise AnalysisError(f"--out: {out}: no permission; allowed: a folder to write to") from None
    except (FileExistsError, NotADirectoryError):
        raise AnalysisError(
            f"--out: {out}: a file is in the way; allowed: a folder, or where one can be made"
        ) from None
    return Path(out)

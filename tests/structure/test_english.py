# SPDX-License-Identifier: BSD-3-Clause
"""Texts name the subject first and are short. The measure is a proxy: the share of sentences and comments
that begin with a word of STARTS, and the share of sentences longer than LONG words. The shares may only
fall: if one is clearly lower than its limit here, the limit follows."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STARTS = re.compile(r"(Of|What|Who|Whose|Which|That|Those|Beside|Likewise|Where)\b")
LONG = 35
SLACK = 2  # percentage points that a limit may be above its share

# In per cent, by folder: sentences that begin so, sentences that are long, comments that begin so.
LIMITS = {
    ".": (1, 5.5, 0),
    "analysis": (0.5, 2, 0.5),
    "docs": (0.5, 1, 0),
    "hw": (0.5, 2, 0.2),
    "ns3-modules": (0.5, 2.5, 0.2),
    "scenarios": (0.5, 0.5, 0.2),
    "switch-models": (1.5, 2, 0.2),
    "tests": (0.5, 0.5, 0.2),
    "traces": (0.5, 0.5, 0.5),
}
PAGES = {".md", ".rst"}
SOURCES = {".cpp", ".hpp", ".h", ".cc", ".p4", ".c", ".py"}


def plain(page):
    """The page's text without code, and links by their texts."""
    text = re.sub(r"<!--.*?-->|```.*?```", "", page, flags=re.DOTALL)
    text = re.sub(r"`[^`]*`", "X", text)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def parts_of(paragraph):
    """The items of a list, the longer cells of a table, or the whole paragraph."""
    lines = paragraph.split("\n")
    if lines[0].lstrip().startswith("|"):
        cells = (cell.strip() for line in lines for cell in line.strip().strip("|").split("|"))
        return [cell for cell in cells if len(cell.split()) >= 6]
    items = [[]]
    for line in lines:
        if re.match(r"\s*([-*]|\d+\.)\s", line) and items[-1]:
            items.append([])
        items[-1].append(re.sub(r"^\s*([-*#>]+|\d+\.)\s*", "", line).strip())
    return [" ".join(item) for item in items]


def sentences(page):
    for paragraph in re.split(r"\n\s*\n", plain(page)):
        for part in parts_of(paragraph):
            yield from (s for s in re.split(r"(?<=[.!?:;])\s+(?=[A-Z`])", part) if len(s.split()) >= 4)


def comments(source, suffix):
    """The first line of each block of comments, if it has three words or more."""
    mark = r"#" if suffix == ".py" else r"(?:///<|///|//)"
    inside = False
    for line in source.split("\n"):
        text = line.strip()
        found = re.match(mark + r"\s*(.*)", text) or (suffix != ".py" and re.search(r"///<\s*(.*)", text))
        is_comment = found and not re.search(r"SPDX|NOLINT|clang-format|^#!", text)
        if is_comment and not inside and len(found[1].split()) >= 3:
            yield found[1]
        inside = bool(is_comment)


def files_of(folder):
    below = [":(glob)*"] if folder == "." else [folder]
    listed = subprocess.run(["git", "ls-files", "--", *below], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@cache
def measured(folder):
    texts, remarks = [], []
    for file in files_of(folder):
        if file.suffix in PAGES:
            texts += sentences(file.read_text(encoding="utf-8"))
        elif file.suffix in SOURCES:
            remarks += comments(file.read_text(encoding="utf-8", errors="replace"), file.suffix)
    return [
        100 * sum(map(counts, of)) / max(len(of), 1)
        for counts, of in (
            (lambda text: bool(STARTS.match(text)), texts),
            (lambda text: len(text.split()) > LONG, texts),
            (lambda text: bool(STARTS.match(text)), remarks),
        )
    ]


@pytest.mark.parametrize("folder", LIMITS)
def test_texts_name_the_subject_first_and_are_short(folder):
    shares = measured(folder)
    assert all(share <= limit for share, limit in zip(shares, LIMITS[folder], strict=True)), shares


@pytest.mark.parametrize("folder", LIMITS)
def test_limits_follow_what_was_reached(folder):
    shares = measured(folder)
    assert all(limit <= share + SLACK for share, limit in zip(shares, LIMITS[folder], strict=True)), shares


def test_the_measure_finds_what_it_looks_for():
    assert [bool(STARTS.match(s)) for s in sentences("Of the jobs one is late. The other is not late.")] == [True, False]
    assert list(comments("int a;  ///< of the first job\n\n/// Of what is left\n/// more\n", ".hpp")) == [
        "of the first job", "Of what is left",
    ]  # fmt: skip

# SPDX-License-Identifier: BSD-3-Clause
"""Relative links of Markdown pages lead to files and headings, and sources name pages that exist."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("analysis", "docs", "hw", "ns3-modules", "scenarios", "switch-models", "tests", "traces")
FILES = [*ROOT.glob("*.md"), *(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.*") if file.is_file())]
PAGES = [file for file in sorted(FILES) if file.suffix == ".md"]
SOURCES = [file for file in FILES if file.suffix in {".cc", ".cpp", ".h", ".hpp", ".py", ".rst", ".json", ".txt"}]
FENCED = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
NAMED_PAGE = re.compile(rf"(?<![\w./-])((?:{'|'.join(FOLDERS)})/[\w./-]+\.(?:md|rst))")


def text_of(page):
    return FENCED.sub("", page.read_text(encoding="utf-8"))


@cache
def headings(page):
    """The anchors of a page, as GitHub and Sphinx make them."""
    anchors = set()
    for title in re.findall(r"^#+ +(.*)$", text_of(page), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).strip().lower()
        anchors.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return anchors


def broken_links(page):
    for link in LINK.findall(text_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in headings(target)):
            yield link


def test_an_anchor_is_made_of_a_heading():
    assert "adding-a-system" in headings(ROOT / "CONTRIBUTING.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page):
    assert list(broken_links(page)) == []


def test_sources_name_pages_that_exist():
    named = {(page, str(file.relative_to(ROOT))) for file in SOURCES
             for page in NAMED_PAGE.findall(file.read_text(encoding="utf-8", errors="replace"))}  # fmt: skip
    assert named
    assert sorted(f"{file}: {page}" for page, file in named if not (ROOT / page).exists()) == []

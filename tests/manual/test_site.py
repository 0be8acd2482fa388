# SPDX-License-Identifier: BSD-3-Clause
"""The manual is built without warnings, and every internal link leads to an existing page and anchor."""

import importlib.util
import os
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from analysis.launcher import ROOT, manual

DOXYGEN_FOLDER = "cpp/"  # folder of the site that another program makes


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value and not urlsplit(value).scheme:
                self.links.add(value)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    for module in ("sphinx", "myst_parser", "furo"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"no {module}: see .ci/packages-docs")
    folder = tmp_path_factory.mktemp("manual")
    done = subprocess.run(manual.sphinx(folder), cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "html"


def broken_links(site):
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            split = urlsplit(link)
            anchor = unquote(split.fragment)
            target = (path.parent / unquote(split.path)).resolve() if split.path else path
            if target.is_relative_to(site / DOXYGEN_FOLDER):
                continue
            known = target.exists() if target not in pages else not anchor or anchor in pages[target].anchors
            if not known and not anchor.startswith("svg-"):
                yield f"{path.relative_to(site)}: {link}"


def test_the_manual_is_built_without_warnings_and_broken_links(site):
    assert sorted(broken_links(site)) == []


def test_every_page_of_the_manual_is_in_the_site(site):
    pages = [path.relative_to(ROOT).with_suffix(".html") for path in Path(ROOT, "docs").rglob("*.md")]
    assert [str(page) for page in pages if page.parts[1] != "cpp" and not (site / page).exists()] == []


def test_the_interfaces_in_c_plus_plus_have_no_errors():
    if not os.access(manual.DOXYGEN[0], os.X_OK):
        pytest.skip("no Doxygen: see .ci/packages-docs")
    os.makedirs(f"{ROOT}/{manual.FOLDER}/html", exist_ok=True)
    done = subprocess.run(manual.DOXYGEN, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

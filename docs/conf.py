# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx's configuration of the manual. The sources are the pages of the whole repository: ./ina docs."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

project = "INA Lab"
version = release = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
project_copyright = "the authors of INA Lab"

root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "**/README.md", "hw/*.md", "hw/protocol/*.md", "ns3-modules/*.md", "ns3-modules/*/doc/*.rst"]
# Doxygen reads docs/cpp. A report of the last renewal is for reviewers. Commands write the other folders.
exclude_patterns = ["build", "results", "docs/cpp", "tests/regression/suite"]

extensions = ["myst_parser"]
myst_heading_anchors = 4
nitpicky = True
highlight_language = "none"
rst_prolog = ".. |ns3| replace:: *ns-3*\n"

html_theme = "furo"
html_title = f"INA Lab {version}"
html_show_sphinx = False
html_additional_pages = {"index": "start.html"}
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["manual.css"]


def setup(app):
    """ns-3's manual defines |ns3| in a file that only an ns-3 tree has."""
    app.connect("source-read", without_includes_of_ns3)


def without_includes_of_ns3(_app, _name, source):
    source[0] = source[0].replace(".. include:: replace.txt\n", "")

# SPDX-License-Identifier: BSD-3-Clause
"""The manual: Sphinx makes pages of docs/ and of the READMEs, Doxygen those of the C++ interfaces."""

import os

from analysis.launcher import ROOT
from analysis.launcher.messages import Failure, show, wrong_input
from analysis.launcher.processes import attend, python

FOLDER = "build/docs"
# -W: a warning is an error, such as a link to a heading that does not exist.
SPHINX = ("-c", "docs", "-b", "html", "-W", "--keep-going", "-q", "-j", "auto")
DOXYGEN = ("/usr/bin/doxygen", "docs/cpp/Doxyfile")


def sphinx(folder):
    """The command that makes the pages in `folder`/html, to be run at the top of the repository."""
    return python("sphinx", *SPHINX, "-d", f"{folder}/doctrees", ".", f"{folder}/html")


def build_manual(arguments):
    if arguments:
        raise wrong_input(f"docs: found {arguments[0]}; allowed: no argument")
    os.makedirs(f"{ROOT}/{FOLDER}/html", exist_ok=True)
    for command in (sphinx(FOLDER), DOXYGEN):
        if attend(command, cwd=ROOT) != 0:
            raise Failure("docs: the errors above are in the sources of the manual")
    show(f"{FOLDER}/html/index.html\n")

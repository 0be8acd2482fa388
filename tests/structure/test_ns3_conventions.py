# SPDX-License-Identifier: BSD-3-Clause
"""The files of ns3-modules follow the conventions of ns-3: each begins with its header, and each
doxygen group is defined once."""

import re
from collections import Counter
from pathlib import Path

import pytest

MODULES = Path(__file__).resolve().parents[2] / "ns3-modules"
FILES = sorted([*MODULES.rglob("*.h"), *MODULES.rglob("*.cc")])
HEADER = re.compile(
    r"/\*\n"
    r" \* Copyright \(c\) \d{4} .+\n"
    r" \*\n"
    r" \* SPDX-License-Identifier: GPL-2\.0-only\n"
    r" \*\n"
    r"( \* Author: .+\n)+"
    r" \*/\n"
    r"\n"
)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(MODULES)))
def test_a_file_begins_with_copyright_licence_and_author(file):
    assert HEADER.match(file.read_text())


def groups(command):
    """The groups named by all uses of a doxygen command."""
    return [name for file in FILES for name in re.findall(rf"\\{command} (\S+)", file.read_text())]


def test_each_module_defines_its_group_once():
    modules = {folder.parent.name for folder in MODULES.glob("*/model")}
    assert Counter(groups("defgroup")) == Counter(modules)


def test_classes_are_in_groups_that_exist():
    used = set(groups("ingroup"))
    assert used and used <= set(groups("defgroup"))

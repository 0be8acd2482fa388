# SPDX-License-Identifier: BSD-3-Clause
"""Python packages of hw import only what is below them."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What a package may import of hw, beside itself.
BELOW = {
    "hw.commands": set(),
    "hw.p4": {"hw.commands"},
    "hw.testbed": {"hw.commands"},
}


def imported(node, package):
    """The full names that a statement imports; `package`: of its file."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        above = package.split(".")
        above = above[: len(above) - node.level + 1] if node.level else []
        base = ".".join(above + ([node.module] if node.module else []))
        return [f"{base}.{alias.name}" for alias in node.names]
    return []


def imports_of_hw(source, package):
    """The packages of hw that a text imports, wherever in it, as hw.NAME."""
    names = [name for node in ast.walk(ast.parse(source)) for name in imported(node, package)]
    return {".".join(name.split(".")[:2]) for name in names if name.split(".")[0] == "hw"}


@pytest.mark.parametrize("package", BELOW)
def test_a_package_imports_what_is_below_it(package):
    files = list((ROOT / package.replace(".", "/")).rglob("*.py"))
    assert files
    others = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        for name in imports_of_hw(path.read_text(), ".".join(path.relative_to(ROOT).parent.parts))
        if name not in BELOW[package] | {package}
    ]
    assert others == []


@pytest.mark.parametrize(
    "statement",
    [
        "import hw.testbed.run",
        "import json, hw.testbed as below",
        "from hw import testbed",
        "from hw.testbed import run",
        "from hw.testbed.run import Run",
        "from ..testbed import run",
        "from .. import testbed",
        "def late():\n    from hw.testbed.run import Run",
    ],
)
def test_every_way_to_import_is_seen(statement):
    assert imports_of_hw(statement, "hw.p4") == {"hw.testbed"}

# SPDX-License-Identifier: BSD-3-Clause
"""Python packages of hw import only packages below them, and never analysis."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Packages of hw that each package may import in addition to itself.
BELOW = {
    "hw.commands": set(),
    "hw.files": {"hw.commands"},
    "hw.libina": {"hw.commands", "hw.testbed"},  # imported by its tests
    "hw.p4": {"hw.commands"},
    "hw.testbed": {"hw.commands", "hw.files", "hw.p4"},
}


def imported(node, package):
    """The full names that a statement imports. `package`: package of its file."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        above = package.split(".")
        above = above[: len(above) - node.level + 1] if node.level else []
        base = ".".join(above + ([node.module] if node.module else []))
        return [f"{base}.{alias.name}" for alias in node.names]
    return []


def imports(source, package):
    """The full names imported anywhere in a text."""
    return [name for node in ast.walk(ast.parse(source)) for name in imported(node, package)]


def imports_of_hw(source, package):
    """The packages of hw that a text imports, as hw.NAME."""
    names = imports(source, package)
    return {".".join(name.split(".")[:2]) for name in names if name.split(".")[0] == "hw"}


def files_that_import(folder, package):
    """The Python files below a folder that import a top-level package."""
    return [
        path for path in folder.rglob("*.py")
        if any(name.split(".")[0] == package for name in imports(path.read_text(), ""))
    ]


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


def test_nothing_in_hw_imports_the_analysis():
    assert files_that_import(ROOT / "hw", "analysis") == []


@pytest.mark.parametrize("statement", [
    "import analysis", "import os, analysis.kinds.style", "from analysis.results import read",
    "def late():\n    from analysis import style",
])  # fmt: skip
def test_an_import_of_the_analysis_is_found_anywhere_in_a_folder(tmp_path, statement):
    (tmp_path / "below").mkdir()
    guilty = tmp_path / "below" / "module.py"
    guilty.write_text(statement)
    (tmp_path / "innocent.py").write_text("import hw.files.output")
    assert files_that_import(tmp_path, "analysis") == [guilty]


def test_every_package_of_hw_is_listed():
    packages = {path.relative_to(ROOT).parts[1] for path in (ROOT / "hw").rglob("*.py")}
    assert {f"hw.{package}" for package in packages} == set(BELOW)


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

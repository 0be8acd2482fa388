# SPDX-License-Identifier: BSD-3-Clause
"""A change of a policy or of a data-plane program recompiles few files.

The tests read the header dependencies of each object from NINJA in the folder BUILD.
"""

import functools
import json
import os
import subprocess
from pathlib import Path

import pytest

from analysis.launcher.sources import sources

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "switch-models"
# These headers dispatch to policies but do not include any.
OF_ALL = {"collision_policy.hpp", "visit_policy.hpp"}
POLICIES = [path for path in (MODELS / "policies").glob("*.hpp") if path.name not in OF_ALL]
PROGRAMS = [MODELS / "programs" / f"{name}.hpp" for name in ("atp", "dsa", "switchml")]
MAKERS = {"make_atp.cpp.o", "make_dsa.cpp.o", "make_switchml.cpp.o", "collision_policy.cpp.o"}
RECIPES = {"own-policy.cc.o"}  # shows how users do it
MOST = 12  # objects, which take half a minute on two processors


@functools.cache
def objects_by_header():
    printed = subprocess.run(
        [os.environ["NINJA"], "-C", os.environ["BUILD"], "-t", "deps"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    users = {}
    for line in printed.splitlines():
        if line and not line.startswith(" "):
            user = Path(line.split(":")[0])
        elif f"/{MODELS.name}/" in line:
            header = Path(os.path.normpath(Path(os.environ["BUILD"]) / line.strip()))
            users.setdefault(header, set()).add(user)
    return users


@pytest.mark.parametrize("header", POLICIES + PROGRAMS, ids=lambda path: path.name)
def test_only_the_makers_of_programs_a_recipe_and_few_tests_include(header):
    users = objects_by_header()[header]
    assert 1 <= len(users) <= MOST
    built_to_run = {path.name for path in users if not {"test", "tests"} & set(path.parts)}
    assert built_to_run <= MAKERS | RECIPES


def read_by_the_build():
    """All files of this repository that Ninja or CMake has read."""
    folder = os.environ["BUILD"]
    printed = ""
    for tool in (["deps"], ["inputs", "all"], ["inputs", "build.ninja"]):
        printed += subprocess.run(
            [os.environ["NINJA"], "-C", folder, "-t", *tool], capture_output=True, text=True, check=True
        ).stdout
    paths = {os.path.normpath(Path(folder) / line.strip()) for line in printed.splitlines()}
    return {Path(path) for path in paths if os.path.isfile(path) and ROOT in Path(path).parents}


def test_the_launcher_builds_again_when_any_file_changes_that_the_build_has_read():
    noticed = {Path(line.rsplit(" ", 2)[0]) for line in sources()}
    noticed |= {ROOT / path for path in noticed}
    files = {path for path in read_by_the_build() if ROOT / "build" not in path.parents}
    assert len(files) > 500
    assert sorted(path for path in files - noticed if path.suffix != ".py") == []


def test_few_objects_are_compiled_for_the_place_of_the_checkout():
    """A copied checkout takes the other objects from the compiler's cache."""
    commands = json.loads((Path(os.environ["BUILD"]) / "compile_commands.json").read_text())
    placed = {
        one["file"]
        for one in commands
        for word in one["command"].split()
        if word.startswith("-D") and str(ROOT) in word
    }
    assert len(placed) <= 15, sorted(placed)

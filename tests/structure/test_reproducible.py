# SPDX-License-Identifier: BSD-3-Clause
"""ina-sim has the same build-id in any build folder, with and without ccache.

Slices from several machines can be merged if their build-ids are equal. Building ina-sim twice
would take minutes, so the tests compile a few sources and link all objects in other folders, and
search all objects for paths. NINJA must have built ina-sim in the folder BUILD.
"""

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "bin/ina-sim"
CODE = ["hw", "ns3-modules", "scenarios", "switch-models"]
# Each comes from a different library, or has its own flags, logging or assertions.
SOURCES = [
    "hw/fields/strict_json.cpp",
    "ns3-modules/ina-cluster/app/build-info.cc",
    "ns3-modules/ina-network/model/ina-channel.cc",
    "scenarios/reader/trace_files.cpp",
]


def build():
    return Path(os.environ["BUILD"])


def printed_by(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


@functools.cache
def commands_of_the_program():
    return printed_by(os.environ["NINJA"], "-C", build(), "-t", "commands", PROGRAM).splitlines()


def objects_of_the_program():
    """Paths of the objects, below BUILD."""
    found = [re.search(r" -o (\S+\.o) -c ", command) for command in commands_of_the_program()]
    return [match[1] for match in found if match]


def link_command():
    """The command that links the program. The last command belongs to the target that records the
    commit."""
    (command,) = [line for line in commands_of_the_program() if f" -o {PROGRAM} " in line]
    return command.removeprefix(": && ").removesuffix(" && :")


def build_id(program):
    return re.search("Build ID: ([0-9a-f]{40})", printed_by("readelf", "-n", program))[1]


@pytest.fixture
def other_root(tmp_path):
    """A copy of the code in another folder, with a build folder."""
    root = tmp_path / "another/way to it"
    for part in CODE:
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("papers", "test*"))
    (root / "build/here").mkdir(parents=True)
    for headers in ("boost", "here/include"):  # unpacked or written by CMake
        if (origin := build().parent / headers.replace("here", build().name)).exists():
            (root / "build" / headers).symlink_to(origin)
    return root


def elsewhere(word, root):
    return word.replace(str(build()), str(root / "build/here")).replace(str(ROOT), str(root))


def output_of(command):
    return command[command.index("-o") + 1]


def compile_command(source):
    commands = json.loads((build() / "compile_commands.json").read_text())
    command = next(
        one["command"]
        for one in commands
        if one["file"] == str(ROOT / source) and output_of(one["command"].split()) in objects_of_the_program()
    )
    words = shlex.split(command)
    compiler = next(i for i, word in enumerate(words) if re.search(r"(\+\+|g\+\+-\d+|clang\+\+-\d+)$", word))
    return words[compiler:]  # without a preceding ccache


def test_no_object_has_the_path_of_the_checkout_or_of_the_build():
    files = [*objects_of_the_program(), PROGRAM]
    assert len(files) > 100
    paths = [str(ROOT).encode(), str(build()).encode()]
    assert [file for file in files if any(path in (build() / file).read_bytes() for path in paths)] == []


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_gives_the_same_object_in_another_folder_without_ccache(source, other_root):
    command = compile_command(source)
    made = output_of(command)
    folder = other_root / "build/here"
    (folder / made).parent.mkdir(parents=True)
    subprocess.run([elsewhere(word, other_root) for word in command], cwd=folder, check=True)
    assert (folder / made).read_bytes() == (build() / made).read_bytes()


def test_the_objects_give_the_same_build_id_in_another_folder(other_root):
    folder = other_root / "build/here"
    command = [elsewhere(word, other_root) for word in shlex.split(link_command())]
    for word in command:
        if (build() / word).is_file() and not Path(word).is_absolute() and word != PROGRAM:
            (folder / word).parent.mkdir(parents=True, exist_ok=True)
            (folder / word).symlink_to(build() / word)
    (folder / "bin").mkdir()
    subprocess.run(command, cwd=folder, check=True)
    assert build_id(folder / PROGRAM) == build_id(build() / PROGRAM)

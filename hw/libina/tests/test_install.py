# SPDX-License-Identifier: BSD-3-Clause
"""An installed copy of the library, as a program outside this repository uses it."""

import os
import re
import shutil
import subprocess

import pytest

from hw.testbed.tests.support import PROGRAMS, ROOT, SMALL, ina_testbed

BUILD = PROGRAMS.parent
VERSION = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
EXAMPLE = ROOT / "hw" / "libina" / "examples" / "worker.c"
PROGRAM = """
#include <ina.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  if (strcmp(ina_version(), INA_VERSION) != 0) return 1;
  if (ina_init("/", 0, "net_memif0") != INA_WRONG_INPUT) return 2;
  printf("%d.%d.%d: %s", INA_VERSION_MAJOR, INA_VERSION_MINOR, INA_VERSION_PATCH, ina_error());
  return 0;
}
"""
SAYS = f"{VERSION}: /: found a folder; allowed: a cluster file, as `ina-sim plan` prints it"
CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C CXX)
find_package(ina {version} REQUIRED)
add_executable(in-c user.c)
add_executable(in-cpp user.cpp)
target_link_libraries(in-c PRIVATE ina::ina)
target_link_libraries(in-cpp PRIVATE ina::ina)
"""


def run(*words, **options):
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installation that was moved afterwards, as a package may be."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    (folder / "first").rename(folder / "prefix")
    return folder / "prefix"


def library_folder(prefix):
    (library,) = prefix.glob("lib*/**/libina.so")
    return library.parent


def pkg_config(prefix, *words):
    path = library_folder(prefix) / "pkgconfig"
    return run("pkg-config", *words, "ina", env={**os.environ, "PKG_CONFIG_PATH": path}).split()


@pytest.mark.parametrize(
    ("compiler", "standard", "suffix"), [("cc", "c99", "c"), ("c++", "c++11", "cpp")]
)
def test_a_program_is_built_by_pkg_config(prefix, tmp_path, compiler, standard, suffix):
    source = tmp_path / f"user.{suffix}"
    source.write_text(PROGRAM)
    strict = (f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    flags = pkg_config(prefix, "--cflags", "--libs")
    run(compiler, *strict, source, "-o", tmp_path / "user", *flags)
    libraries = {**os.environ, "LD_LIBRARY_PATH": library_folder(prefix)}
    assert run(tmp_path / "user", env=libraries) == SAYS


def test_programs_are_built_by_find_package(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_LISTS.format(version=VERSION))
    for suffix in ("c", "cpp"):
        (tmp_path / f"user.{suffix}").write_text(PROGRAM)
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    for name in ("in-c", "in-cpp"):
        assert run(tmp_path / "build" / name) == SAYS


def test_find_package_refuses_another_minor_version(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_LISTS.format(version="0.0"))
    words = ("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert 'compatible with requested version "0.0"' in " ".join(done.stderr.split())


def test_soname_and_symbol_version_are_of_the_minor_version_and_only_the_api_is_seen(prefix):
    library = library_folder(prefix) / "libina.so"
    minor = ".".join(VERSION.split(".")[:2])
    assert f"Library soname: [libina.so.{minor}]" in run("readelf", "--dynamic", library)
    assert "RUNPATH" not in run("readelf", "--dynamic", library)
    assert pkg_config(prefix, "--modversion") == [VERSION]
    names = run("nm", "--dynamic", "--defined-only", "--with-symbol-versions", library).split("\n")
    seen = {line.split()[-1] for line in names if line and " A " not in line}
    header = (prefix / "include" / "ina.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"^[a-z_].*?\b(ina_[a-z0-9_]+)\(", header, re.MULTILINE))
    assert seen == {f"{name}@@INA_{minor}" for name in declared}


def test_the_example_in_c_is_a_worker(prefix, tmp_path, temporary):
    flags = pkg_config(prefix, "--cflags", "--libs")
    run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", EXAMPLE, "-o", tmp_path / "worker", *flags)
    command = shutil.which("env"), f"LD_LIBRARY_PATH={library_folder(prefix)}", tmp_path / "worker"
    done = ina_testbed(temporary, "exec", SMALL, "--", *command)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == [
        "[0] rank 0 of 2: every sum is 3",
        "[1] rank 1 of 2: every sum is 3",
    ]

# SPDX-License-Identifier: BSD-3-Clause
"""Tests hw/boost.cmake in a project of its own.

If no installed Boost is new enough, apt-get downloads a package, and its headers are unpacked into
the checkout. They precede the system's headers in the search path.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
set(INA_SOURCE_DIR ${CMAKE_SOURCE_DIR})
include(@ROOT@/hw/boost.cmake)
if(NOT TARGET ina-boost)
  message(FATAL_ERROR "Boost: ${INA_BOOST_MISSING}")
endif()
add_executable(user user.cpp)
target_link_libraries(user PRIVATE ina-boost)
"""
OURS = 987654  # a version that no system has
USER = f"#include <boost/version.hpp>\nint main() {{ return BOOST_VERSION == {OURS} ? 0 : 1; }}\n"
APT_GET = """#!/bin/sh
echo "$*" >>@CALLS@
[ -z "$OFFLINE" ] || { echo "E: no network" >&2; exit 100; }
cp @PACKAGE@ .
"""
WITHOUT_BOOST = "-DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON"


class Checkout:
    def __init__(self, folder):
        self.folder = folder / "lab"
        self.folder.mkdir()
        self.calls = folder / "calls"
        self.package = folder / "boost.deb"
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.folder / "CMakeLists.txt").write_text(PROJECT.replace("@ROOT@", str(ROOT)))
        (self.folder / "user.cpp").write_text(USER)
        apt_get = self.bin / "apt-get"
        text = APT_GET.replace("@CALLS@", str(self.calls)).replace("@PACKAGE@", str(self.package))
        apt_get.write_text(text)
        apt_get.chmod(0o755)

    def make_package(self):
        content = self.package.parent / "content"
        headers = content / "usr" / "include" / "boost"
        headers.mkdir(parents=True)
        (headers / "version.hpp").write_text(f"#define BOOST_VERSION {OURS}\n")
        (content / "DEBIAN").mkdir()
        (content / "DEBIAN" / "control").write_text(
            "Package: boost\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: headers\n"
        )
        subprocess.run(["dpkg-deb", "--build", content, self.package], check=True, capture_output=True)

    def configure(self, preset, *options, **variables):
        environment = os.environ | {"PATH": f"{self.bin}:{os.environ['PATH']}"} | variables
        return subprocess.run(
            ["cmake", "-S", self.folder, "-B", self.folder / "build" / preset, *options],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def downloads(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def build_folders(self):
        return sorted(os.listdir(self.folder / "build"))


@pytest.fixture
def checkout(tmp_path):
    if shutil.which("dpkg-deb") is None:
        pytest.skip("no Debian: dpkg-deb is missing")
    return Checkout(tmp_path)


def test_without_a_new_boost_headers_are_unpacked_once_and_win(checkout):
    checkout.make_package()
    for preset in ("release", "debug"):
        done = checkout.configure(preset, WITHOUT_BOOST)
        assert done.returncode == 0, done.stderr
    assert checkout.downloads() == ["-q download libboost1.81-dev"]
    assert checkout.build_folders() == ["boost", "debug", "release"]
    built = checkout.folder / "build" / "release"
    subprocess.run(["cmake", "--build", built], check=True, capture_output=True)
    assert subprocess.run([built / "user"], check=False).returncode == 0


def refused(checkout, **variables):
    """The message on one line."""
    done = checkout.configure("release", WITHOUT_BOOST, **variables)
    assert done.returncode != 0
    assert checkout.build_folders() == ["release"]  # nothing is half-unpacked
    return " ".join(done.stderr.split())


def test_where_nothing_may_be_installed_nothing_is_downloaded(checkout):
    checkout.make_package()
    message = refused(checkout, INA_NO_INSTALL="1")
    assert "INA_NO_INSTALL=1 is set. Allowed: one build without INA_NO_INSTALL" in message
    assert checkout.downloads() == []


def test_a_download_that_fails_says_why_and_what_may_help(checkout):
    message = refused(checkout, OFFLINE="1")
    assert "apt-get download failed: E: no network" in message
    assert "apt-get update" in message


def test_a_broken_package_leaves_nothing_behind(checkout):
    checkout.package.write_text("no package")
    assert "dpkg-deb failed: " in refused(checkout)

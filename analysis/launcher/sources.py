# SPDX-License-Identifier: BSD-3-Clause
"""The source files of programs, and whether they changed since the last build.

A successful build leaves a stamp in its folder: the targets that are up to date, the state of the
installed packages and of Ninja's file after the build, and the state of the sources before it. A
command whose targets are in a stamp of the present state needs neither CMake nor the build lock.
"""

import os

from analysis.launcher import ROOT

FOLDERS = ("hw", "switch-models", "scenarios", "ns3-modules", "tests", "traces", "analysis")
FILES = (
    "CMakeLists.txt",
    "CMakePresets.json",
    "VERSION",
    ".ci/packages",
    "scenarios/scenario.schema.json",
    "tests/scenarios/bad.json",
)
ENDINGS = (".cpp", ".hpp", ".cc", ".h", ".cmake", ".in", ".map", "CMakeLists.txt")
PACKAGES = "/var/lib/dpkg/status"


def state_of(path):
    """A text that changes whenever the file does."""
    try:
        found = os.stat(path)
    except OSError:
        return "none"
    return f"{found.st_size} {found.st_mtime_ns}"


def sources():
    """The state of all sources, one per line, including the commit, which every build records."""
    lines = [f"{name} {state_of(f'{ROOT}/{name}')}" for name in FILES]
    lines.append(f"commit {state_of(f'{git_folder()}/logs/HEAD')}")
    for folder in FOLDERS:
        collect(f"{ROOT}/{folder}", lines)
    return [ROOT, *sorted(lines)]


def collect(folder, lines):
    try:
        entries = os.scandir(folder)
    except OSError:
        return
    with entries:
        for entry in entries:
            if entry.name.endswith(ENDINGS):
                lines.append(f"{entry.path} {state_of(entry.path)}")
            elif entry.name[0] not in "._" and entry.is_dir(follow_symlinks=False):
                collect(entry.path, lines)


def git_folder():
    """The git folder; in a worktree, .git is a file that names it."""
    path = f"{ROOT}/.git"
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return os.path.join(ROOT, file.read().removeprefix("gitdir:").strip())
    except OSError:
        return path


def read_stamp(folder):
    """Targets, states of packages and of Ninja's file, and the lines of the sources."""
    try:
        with open(folder.stamp, encoding="utf-8", errors="surrogateescape") as file:
            built, packages, build_file, *before = file.read().split("\n")
    except (OSError, ValueError):
        return [], "", "", []
    return built.split(), packages, build_file, before


def built_with_packages(folder):
    """Whether the last build had the packages that are installed now."""
    return read_stamp(folder)[1] == state_of(PACKAGES)


class Stamp:
    """The record of what a build folder was built from. `checks_packages`: whether changed packages
    make it out of date."""

    def __init__(self, folder):
        self.folder = folder
        self.before = sources()

    def covers(self, targets, checks_packages):
        """Whether the targets are built from the present state."""
        built, packages, *state = read_stamp(self.folder)
        return (
            state == self.state()
            and (packages == state_of(PACKAGES) or not checks_packages)
            and all(self.folder.has(target) and {target, "all"} & set(built) for target in targets)
        )

    def state(self):
        return [state_of(self.folder.build_file), self.before]

    def begin(self):
        """Deletes the stamp of another state, since an interrupted build may leave a mixture."""
        if read_stamp(self.folder)[1:] != (state_of(PACKAGES), *self.state()):
            self.write([])

    def add(self, targets):
        self.write(sorted({*read_stamp(self.folder)[0], *targets}))

    def write(self, targets):
        build_file, before = self.state()
        new = f"{self.folder.stamp}.new"
        with open(new, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("\n".join([" ".join(targets), state_of(PACKAGES), build_file, *before]))
        os.replace(new, self.folder.stamp)

# SPDX-License-Identifier: BSD-3-Clause
"""CMake presets and their build folders."""

import os

from analysis.launcher import ROOT
from analysis.launcher.messages import wrong_input

BINARY_DIR = '"binaryDir": "${sourceDir}/build/'
LIBRARIES = {"libina": "lib/libina.so"}


class BuildFolder:
    """A build folder. `no_build`: whether programs are used without building."""

    def __init__(self, preset, no_build=False):
        self.preset = preset
        self.no_build = no_build
        self.path = f"{ROOT}/build/{preset}"
        self.log = f"{self.path}/ina-build.log"
        self.lock = f"{self.path}/ina-build.lock"
        self.stamp = f"{self.path}/ina-built"
        self.build_file = f"{self.path}/build.ninja"

    def programs(self):
        return f"{self.path}/bin"

    def program(self, name):
        return f"{self.path}/bin/{name}"

    def has(self, target):
        """Whether the file of a target exists. The target `all` is a configured folder."""
        if target == "all":
            return os.path.exists(self.build_file)
        return os.path.exists(f"{self.path}/{LIBRARIES.get(target, f'bin/{target}')}")


def names():
    with open(f"{ROOT}/CMakePresets.json", encoding="utf-8") as file:
        return [line.split(BINARY_DIR)[1].split('"')[0] for line in file if BINARY_DIR in line]


def chosen(command):
    """The preset in INA_PRESET. The fuzz preset builds only the fuzz targets."""
    preset = os.environ.get("INA_PRESET") or "release"
    allowed = [name for name in names() if command == "build" or name != "fuzz"]
    if preset not in allowed:
        raise wrong_input(f'INA_PRESET: found "{preset}"; allowed: {", ".join(allowed)}')
    return preset

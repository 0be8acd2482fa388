# SPDX-License-Identifier: BSD-3-Clause
"""Runs the PTF test on a switch, if there is one: hardware or a vendor's model."""

import importlib.util
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
OPTIONS = os.environ.get("INA_PTF")


def missing():
    if not shutil.which("ptf"):
        return "no switch: ptf is not in the PATH"
    if not importlib.util.find_spec("bfrt_grpc"):
        return "no switch: bfrt_grpc is not in PYTHONPATH"
    return None if OPTIONS else "no switch: INA_PTF does not say which (hw/p4/ptf/README.md)"


def test_plays_the_golden_traces():
    if missing():
        pytest.skip(missing())
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    command = ["ptf", "--test-dir", ROOT / "hw" / "p4" / "ptf" / "playing", *shlex.split(OPTIONS)]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=True)

# SPDX-License-Identifier: BSD-3-Clause
"""The P4 programs fit the twelve stages of Tofino 1: the open compiler's p4c-barefoot compiles them (variable BF_P4C, or
in the PATH), and its assembler, bfas (variable BFAS, or in the PATH), accepts what comes out. The compiler's status
alone says nothing about stages."""

import os
import shutil
import subprocess

import p4_text
import pytest

BF_P4C = os.environ.get("BF_P4C") or shutil.which("p4c-barefoot")
BFAS = os.environ.get("BFAS") or shutil.which("bfas")
if not (BF_P4C and BFAS):
    pytest.skip("p4c-barefoot and bfas are not both installed", allow_module_level=True)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("system", ["switchml", "atp", "dsa"])
def test_fits(system, tmp_path):
    program = p4_text.PROGRAMS / system / f"{system}.p4"
    target = ("--target", "tofino")
    run(BF_P4C, *target, "--arch", "tna", "-D__TARGET_TOFINO__=1", "-o", tmp_path, program)
    (assembly,) = tmp_path.rglob("*.bfa")
    run(BFAS, *target, "-o", tmp_path / "assembled", assembly)

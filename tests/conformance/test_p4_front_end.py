# SPDX-License-Identifier: BSD-3-Clause
"""p4test, the front end of the open compiler, accepts the P4 programs.

The variable P4TEST or PATH locates it. It needs tna.p4 of its Tofino back end: P4C_16_INCLUDE_PATH
names the folder unless it is next to the program.
"""

import os
import shutil
import subprocess

import p4_text
import pytest

P4TEST = os.environ.get("P4TEST") or shutil.which("p4test")
if not P4TEST:
    pytest.skip("p4test is not installed", allow_module_level=True)


# Each program uses only a part of the shared code, and a Tofino clears metadata before its parser.
HARMLESS = ("--Wdisable=unused", "--Wdisable=uninitialized-out-param")


def accept(program):
    return subprocess.run(
        [P4TEST, "-D__TARGET_TOFINO__=1", "--Werror", *HARMLESS, program], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", p4_text.NAMES)
def test_accepts(name):
    done = accept(p4_text.program(name))
    assert done.returncode == 0, done.stderr


def test_refuses_an_unknown_field(tmp_path):
    shutil.copytree(p4_text.PROGRAMS, tmp_path / "p4")
    verdict = tmp_path / "p4" / "switchml" / "verdict.p4"
    verdict.write_text(verdict.read_text(encoding="utf-8").replace("udp.checksum", "udp.check"), encoding="utf-8")
    done = accept(tmp_path / "p4" / "switchml" / "switchml.p4")
    assert done.returncode != 0
    assert "check" in done.stderr

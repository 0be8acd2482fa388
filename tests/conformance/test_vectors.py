# SPDX-License-Identifier: BSD-3-Clause
"""The committed golden packets and golden traces equal the output of their generators."""

import shutil
import subprocess
import sys

import pytest
from frames import VECTORS


@pytest.mark.parametrize("program", ["make_vectors.py", "make_golden_traces.py"])
def test_what_is_committed_is_what_the_program_writes(tmp_path, program):
    again = shutil.copytree(VECTORS, tmp_path / "vectors")
    subprocess.run([sys.executable, again / program], check=True)
    files = [f.relative_to(VECTORS) for suffix in ("hex", "json") for f in VECTORS.rglob(f"*.{suffix}")]
    assert len(files) > 35
    for file in files:
        assert (again / file).read_bytes() == (VECTORS / file).read_bytes(), file

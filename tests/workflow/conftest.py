# SPDX-License-Identifier: BSD-3-Clause
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CLI = HERE.parent / "cli"
WORKFLOW = HERE.parents[1] / "scenarios" / "workflow"
sys.path[:0] = [str(HERE), str(CLI), str(WORKFLOW)]  # helpers; ina_sim; sweeps


@pytest.fixture
def tiny():
    return CLI / "tiny.json"


@pytest.fixture
def long(tmp_path):
    """Six runs, each long enough to be killed while it is running."""
    path = tmp_path / "long.json"
    path.write_text(
        '{"system": "switchml", "topology": {"hosts": 8, "parameter_servers": 0}, "payload": "none",'
        ' "jobs": {"workers": 8, "profile": {"partition_bytes": "400MB", "layers":'
        ' [{"parameters": 9000000}]}}, "seeds": "1-6"}'
    )
    return path

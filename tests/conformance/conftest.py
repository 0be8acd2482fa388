# SPDX-License-Identifier: BSD-3-Clause
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # p4_text, frames
sys.path.insert(0, str(HERE.parent / "vectors"))  # formats, golden traces
sys.path.insert(0, str(HERE.parents[1]))  # hw.p4


@pytest.fixture(scope="session")
def wire():
    """Headers and numbers of hw/protocol/wire, from its C++."""
    printed = subprocess.run([os.environ["PRINT_WIRE"]], capture_output=True, check=True)
    return json.loads(printed.stdout)


def pytest_sessionfinish(session, exitstatus):
    """Reports to CTest that all modules were skipped."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = 77

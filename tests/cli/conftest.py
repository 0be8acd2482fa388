# SPDX-License-Identifier: BSD-3-Clause
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # ina_sim
sys.path.insert(0, str(HERE.parents[1]))  # hw.testbed


@pytest.fixture
def tiny():
    return HERE / "tiny.json"


@pytest.fixture
def slow():
    return HERE / "slow.json"

# SPDX-License-Identifier: BSD-3-Clause
import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))  # for hw.testbed

from hw.testbed.tests.support import SMALL, program  # noqa: E402


@pytest.fixture
def temporary(tmp_path):
    """Folder for temporary files of the testbed, which must be empty at the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def cluster(tmp_path):
    plan = program("ina-sim", "plan", SMALL)
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(json.loads(plan.stdout)[0]["runs"][0]["cluster"]))
    return path

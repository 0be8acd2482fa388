# SPDX-License-Identifier: BSD-3-Clause
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))  # for hw.testbed

from hw.testbed.tests.conftest import temporary  # noqa: E402, F401

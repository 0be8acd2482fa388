# SPDX-License-Identifier: BSD-3-Clause
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

sys.path[:0] = [str(TESTS / "cli"), str(TESTS.parent)]  # for ina_sim and analysis

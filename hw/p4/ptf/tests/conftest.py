# SPDX-License-Identifier: BSD-3-Clause
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT))  # for hw.p4
sys.path.insert(0, str(ROOT / "tests" / "conformance"))  # for p4_tables

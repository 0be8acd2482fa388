# SPDX-License-Identifier: BSD-3-Clause
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))  # hw.testbed

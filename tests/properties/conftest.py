# SPDX-License-Identifier: BSD-3-Clause
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

sys.path[:0] = [str(HERE), str(HERE.parent / "cli"), str(HERE.parents[1])]  # networks, ina_sim, analysis

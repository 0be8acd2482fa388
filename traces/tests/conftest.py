# SPDX-License-Identifier: BSD-3-Clause
"""Makes the scripts of the neighbouring folders importable in the way they import each other."""

import sys
from pathlib import Path

TRACES = Path(__file__).resolve().parents[1]
for folder in ("profiles", "minibatch"):
    sys.path.insert(0, str(TRACES / folder))

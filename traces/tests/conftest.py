# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of the folders beside this one are imported as they import each other."""

import sys
from pathlib import Path

TRACES = Path(__file__).resolve().parents[1]
for folder in ("profiles", "minibatch"):
    sys.path.insert(0, str(TRACES / folder))

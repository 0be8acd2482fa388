# SPDX-License-Identifier: BSD-3-Clause
"""INA Lab in Python and in notebooks: scenarios, runs and their results as pandas frames.

    import inalab

    scenario = inalab.Scenario({"jobs": {"profile": "dnn-a", "count": 2}})
    scenario.sweep("/system", ["switchml", "atp", "dsa"])
    results = inalab.run(scenario)
    results.jct()

`./ina python` and `./ina notebook` find this package; elsewhere `PYTHONPATH=analysis` does.
analysis/README.md describes it.
"""

import os
import sys


def _find_checkout():
    """Lets `analysis` and `hw` be imported. The modules of analysis/ go last, since they would hide
    packages of the same names, such as markdown."""
    analysis = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    others = [path for path in sys.path if os.path.realpath(path) != os.path.realpath(analysis)]
    sys.path[:] = [os.path.dirname(analysis), *others, analysis]


_find_checkout()

from inalab.errors import Error  # noqa: E402
from inalab.results import Results, load  # noqa: E402
from inalab.scenario import Scenario  # noqa: E402
from inalab.simulation import run  # noqa: E402

__all__ = ["Error", "Results", "Scenario", "load", "run"]

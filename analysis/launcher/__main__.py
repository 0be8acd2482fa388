# SPDX-License-Identifier: BSD-3-Clause
"""The program that `./ina` starts."""

import os
import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends without a traceback

root = os.path.realpath(f"{__file__}/../../..")
sys.path.insert(0, root)
os.environ["PYTHONPATH"] = ":".join(filter(None, (root, os.environ.get("PYTHONPATH"))))

from analysis.launcher.command_line import main  # noqa: E402

sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: BSD-3-Clause
"""The program that `./ina` starts."""

import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends without a traceback

from analysis.launcher.command_line import main

sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: BSD-3-Clause
"""The commands of `./ina`: installs missing packages, builds what has changed, and starts the
programs.

A command that needs no build should start within milliseconds. Modules that only a build, an
installation or a child process needs are therefore imported where they are used.
"""

import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

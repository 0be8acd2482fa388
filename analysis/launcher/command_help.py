# SPDX-License-Identifier: BSD-3-Clause
"""Help on one command. Programs print their own options; otherwise the launcher's text is shown."""

import os

from analysis.launcher.messages import show
from analysis.launcher.processes import become, python
from analysis.launcher.usage import usage_of

# The program or Python module that prints the options of a command, and its name of the command.
PROGRAMS = {
    **{(name,): ("ina-sim", name) for name in ("run", "merge", "validate", "trace")},
    **{(name,): (f"ina-{name}",) for name in ("explore", "campaign", "bench")},
    ("switch", "report"): ("ina-switch-report", "report"),
}
MODULES = {
    ("bench", "hw"): ("tests.hw_bench",),
    **{("switch", verb): ("hw.p4.control", verb) for verb in ("load", "serve")},
    **{("testbed", verb): ("hw.testbed", verb) for verb in ("run", "up", "down", "exec", "check")},
    ("testbed",): ("hw.testbed",),
    **{
        (name,): ("analysis", name)
        for name in ("plot", "breakdown", "report", "compare", "diff", "regress", "reproduce", "sensitivity")
    },
}


def show_help(folder, command, arguments):
    for words in ((command, *arguments[:1]), (command,)):
        if words in PROGRAMS:
            show_program_help(folder, command, *PROGRAMS[words])
            return
        if words in MODULES:
            show_module_help(command, *MODULES[words])
            return
    show(usage_of(command))


def show_program_help(folder, command, program, *words):
    """Shows the program's help if it is built, otherwise the launcher's text."""
    if os.access(folder.program(program), os.X_OK):
        become([folder.program(program), *words, "--help"])
    show(f"{usage_of(command)}\nIts options: ./ina build {program}, then this again.\n")


def show_module_help(command, module, *words):
    import subprocess

    command_line = python(module, *words, "--help")
    nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if subprocess.run(command_line, **nowhere, check=False).returncode == 0:  # the packages are installed
        become(command_line)
    show(f"{usage_of(command)}\nIts options: ./ina install, then this again.\n")

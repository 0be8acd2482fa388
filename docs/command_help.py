#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Renews docs/reference/commands.md from the help texts of all commands:

    PYTHONPATH=. docs/command_help.py build/release/bin

The commands are those that `./ina COMMAND --help` knows (analysis/launcher/command_help.py).
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from analysis.launcher.command_help import MODULES, PROGRAMS
from analysis.launcher.usage import TEXT

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "commands.md"
SECTIONS = re.compile(r"(?<=<!-- commands -->\n).*?(?=<!-- end -->)", re.DOTALL)


def help_of(programs: Path, words) -> str:
    if words in PROGRAMS:
        program, *arguments = PROGRAMS[words]
        command = [str(programs / program), *arguments]
    else:
        module, *arguments = MODULES[words]
        command = ["/usr/bin/python3", "-P", "-m", module, *arguments]
    environment = os.environ | {"COLUMNS": "100", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True, env=environment)
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines()).strip("\n") + "\n"


def renewed(text: str, programs: Path) -> str:
    """The page with today's help texts."""
    names = [("ina",), *sorted({*PROGRAMS, *MODULES})]
    sections = [
        f"## {' '.join(words)}\n\n```text\n{TEXT if words == ('ina',) else help_of(programs, words)}```\n\n" for words in names
    ]
    return SECTIONS.sub(lambda _: "\n" + "".join(sections), text)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), Path(sys.argv[1])), encoding="utf-8")

# SPDX-License-Identifier: BSD-3-Clause
"""The page of commands has the help texts that the commands print."""

import os
from pathlib import Path

from analysis.launcher.command_line import COMMANDS
from docs import command_help


def test_the_help_texts_of_the_manual_are_those_of_the_commands():
    text = command_help.PAGE.read_text(encoding="utf-8")
    renewed = command_help.renewed(text, Path(os.environ["INA_PROGRAMS"]))
    assert text == renewed, "renew it: PYTHONPATH=. docs/command_help.py build/release/bin"


def test_every_command_is_in_the_help_text_of_ina():
    text = command_help.PAGE.read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"\n  {name} " not in text] == []

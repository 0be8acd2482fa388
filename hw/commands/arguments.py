# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of several commands."""

import argparse
from pathlib import Path

from hw.commands.inputs import Inputs, Programs


def add_inputs(one, count="+"):
    """Adds the arguments that define Inputs."""
    one.add_argument("files", metavar="FILE", nargs=count, help="scenario files")
    one.add_argument(
        "--set",
        metavar="/KEY=VALUE",
        action="append",
        default=[],
        dest="overrides",
        help="set a key; a swept key is then no longer swept (several times)",
    )
    one.add_argument("--seeds", metavar="1-5", type=some, help="seeds to use instead of those of the file")
    add_programs(one)


def add_programs(one):
    """Adds the folder of the programs, which the launcher passes."""
    one.add_argument("--programs", metavar="DIR", type=Path, required=True, help=argparse.SUPPRESS)


def inputs_of(options):
    programs = Programs(options.programs.resolve())
    return Inputs(programs, options.files, options.overrides, options.seeds)


def whole_number(text):
    if text.isdecimal() and text.isascii() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f'"{text}"; allowed: a whole number from 1')


def folder(text):
    return Path(some(text))


def some(text):
    if text:
        return text
    raise argparse.ArgumentTypeError('"" says nothing')

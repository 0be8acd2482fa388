# SPDX-License-Identifier: BSD-3-Clause
"""Parses the source code of a program."""

from functools import cache, lru_cache
from pathlib import Path

import lark

HERE = Path(__file__).resolve().parent


class Refused(Exception):
    """Raised for P4 that the interpreter does not support, and for behaviour that a Tofino does not
    have."""


@cache
def grammar():
    return lark.Lark((HERE / "p4.lark").read_text(encoding="utf-8"), parser="lalr")


def declarations_of(source):
    """The trees of a preprocessed program, appended to those of the architecture."""
    return parsed((HERE / "tofino.p4").read_text(encoding="utf-8")) + parsed(source)


@lru_cache(maxsize=16)
def parsed(source):
    try:
        return grammar().parse(source).children
    except lark.UnexpectedInput as error:
        raise Refused(f"unknown construct: {error}") from None


def refuse(tree, why):
    """Rejects a tree. The message names the line of its first word."""
    lines = [token.line for token in tree.scan_values(lambda leaf: isinstance(leaf, lark.Token))]
    place = f"line {min(lines)} of the preprocessed program, " if lines else ""
    raise Refused(f"{place}{tree.data}: {why}")

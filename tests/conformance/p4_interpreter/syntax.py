# SPDX-License-Identifier: BSD-3-Clause
"""The text of a program as a tree."""

from functools import cache, lru_cache
from pathlib import Path

import lark

HERE = Path(__file__).resolve().parent


class Refused(Exception):
    """A program, or what it does with a packet, that the interpreter does not know or a Tofino does not do."""


@cache
def grammar():
    return lark.Lark((HERE / "p4.lark").read_text(encoding="utf-8"), parser="lalr", propagate_positions=True)


@cache
def architecture():
    return (HERE / "tofino.p4").read_text(encoding="utf-8")


@lru_cache(maxsize=16)
def tree_of(source):
    """Of a preprocessed program, behind the declarations of the architecture."""
    try:
        return grammar().parse(architecture() + source)
    except lark.UnexpectedInput as error:
        raise Refused(f"unknown construct: {error}") from None


def refuse(tree, why):
    line = getattr(tree.meta, "line", "?")
    raise Refused(f"line {line} of the preprocessed program, {tree.data}: {why}")

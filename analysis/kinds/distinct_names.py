# SPDX-License-Identifier: BSD-3-Clause
"""Short, distinct names for swept values."""

import os
import re
from functools import cache

PIECE = re.compile(r"[^\[\]{},/]+")  # piece of JSON or of a path
QUOTES = str.maketrans("", "", '"')


@cache
def distinct_names(texts, short):
    """{text: its name}: `short(text)`, or, if that is not unique, the pieces in which the texts
    differ, numbered as a last resort."""
    names = {text: short(text) for text in texts}
    for name in dict.fromkeys(names.values()):
        alike = [text for text in names if names[text] == name]
        if len(alike) > 1:
            names |= differing(alike, short)
    taken = set()
    for text, name in names.items():
        names[text] = numbered(name, taken)
        taken.add(names[text])
    return names


def differing(texts, short):
    """{text: its pieces between the first and the last one that differ}"""
    pieces = [PIECE.findall(text.translate(QUOTES)) for text in texts]
    start = len(os.path.commonprefix(pieces))
    end = len(os.path.commonprefix([one[start:][::-1] for one in pieces]))
    return {
        text: short(", ".join(one[start : len(one) - end]) or text)
        for text, one in zip(texts, pieces)
    }


def numbered(name, taken):
    """The name, with the next free number if it is in use."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name} ({number})"
    return found

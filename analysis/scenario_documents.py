# SPDX-License-Identifier: BSD-3-Clause
"""Scenario files as JSON documents: a file over the one that it extends, and keys that are set. The
simulator checks documents; nothing is checked again here."""

import copy
import functools
import json

from analysis import scenario_keys


def document_of(file):
    """The content of a file, merged over that of the file that it extends."""
    return functools.reduce(merged, (content for _, content in layers_of(file)), {})


def layers_of(file):
    """[(folder, content)] of a file and of those that it extends, the lowest first. Names are not
    handed down."""
    content = json.loads(file.read_text(encoding="utf-8-sig"))
    below = content.pop("extends", None)
    lower = [] if below is None else layers_of(file.parent / below)
    for _, one in lower:
        one.pop("name", None)
    return [*lower, (file.parent, content)]


def merged(below, above):
    """Objects are merged key by key; everything else is replaced."""
    if not isinstance(below, dict) or not isinstance(above, dict):
        return copy.deepcopy(above)
    return below | {key: merged(below.get(key), value) for key, value in above.items()}


def assign(document, key, value):
    """Sets a key, a JSON pointer, as `--set` does: an axis of the sweep for it goes."""
    document.get("sweep", {}).pop(key, None)
    set_value(document, scenario_keys.names_of(key), value)


def set_value(content, names, value):
    *parents, last = names
    for name in parents:
        content = content[int(name)] if isinstance(content, list) else content.setdefault(name, {})
    content[int(last) if isinstance(content, list) else last] = value

# SPDX-License-Identifier: BSD-3-Clause
"""Reads JSON files of users. Errors are one line: where, what was found, what is allowed."""

import json

from hw.commands.errors import CommandError


def read_json(path, what):
    """The content of a file. `what`: the kind of file that is allowed, such as "a cabling file"."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=without_twins)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}; allowed: {what}") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise CommandError(f"{path}: broken at {place}; allowed: JSON") from None
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path}: {error}; allowed: JSON") from None


def without_twins(pairs):
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f'"{name}" twice in an object')
    return dict(pairs)


def only_keys(fields, place, names, optional=()):
    """Returns `fields`, an object that has all keys of `names`, and no others than `optional`."""
    allowed = f"an object with {', '.join(names)}"
    if optional:
        allowed += f", optionally {', '.join(optional)}"
    if not isinstance(fields, dict):
        refuse(place, fields, allowed)
    for name in fields:
        if name not in names and name not in optional:
            refuse(place, name, allowed)
    for name in names:
        if name not in fields:
            raise CommandError(f"{place}: no {name}; allowed: {allowed}")
    return fields


def refuse(place, found, allowed):
    raise CommandError(f"{place}: {json.dumps(found)}; allowed: {allowed}")

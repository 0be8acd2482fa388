# SPDX-License-Identifier: BSD-3-Clause
"""The keys of scenarios, from scenarios/scenario.schema.json. A key is a JSON pointer."""

import functools
import json
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "scenarios" / "scenario.schema.json"


@functools.cache
def schema():
    return json.loads(FILE.read_text(encoding="utf-8"))


def is_key(pointer):
    return any(True for _ in schemas_of(schema(), names_of(pointer)))


def default_of(pointer):
    """The default of a key; None if it has none or follows from other keys."""
    found = (one["default"] for one in schemas_of(schema(), names_of(pointer)) if "default" in one)
    return next(found, None)


def names_of(pointer):
    return [name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:]]


def schemas_of(schema_of_value, names):
    """The schemas of the values at these names below `schema_of_value`; empty if there are none."""
    if "$ref" in schema_of_value:
        target = schema()
        for name in schema_of_value["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        yield from schemas_of(target, names)
    for one in schema_of_value.get("oneOf", []):
        yield from schemas_of(one, names)
    if not names:
        yield schema_of_value
    elif names[0] in schema_of_value.get("properties", {}):
        yield from schemas_of(schema_of_value["properties"][names[0]], names[1:])
    elif isinstance(schema_of_value.get("additionalProperties"), dict):
        yield from schemas_of(schema_of_value["additionalProperties"], names[1:])
    elif "items" in schema_of_value and (names[0].isdecimal() or names[0] == "N"):
        yield from schemas_of(schema_of_value["items"], names[1:])

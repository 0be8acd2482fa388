# SPDX-License-Identifier: BSD-3-Clause
"""What READMEs ask a user to type names keys that scenarios have."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "scenarios" / "scenario.schema.json").read_text())
NO_KEYS = {"/json/pointer", "/dev/stdout"}
IN_OPTIONS = re.compile(r"--(?:x|lines|panels|set) +'?(/[A-Za-z0-9_/]+)")
QUOTED = re.compile(r"`(/[a-z][A-Za-z0-9_/]*)[=`]")


def is_key(pointer):
    return any(True for _ in schemas_of(SCHEMA, pointer.split("/")[1:]))


def schemas_of(schema, names):
    """What the schema says of the values below `schema` at these names; nothing if there are none."""
    if "$ref" in schema:
        target = SCHEMA
        for name in schema["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        yield from schemas_of(target, names)
    for one in schema.get("oneOf", []):
        yield from schemas_of(one, names)
    if not names:
        yield schema
    elif names[0] in schema.get("properties", {}):
        yield from schemas_of(schema["properties"][names[0]], names[1:])
    elif isinstance(schema.get("additionalProperties"), dict):
        yield from schemas_of(schema["additionalProperties"], names[1:])
    elif "items" in schema and (names[0].isdecimal() or names[0] == "N"):
        yield from schemas_of(schema["items"], names[1:])


def test_a_key_is_found_wherever_the_schema_has_it():
    assert all(map(is_key, ["/jobs/count", "/jobs/0/workers", "/faults/links/N/loss", "/seeds"]))
    assert is_key("/variants/A/switchml/slots")
    assert not any(map(is_key, ["/switch/policy", "/jobs/0/0", "/nothing", "/variants/A/rate"]))


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        *((path, IN_OPTIONS) for path in sorted(ROOT.glob("**/README.md"))),
        (ROOT / "analysis" / "README.md", QUOTED),
    ],
    ids=lambda one: str(one.relative_to(ROOT)) if isinstance(one, Path) else "",
)
def test_keys_that_a_readme_names_are_in_the_schema(file, pattern):
    keys = set(pattern.findall(file.read_text(encoding="utf-8"))) - NO_KEYS
    assert [key for key in sorted(keys) if not is_key(key)] == []

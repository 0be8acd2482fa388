#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Renews the tables of keys in docs/reference/scenario from scenario.schema.json.

Each table is between <!-- keys of PATH --> and <!-- end -->. The path is that of an object in a scenario, or
"a scenario". Several objects with the same keys share a table: <!-- keys of ring, tree -->. The keys of an
object without a table are listed in the table of the object that contains it.
"""

import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGES = sorted((HERE.parent / "docs" / "reference" / "scenario").glob("*.md"))
SCHEMA = json.loads((HERE / "scenario.schema.json").read_text())
TABLE = re.compile(r"(?<=<!-- keys of )([^>]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
TOP = "a scenario"
HEAD = "| key | meaning | default | allowed |\n|---|---|---|---|\n"


def resolved(node):
    """The node with its reference resolved."""
    if "$ref" not in node:
        return node
    target = SCHEMA
    for key in node["$ref"].removeprefix("#/").split("/"):
        target = target[key]
    return {**target, **{key: value for key, value in node.items() if key != "$ref"}}


def alternatives(node):
    """All forms that a value may have; the node itself if it has only one."""
    return [resolved(form) for form in node.get("oneOf", node.get("anyOf", [node]))]


def object_in(node):
    """The form of a value, or of an array's elements, that is an object; None if there is none."""
    for form in alternatives(resolved(node)):
        found = object_in(form["items"]) if form.get("type") == "array" else form
        if found and found.get("type") == "object":
            return found
    return None


def object_at(path):
    node = SCHEMA
    for key in path.split("/") if path != TOP else ():
        node = object_in(node["properties"][key])
    return node


def code(value) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value)
    return f"`{value:g}`" if isinstance(value, float) else f"`{text}`"


def default_of(node, required) -> str:
    if required:
        return "**required**"
    if "default" not in node:
        return ""
    if node["default"] == node.get("items", {}).get("enum"):
        return "all"
    return code(node["default"])


def form_in_words(node) -> str:
    """Allowed values of one form."""
    if "enum" in node:
        return ", ".join(map(code, node["enum"]))
    if "title" in node:
        return node["title"]
    kind = node.get("type")
    if kind in ("integer", "number") and "maximum" in node:
        low = f"from {node['minimum']}" if "minimum" in node else f"above {node['exclusiveMinimum']}"
        return f"{kind} {low} to {node['maximum']}"
    if kind == "array":
        most = node.get("maxItems")
        least = node.get("minItems", 0)
        size = f" of at most {most}"
        if most == least:
            size = f" of {most}"
        elif least > 1:
            size = f" of {least} to {most}"
        each = "" if object_in(node) else f", each {form_in_words(node['items'])}"
        return f"array{size if most else ''}{each}"
    return {"boolean": "`true`, `false`"}.get(kind, kind)


def allowed_by(node) -> str:
    return ", or ".join(map(form_in_words, alternatives(resolved(node))))


def rows(path, node, elsewhere, before=""):
    """A row for each key, including the keys of objects without a table of their own.

    `before` precedes the names of the keys, `elsewhere` has the paths of all tables.
    """
    owners = node.get("dependentSchemas", {})
    for key, field in node["properties"].items():
        meaning = field.get("description", resolved(field).get("description", "")).removesuffix(".")
        if key in owners:
            meaning += f" (of {', '.join(map(code, owners[key]['properties']['name']['enum']))})"
        default = default_of(field, key in node.get("required", ()))
        cells = (f"`{before}{key}`", meaning, default, allowed_by(field))
        inner = object_in(field)
        below = f"{path}/{key}".removeprefix(f"{TOP}/")
        has_keys = inner is not None and "properties" in inner and below not in elsewhere
        if not has_keys or "oneOf" in field:
            yield "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |\n"
        if has_keys:
            yield from rows(below, inner, elsewhere, f"{before}{key}/")


def paths_in(text: str):
    """The paths of the objects whose tables are in the text, a tuple for each table."""
    return [tuple(match.group(1).split(", ")) for match in TABLE.finditer(text)]


def table_of(paths, elsewhere) -> str:
    """The rows of one table. All of the paths have the same keys."""
    first, *others = ["".join(rows(path, object_at(path), elsewhere)) for path in paths]
    if any(other != first for other in others):
        raise ValueError(f"{', '.join(paths)}: found different keys; allowed: the same keys")
    return first


def with_tables(text: str) -> str:
    """A page with the tables of today's schema."""
    elsewhere = {path for page in PAGES for paths in paths_in(page.read_text()) for path in paths}
    return TABLE.sub(
        lambda match: f"{match.group(1)}{match.group(2)}{HEAD}"
        + table_of(match.group(1).split(", "), elsewhere),
        text,
    )


if __name__ == "__main__":
    for one in PAGES:
        one.write_text(with_tables(one.read_text()))

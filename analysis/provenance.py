# SPDX-License-Identifier: BSD-3-Clause
"""Provenance of two result folders: keys whose values differ in their scenarios, and builds."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from analysis.results import Results

MOST_KEYS = 12  # maximum number that are listed
# Keys that do not influence results, and the seeds, which are compared separately.
LABELS = {"/name", "/description", "/seeds"}
INDEX = re.compile(r"/\d+(?=/|$)")
BUILD = {"ina": "ina", "commit": "commit", "ns3": "ns-3", "compiler": "", "flags": "flags"}


@dataclass(frozen=True)
class Key:
    """A key whose values differ in the resolved scenarios of the same runs; None: absent."""

    pointer: str
    before: str | None
    after: str | None
    runs: int
    is_default: bool  # neither scenario sets it


@dataclass(frozen=True)
class Provenance:
    keys: tuple[Key, ...]
    runs: int  # number that both folders have
    before: Mapping  # the build in the manifest
    after: Mapping

    def lines(self, words=("in A", "in B")) -> tuple[str, ...]:
        """Lines for a terminal; empty if nothing differs."""
        builds = [] if self.before == self.after else [self.before, self.after]
        by_builds = (f"by {build_text(build)} {word}" for build, word in zip(builds, words))
        return (*self.key_lines(words), *by_builds)

    def key_lines(self, words) -> tuple[str, ...]:
        lines = [self.line_of(key, words) for key in self.keys[:MOST_KEYS]]
        if len(self.keys) > MOST_KEYS:
            lines.append(f"{len(self.keys) - MOST_KEYS} other keys differ")
        return tuple(lines)

    def why(self) -> str:
        """Explains a key that no scenario sets: it may follow from one that is set."""
        is_alone = all(key.is_default for key in self.keys)
        return "default changed" if is_alone else "default changed, or it follows from other keys"

    def line_of(self, key: Key, words) -> str:
        values = zip((key.before, key.after), words)
        text = f"{key.pointer}: " + ", ".join(
            f"{'nothing' if value is None else value} {word}" for value, word in values
        )
        notes = [self.why()] * key.is_default
        notes += [f"{key.runs} of {self.runs} runs"] * (key.runs < self.runs)
        return f"{text} ({', '.join(notes)})" if notes else text

    def to_json(self) -> list[dict]:
        """The keys as JSON."""
        return [
            {"key": one.pointer, "a": one.before, "b": one.after, "runs": one.runs, "default": one.is_default}
            for one in self.keys
        ]


def of(before: Results, after: Results) -> Provenance:
    ours, theirs = scenarios_of(before), scenarios_of(after)
    common = [run for run in ours if run in theirs]
    found = Counter(change for run in common for change in changes(ours[run], theirs[run]))
    given = [given_keys(one.manifest.get("given")) for one in (before, after)]
    keys = (
        Key(*change, runs, all(known is not None and not is_given(change[0], known) for known in given))
        for change, runs in found.items()
    )
    given_first = tuple(sorted(keys, key=lambda key: key.is_default))
    return Provenance(given_first, len(common), build_of(before), build_of(after))


def build_of(results: Results) -> Mapping:
    return results.manifest.get("build", {})


def build_text(build: Mapping | None) -> str:
    """`ina 0.1.0, commit 0123456789ab, ns-3 3.37, g++ 12.2.0, flags -O3`"""
    build = build or {}
    return ", ".join(f"{name} {build.get(key, 'unknown')}".strip() for key, name in BUILD.items())


def scenarios_of(results: Results) -> dict:
    """The resolved scenario of each combination of swept values."""
    return {
        json.dumps(run["swept"], sort_keys=True): run["scenario"]
        for run in results.manifest["points"]
        if "swept" in run and "scenario" in run
    }


def changes(before: Mapping, after: Mapping) -> Iterable[tuple]:
    """Yields the pointer and both values as JSON, for each key in which two scenarios differ."""
    if before == after:
        return  # early, because a model may have thousands of layers
    before, after = dict(leaves(before)), dict(leaves(after))
    for pointer in dict.fromkeys([*before, *after]):
        one, two = before.get(pointer), after.get(pointer)
        other = after if two is None else before
        was_empty = {one, two} & {"[]", "{}"} and any(key.startswith(f"{pointer}/") for key in other)
        if one != two and pointer not in LABELS and not was_empty:
            yield pointer, one, two


def leaves(value, pointer="") -> Iterable[tuple[str, str]]:
    """{JSON pointer: value} of all values except objects and lists of objects."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, f"{pointer}/{key}")
    elif isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{pointer}/{index}")
    else:
        yield pointer, json.dumps(value)


def given_keys(given) -> set[str] | None:
    """The pointers that a scenario sets, without indices; None if unknown."""
    if given is None:
        return None
    own = {key: value for key, value in given.items() if key not in ("sweep", "variants")}
    parts = [own, *given.get("variants", {}).values()]
    pointers = {pointer for part in parts for pointer, _ in leaves(part)} | set(given.get("sweep", {}))
    return {INDEX.sub("", pointer) for pointer in pointers}


def is_given(pointer: str, given: set[str]) -> bool:
    """Whether the key is set, directly or by a key above or below it, such as the name of a model's file."""
    key = INDEX.sub("", pointer)
    return any(
        key == one or key.startswith(f"{one}/") or one.startswith(f"{key}/") for one in given
    )


def folder(read):
    return {"folder": relative(read.folder), "name": read.name} | side(
        build_of(read), read.seeds
    )


def side(build, seeds):
    return {"build": dict(build), "seeds": [int(seed) for seed in seeds]}


def relative(path):
    """A path relative to the working directory if it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)

# SPDX-License-Identifier: BSD-3-Clause
"""Includes go in one direction: ns3-modules -> scenarios -> switch-models -> hw. Only the parts
that need ns-3 or DPDK include it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ["hw", "switch-models", "scenarios", "ns3-modules"]
# Parts of a floor, and what each may include in addition to itself.
BELOW = {
    "hw/files": set(),
    "hw/protocol": set(),
    "hw/fields": {"hw/protocol"},
    "hw/cluster": {"hw/protocol", "hw/fields"},
    "hw/processes": {"hw/protocol", "hw/fields", "hw/cluster", "hw/files"},
    "hw/dpdk": {"hw/protocol", "hw/fields", "hw/cluster", "hw/files", "hw/processes"},
    "switch-models/rmt": {"hw/protocol"},
    "switch-models/policies": {"hw/protocol", "hw/fields"},
    "switch-models/programs": {"hw/protocol", "switch-models/rmt", "switch-models/policies"},
    "switch-models/node": {"hw/protocol", "switch-models/programs"},
    "scenarios/keys": {"hw/protocol", "hw/fields", "hw/cluster", "switch-models/rmt", "switch-models/systems"},
    "scenarios/resolve": {"hw/protocol", "hw/fields", "hw/cluster", "scenarios/keys"},
}
ENDINGS = {".cpp", ".hpp", ".cc", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"][^>"]+[>"])', re.MULTILINE)


def sources(floor):
    files = [path for path in (ROOT / floor).rglob("*") if path.suffix in ENDINGS]
    return [path for path in files if not {"test", "tests"} & set(path.relative_to(ROOT).parts)]


def includes(path):
    return [found[1:-1] for found in INCLUDE.findall(path.read_text())]


def folder(include, depth):
    return "/".join(Path(include).parts[:depth])


@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_includes_no_higher_one(floor):
    higher = set(FLOORS[FLOORS.index(floor) + 1:])
    upward = [
        f"{path.relative_to(ROOT)}: {include}"
        for path in sources(floor) for include in includes(path) if folder(include, 1) in higher
    ]  # fmt: skip
    assert upward == []


@pytest.mark.parametrize("part", BELOW)
def test_a_part_includes_what_is_below_it(part):
    allowed = BELOW[part] | {part}
    others = [
        f"{path.relative_to(ROOT)}: {include}"
        for path in sources(part) for include in includes(path)
        if folder(include, 1) in FLOORS and folder(include, 2) not in allowed
    ]  # fmt: skip
    assert others == []


def test_only_the_modules_include_ns3():
    users = {
        path.relative_to(ROOT).parts[0]
        for floor in FLOORS for path in sources(floor)
        if any(include.startswith("ns3/") for include in includes(path))
    }  # fmt: skip
    assert users == {"ns3-modules"}


def test_only_what_moves_packets_includes_dpdk():
    users = {
        str(path.relative_to(ROOT).parent)
        for floor in FLOORS for path in sources(floor)
        if any(include.startswith("rte_") for include in includes(path))
    }  # fmt: skip
    assert users == {"hw/dpdk/ports"}


def test_only_traffic_links_the_internet_stack():
    """The modules below ina-traffic carry packets as opaque data. ina-modules-checked contains all modules."""
    linked = re.compile(r"ina_ns3\((\S+)([^)]*)\)")
    users = {
        target
        for path in (ROOT / "ns3-modules").rglob("CMakeLists.txt") if path.parent.name not in {"test", "examples"}
        for target, modules in linked.findall(path.read_text()) if "internet" in modules.split()
    }  # fmt: skip
    assert users == {"ina-traffic", "ina-modules-checked"}

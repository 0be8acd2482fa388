# SPDX-License-Identifier: BSD-3-Clause
"""The handwritten tables in the manual of the ns-3 modules list all attributes and trace sources,
and its excerpts equal the code of the programs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "ns3-modules"
PAGES = sorted(MODULES.glob("*/doc/*.rst"))
MANUAL = "".join(page.read_text() for page in PAGES)
SOURCES = [*MODULES.glob("*/model/*.cc"), *MODULES.glob("*/model/*.h"), *MODULES.glob("*/helper/*.cc")]


def members():
    """Attributes and trace sources of the classes, except those that are generated from field
    tables."""
    for source in SOURCES:
        name = None
        for of_class, member in re.findall(
            r'TypeId\("ns3::(\w+)"\)|\.Add(?:Attribute|TraceSource)\(\s*"(\w+)"', source.read_text()
        ):
            name = of_class or name
            if member:
                yield f"{name} {member}"


def test_the_classes_have_attributes_and_trace_sources():
    assert {"InaSwitch EcnThreshold", "InaNetDevice Tx"} <= set(members())


@pytest.mark.parametrize("member", sorted(set(members())))
def test_a_table_has_every_attribute_and_trace_source(member):
    name, _, of_class = member.partition(" ")
    assert re.search(rf"^{name} +{of_class} +\S", MANUAL, re.MULTILINE)


def test_no_table_has_others():
    rows = re.findall(r"^(Ina\w+) +([A-Z]\w+)  +\S", MANUAL, re.MULTILINE)
    known = set(members())
    by_fields = {"InaHostStage", "InaLinkFaults"}
    inherited = {"InaHostApplication StartTime", "InaHostApplication StopTime"}
    found = {f"{name} {member}" for name, member in rows if name not in by_fields}
    assert found - inherited == known


def test_the_table_of_a_hosts_stage_has_its_settings():
    keys = re.findall(r'visitor\.\w+\(\s*"(\w+)"', (ROOT / "hw/cluster/network/host_stage.hpp").read_text())
    rows = re.findall(r"^InaHostStage +(\w+) +\S", MANUAL, re.MULTILINE)
    assert rows == ["".join(word.capitalize() for word in key.split("_")) for key in keys]


def excerpts():
    for page in PAGES:
        for file, code in re.findall(
            r"^\.\. from (\S+)\n\n\.\. code-block:: cpp\n\n((?:  .*\n|\n)+)", page.read_text(), re.MULTILINE
        ):
            yield pytest.param(file, code, id=f"{page.stem}-{Path(file).stem}")


def lines(code):
    return [line.strip() for line in code.strip().splitlines()]


@pytest.mark.parametrize(("file", "code"), excerpts())
def test_a_program_has_the_code_of_the_manual(file, code):
    program = "\n".join(lines((ROOT / file).read_text()))
    assert "\n".join(lines(code)) in program

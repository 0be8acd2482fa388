# SPDX-License-Identifier: BSD-3-Clause
"""The P4 programs fit the twelve stages of Tofino 1 and use the stages that the switch models
predict.

The open compiler p4c-barefoot compiles them (variable BF_P4C, or in the PATH), and its assembler
bfas (variable BFAS, or in the PATH) accepts the output. The compiler's exit status alone does not
cover stages.
"""

import json
import operator
import re

import p4_compiled
import p4_exclusive
import p4_tables
import p4_text
import pytest

if not (p4_compiled.BF_P4C and p4_compiled.BFAS):
    pytest.skip("p4c-barefoot and bfas are not both installed", allow_module_level=True)


CONTAINERS = {"B": 8, "H": 16, "W": 32}  # bits
TABLE = r"table (\w+)(?:\$tind)?"


def conflicts(said):
    """The pairs of tables that the assembler warns about, each with the actions in the warning."""
    one, found = None, []
    for line in said.splitlines():
        if shared := re.search(rf"Action bus byte \d+ set in {TABLE} and {TABLE}", line):
            found.append((shared[1], shared[2], []))
        elif begins := re.search(rf"Conflicting instruction slot usage for non-exlusive {TABLE} action ([\w.]+)", line):
            one = begins
        elif ends := re.search(rf"warning: and {TABLE} action ([\w.]+)", line):
            found.append((one[1], ends[1], [one[2], ends[2]]))
    return found


def test_an_unknown_conflict_of_two_tables_is_found():
    said = (
        "a.bfa:1: warning: Conflicting instruction slot usage for non-exlusive table bitmap action Ingress.join\n"
        "a.bfa:2: warning: and table counts$tind action Ingress.step\n"
        "a.bfa:3: warning: Action bus byte 32 set in table ownership_members$tind and table ownership_further_passes\n"
    )
    assert [p4_exclusive.is_exclusive(*one) for one in conflicts(said)] == [False, True]


def misread_results(assembly):
    """Instructions for which bfas takes wrong bits. They move the result of a stateful ALU into a part
    of a container. bfas measures the distance from the result's first position on the action bus,
    which is not the position for containers of this size (DepositField::encode)."""
    first = {}
    for bus in re.finditer(r"action_bus: \{([^}]*)\}", assembly):
        for begin, end, name in re.findall(r"(\d+)(?:\.\.(\d+))? : ([\w.]+\$salu[\w.]+)\(", bus[1]):
            first.setdefault(name, 8 * (int(end or begin) - int(begin) + 1))
    sets = re.finditer(r"- set ([BHW])\d+\((\d+)\.\.(\d+)\), ([\w.]+\$salu[\w.]+)$", assembly, re.MULTILINE)
    return [
        one[0]
        for one in sets
        if int(one[3]) - int(one[2]) + 1 < CONTAINERS[one[1]] != first.get(one[4], CONTAINERS[one[1]])
    ]


def test_a_misread_result_is_found():
    bus = "    action_bus: { 2 : a$salu.x(0..7), 96..99 : a$salu.x(0..31) }\n"
    assert misread_results(bus + "      - set W1(16..31), a$salu.x\n") == ["- set W1(16..31), a$salu.x"]
    assert misread_results(bus + "      - set W1(0..15), a$salu.x\n") == ["- set W1(0..15), a$salu.x"]
    assert misread_results(bus + "      - set W1(0..31), a$salu.x\n") == []
    assert misread_results(bus + "      - set B1(6..6), a$salu.x\n") == []
    assert misread_results(bus.replace("2 : a$salu.x(0..7), ", "") + "      - set W1(16..31), a$salu.x\n") == []


@pytest.fixture(scope="module", params=p4_text.NAMES)
def compiled(request, tmp_path_factory):
    """The program's name, and the folder into which it is compiled."""
    folder = tmp_path_factory.mktemp(request.param)
    p4_compiled.compile_into(folder, request.param)
    return request.param, folder


def test_assembles(compiled):
    _, folder = compiled
    said = p4_compiled.assemble(folder)
    (assembly,) = folder.rglob("*.bfa")
    assert misread_results(assembly.read_text(encoding="utf-8")) == []
    assert (folder / "assembled" / "tofino.bin").stat().st_size > 0
    # If a compiler loses the parser's selects, only the first match of a state can be taken.
    assert "Can't match parser state" not in said, said
    assert [one for one in conflicts(said) if not p4_exclusive.is_exclusive(*one)] == []


def test_has_the_register_arrays_in_the_stages_of_the_model(compiled):
    program, folder = compiled
    resources = p4_compiled.resources_of(program, folder)
    for resource in resources.values():
        assert len(resource["compiled"]) == p4_compiled.STAGES
        assert max(resource["compiled"]) <= resource["budget"], resource["name"]
    for name in ("stateful ALUs", "map RAMs"):
        assert resources[name]["compiled"] == resources[name]["used"], name
    hash_units = resources["hash units"]  # the compiler also assigns one to some arrays
    assert all(map(operator.le, hash_units["compiled"], hash_units["used"]))
    assert_documented(program, resources)


def assert_documented(program, resources):
    """The table in hw/p4/README.md has these numbers: three columns per program, one row per stage.
    """
    column = 1 + 3 * list(p4_compiled.MODELS).index(program)
    lines, first = p4_compiled.table_lines()
    for stage, line in enumerate(lines[first : first + p4_compiled.STAGES]):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[column : column + 3] == p4_compiled.cells_of(resources, stage), f"stage {stage}"


def test_text_is_read_as_the_compiler_reads_it(compiled):
    """The names of tables and registers for a control plane."""
    name, folder = compiled
    schema = json.loads((folder / p4_compiled.SCHEMA).read_text(encoding="utf-8"))
    assert p4_tables.from_text(name) == p4_tables.from_schema(schema)

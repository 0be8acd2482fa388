# SPDX-License-Identifier: BSD-3-Clause
"""The entries of hw/p4/control have the names, kinds and widths of the P4 source code.
test_p4_tofino.py compares the source code with the BfRt schema that the compiler prints."""

from dataclasses import replace

import control
import p4_tables
import p4_text
import pytest

from hw.p4.control import cluster as control_cluster
from hw.p4.control import looping, program_text, switchml
from hw.p4.control.cabling import Plug, Registrar
from hw.p4.control.entries import Cells, Exact, Ternary
from hw.p4.control.loading import entries_of

JOBS = {
    "0": {"workers": [0], "server": 60, "first_slot": 0, "slots": 1},
    "3": {"workers": [1, 2, 3], "server": 61, "first_slot": 1, "slots": 300},
    "255": {"workers": list(range(4, 36)), "server": 62, "first_slot": 0, "slots": 8192},
}
# The last job has 31 workers in one rack and one at the root.
RACKS = {"0": [1], "3": [0, 0, 1], "255": [0] * 31 + [1]}
SWITCHES = {
    "only": None,
    "leaf": {"rack": 0, "root": 1, "ports": {"70": [1]}},
    "root": {"rack": 1, "root": 1, "ports": {"70": [0]}},
}
# Number of tables with entries at each level.
TABLES = {
    "only": {"switchml": 3, "switchml64": 3, "atp": 4, "dsa": 5},
    "leaf": {"switchml": 4, "switchml64": 4, "atp": 5, "dsa": 6},
    "root": {"switchml": 3, "switchml64": 3, "atp": 4, "dsa": 5},
}
PRIORITY = "$MATCH_PRIORITY"
REGISTRAR = Registrar(511, None, "net_null0")
each_level = pytest.mark.parametrize("level", SWITCHES)


def entries(name, level):
    jobs = {number: dict(job) for number, job in JOBS.items()}
    if name.startswith("switchml") or level != "only":
        del jobs["0"]  # it has one worker
    for number, job in jobs.items():
        job |= {"racks": RACKS[number]}
        if name.startswith("switchml"):
            del job["server"]
    found = entries_of(replace(control.cluster(name, jobs, SWITCHES[level]), registrar=REGISTRAR))
    return [entry for entry in found if entry.table.name.startswith("pipe.")]


def assert_fits(value, bits):
    assert isinstance(value, int) and 0 <= value < 1 << bits


@each_level
@pytest.mark.parametrize("name", p4_text.NAMES)
def test_entries_are_of_the_programs_tables(name, level):
    program = p4_tables.from_text(name)
    found = [entry for entry in entries(name, level) if entry.table.name in program.tables]
    assert len({entry.table for entry in found}) == TABLES[level][name]
    for entry in found:
        table = program.tables[entry.table.name]
        assert entry.table.capacity == table.size
        key = dict(entry.key)
        assert (PRIORITY in key) == any(kind == "ternary" for kind, _ in table.key.values())
        key.pop(PRIORITY, None)
        assert list(key) == list(table.key)
        for match, (kind, bits) in zip(key.values(), table.key.values()):
            assert isinstance(match, {"exact": Exact, "ternary": Ternary}[kind])
            assert_fits(match.value, bits)
            assert_fits(match.mask if kind == "ternary" else 0, bits)
        data = table.actions[entry.action]
        assert list(entry.data) == list(data)
        for field, bits in data.items():
            assert_fits(entry.data[field], bits)


@each_level
@pytest.mark.parametrize("name", p4_text.NAMES)
def test_no_field_is_matched_in_part(name, level):
    """Flags are the exception. A mask that is too short would admit frames by ignoring bits."""
    program = p4_tables.from_text(name)
    for entry in entries(name, level):
        for field, match in entry.key.items():
            if isinstance(match, Ternary) and not field.endswith(".flags"):
                _, bits = program.tables[entry.table.name].key[field]
                assert match.mask in (0, 2**bits - 1), field


@pytest.mark.parametrize("name", p4_text.NAMES)
def test_registers_are_whole_arrays_of_the_program(name):
    program = p4_tables.from_text(name)
    found = [entry for entry in entries(name, "only") if entry.table.name not in program.tables]
    assert found
    for entry in found:
        cells, fields = program.registers[entry.table.name]
        assert entry.key == {"$REGISTER_INDEX": Cells(cells)}
        assert list(entry.data) == list(fields)
        for field, bits in fields.items():
            assert_fits(entry.data[field], bits)


@pytest.mark.parametrize("name", ["switchml64", "atp", "dsa"])
def test_ports_in_loopback_are_of_the_programs_table_and_value_set(name):
    looped = (Plug(132, "100Gbps", "none"),)
    found = entries_of(control_cluster.Cluster(name, (), looped=looped))
    table = p4_tables.from_text(name).tables[looping.CHOSEN.name]
    chosen = [entry for entry in found if entry.table == looping.CHOSEN]
    assert looping.CHOSEN.capacity == table.size == 4 * len(chosen)
    assert [(kind, 2**bits) for kind, bits in table.key.values()] == [("exact", 4), ("exact", len(chosen))]
    for entry in chosen:
        assert list(entry.key) == list(table.key)
        assert {one: 9 for one in entry.data} == table.actions[entry.action]
    value_set = p4_tables.read(name).value_sets[looping.PARSED.name]
    assert (value_set.size, value_set.kind.width) == (looping.PARSED.capacity, looping.PORT_BITS)


def test_cells_of_the_queue_that_mark_are_those_of_the_egress():
    longest = p4_text.constants(p4_text.text("shared/egress.p4"))["LONGEST_WITHOUT_MARK"]
    assert longest + 1 == control_cluster.ECN_THRESHOLD_CELLS


@pytest.mark.parametrize("name", p4_text.NAMES)
def test_as_many_slots_or_aggregators_as_the_program_has(name):
    of_switchml = name.startswith("switchml")
    assert p4_tables.cells(name) == (program_text.slots(name) if of_switchml else program_text.AGGREGATORS)


@pytest.mark.parametrize("values, name", switchml.PROGRAMS.items())
def test_programs_of_switchml_have_as_many_values(values, name):
    arrays = p4_tables.from_text(name).registers.items()
    assert sum(sum(fields.values()) for array, (_, fields) in arrays if ".values." in array) == 32 * values

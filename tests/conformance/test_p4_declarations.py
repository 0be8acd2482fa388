# SPDX-License-Identifier: BSD-3-Clause
"""The P4 programs declare the headers and numbers of hw/protocol/wire."""

import re

import p4_text
import pytest

PREFIX = "kind_and_flags_h"

# Formats of systems whose switches do not aggregate.
WITHOUT_PROGRAM = ("ps", "flow")


def test_headers_have_the_fields_of_the_wire(wire):
    declared = p4_text.headers(p4_text.text("shared/headers.p4"))
    declared.pop(PREFIX)
    assert declared == {
        f"{name}_h": fields for name, fields in wire["headers"].items() if name not in WITHOUT_PROGRAM
    }


@pytest.mark.parametrize("system", ["atp", "dsa"])
def test_prefix_begins_the_header(wire, system):
    prefix = p4_text.headers(p4_text.text("shared/headers.p4"))[PREFIX]
    assert prefix == wire["headers"][system][: len(prefix)]


def test_constants_are_those_of_the_wire(wire):
    expected = {name.upper(): value for name, value in wire["numbers"].items()}
    expected |= {f"KIND_{name.upper()}": value for name, value in wire["kinds"].items()}
    expected |= {f"FLAG_{name.upper()}": value for name, value in wire["flags"].items()}
    assert p4_text.constants(p4_text.text("shared/constants.p4")) == expected


def test_protocol_numbers_stand_in_one_file(wire):
    """Other files do not write ports and addresses as numbers."""
    for path in sorted(p4_text.PROGRAMS.rglob("*.p4")):
        if path.name == "constants.p4":
            continue
        source = p4_text.text(path.relative_to(p4_text.PROGRAMS))
        literals = {int(word, 0) for word in re.findall(r"\b(?:0x[0-9a-fA-F]+|[1-9]\d*)\b", source)}
        for name in ("switchml_update_port", "switchml_result_port", "registration_port", "all_workers_mac", "all_workers_ip"):
            assert wire["numbers"][name] not in literals, f"{path} writes out {name}"


@pytest.mark.parametrize("field", ["int<8> job;", "varbit<8> job;", "job_t job;"])
def test_reader_refuses_what_it_cannot_compare(field):
    with pytest.raises(AssertionError, match="broken_h"):
        p4_text.headers("header broken_h { bit<16> worker; " + field + " }")

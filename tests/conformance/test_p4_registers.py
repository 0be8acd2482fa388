# SPDX-License-Identifier: BSD-3-Clause
"""The P4 programs have the register arrays of the switch models, which a model of the chip has placed in its stages."""

import json
import os
import subprocess

import p4_text
import pytest


@pytest.fixture(scope="module")
def placed():
    """The bits and actions of each array, by program, for as many slots and aggregators as the P4 programs have."""
    slots = p4_text.size(p4_text.text("switchml/types.p4"), "SLOTS")
    aggregators = p4_text.size(p4_text.text("shared/aggregators.p4"), "AGGREGATORS")
    printed = subprocess.run(
        [os.environ["PRINT_REGISTERS"], str(slots), str(aggregators)], capture_output=True, check=True
    )
    return json.loads(printed.stdout)


@pytest.mark.parametrize("system", ["switchml", "atp", "dsa"])
def test_arrays_are_those_of_the_model(placed, system):
    program = p4_text.preprocessed(f"{system}/{system}.p4")
    assert sorted(p4_text.registers(program)) == sorted(placed[system])

# SPDX-License-Identifier: BSD-3-Clause
"""The P4 programs have the register arrays of the switch models, which a model of the chip has
placed in stages."""

import json
import os
import subprocess

import p4_tables
import p4_text
import pytest


def placed(name):
    """The bits and actions of each array of the model, with the P4 program's number of slots or
    aggregators."""
    command = [os.environ["PRINT_REGISTERS"], name, str(p4_tables.cells(name))]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


@pytest.mark.parametrize("name", p4_text.NAMES)
def test_arrays_are_those_of_the_model(name):
    assert sorted(p4_tables.arrays(name)) == sorted(placed(name))

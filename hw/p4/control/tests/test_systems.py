# SPDX-License-Identifier: BSD-3-Clause
"""The programs of each system."""

import pytest

from hw.commands.errors import CommandError
from hw.p4.control import program_text
from hw.p4.control.systems import BY_PROGRAM, SYSTEMS, system_of


def test_every_program_is_one_of_one_system():
    folders = [path.parent.name for path in program_text.PROGRAMS.glob("*/*.p4")]
    programs = {name for name in folders if (program_text.PROGRAMS / name / f"{name}.p4").exists()}
    claimed = [program for system in SYSTEMS for program in system.programs]
    assert sorted(claimed) == sorted(programs)
    assert set(BY_PROGRAM) == programs


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_system_is_found_by_its_name(system):
    assert system_of(system.name) is system


def test_a_system_without_a_program_is_refused_with_those_that_have_one():
    with pytest.raises(CommandError) as caught:
        system_of("ps")
    words = "/system: ps; allowed: switchml, atp, dsa, for which there are programs"
    assert str(caught.value) == words

# SPDX-License-Identifier: BSD-3-Clause
"""The systems that have P4 programs."""

from hw.p4.control.atp import Atp
from hw.p4.control.dsa import Dsa
from hw.p4.control.switchml import Switchml
from hw.p4.control.system import refuse

SYSTEMS = (Switchml(), Atp(), Dsa())
BY_NAME = {system.name: system for system in SYSTEMS}
BY_PROGRAM = {program: system for system in SYSTEMS for program in system.programs}


def system_of(name):
    """The system of that name. Raises CommandError if it has no program."""
    if name not in BY_NAME:
        refuse("/system", name, f"{', '.join(BY_NAME)}, for which there are programs")
    return BY_NAME[name]

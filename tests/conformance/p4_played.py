# SPDX-License-Identifier: BSD-3-Clause
"""Plays golden traces and random packets to the vendor's model, and renews the table of results in
README.md of hw/p4. DATE: date of the model's sources.

    TOFINO_HARNESS=... BF_P4C=... BFAS=... PRINT_GOLDEN_TRACE=... PYTHONPATH=. \\
        python3 tests/conformance/p4_played.py DATE
"""

import re
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import replace

import p4_compiled
import p4_text
from p4_player import SETTINGS, Player
from p4_traffic import GUARDED, random_golden_trace, random_golden_trace_at, random_golden_trace_pass_by_pass
from tofino_model.chip import Chip

from hw.p4.control.cabling import PORTS_OF_PIPE
from hw.p4.ptf.golden_trace import OF_PASSES, golden_traces

HEADING = "| program | compiler | golden traces | their packets | random packets | differences | model |"
SEED, STEPS = 1, 300
FULL = 10_000  # cells, more than enough for marks


def golden_traces_of(program):
    return [one for one in golden_traces() + golden_traces(OF_PASSES) if one.program == program]


def random_traces_of(program):
    """Random golden traces for the only switch of a job, for a leaf, and for a root. If the program has a
    guard between passes, also one with a pass in each step."""
    yield random_golden_trace(program, SEED, STEPS)
    for level in ("leaf", "root"):
        yield random_golden_trace_at(level, program, SEED, STEPS)
    if program in GUARDED:
        yield random_golden_trace_pass_by_pass(program, SEED, STEPS, "only")


class ChipPlayer(Player):
    """Each new host gets the pipe's next free port, because the pipe has fewer ports than host numbers."""

    def __init__(self, setting, chip):
        super().__init__(None, setting, chip)
        self.ports = {}

    def port_of(self, host):
        return self.ports.setdefault(host, self.setting.first_port + len(self.ports))


@contextmanager
def player_on_chip(folder, setting):
    """A player without ports in loopback, because the harness cannot load the parser's value set."""
    setting = replace(setting, looped=())
    pipe = setting.first_port // PORTS_OF_PIPE
    chip = Chip(folder, p4_compiled.SCHEMA, pipe, FULL if setting.marks else 0)
    try:
        yield ChipPlayer(setting, chip)
    finally:
        chip.close()


def differences(folder, trace, setting):
    with player_on_chip(folder, setting) as player:
        return list(player.differences(trace))


def version():
    return re.search(r"Version (\S+)", p4_compiled.run(p4_compiled.BF_P4C, "--version"))[1]


def row_of(program, folder, date):
    golden, drawn = golden_traces_of(program), list(random_traces_of(program))
    found = [one for trace in golden for setting in SETTINGS for one in differences(folder, trace, setting)]
    found += [one for trace in drawn for one in differences(folder, trace, SETTINGS[0])]
    packets = [sum(len(trace.steps) for trace in traces) for traces in (golden, drawn)]
    return f"| `{program}` | p4c {version()} | {len(golden)} | {packets[0]} | {packets[1]} | {len(found)} | {date} |"


def rows():
    """The rows of the table in README.md, by program."""
    lines = p4_compiled.README.read_text(encoding="utf-8").splitlines()
    first = lines.index(HEADING) + 2
    return lines, {program: first + number for number, program in enumerate(p4_text.NAMES)}


def main(date):
    lines, places = rows()
    with tempfile.TemporaryDirectory() as scratch:
        for program, place in places.items():
            lines[place] = row_of(program, p4_compiled.build_in(scratch, program), date)
            print(lines[place])
    p4_compiled.README.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])

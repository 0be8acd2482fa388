# SPDX-License-Identifier: BSD-3-Clause
"""Packets come back by the pipe's own port and by ports in loopback. All packets of a slot or
aggregator come back by one of them, which keeps their order."""

import p4_text
import pytest
from p4_player import LOOPED, SETTINGS, Player
from p4_traffic import random_golden_trace

from hw.p4.control.cabling import Plug
from hw.p4.control.job import Cluster
from hw.p4.control.loading import entries_of
from hw.p4.control.looping import OWN_PORT, PARSED

SEED, STEPS = 3, 500
OWN = 3 * 128 + OWN_PORT
# The index of a slot or aggregator in a recirculated frame, by the header in front of it.
INDEX_AT = {"switchml64": slice(0, 2), "atp": slice(8 + 14 + 20 + 8, 8 + 14 + 20 + 12), "dsa": slice(8 + 14 + 20 + 8, 8 + 14 + 20 + 12)}
each_program = pytest.mark.parametrize("program", INDEX_AT)


@pytest.fixture(scope="module")
def ports_of_indices():
    """The ports by which packets came back in a random golden trace, by program and index."""

    def play(program):
        player = Player(p4_text.preprocessed(program), SETTINGS[1])
        golden_trace, found = random_golden_trace(program, SEED, STEPS), {}
        player.load(golden_trace)
        for number, step in enumerate(golden_trace.steps):
            assert list(player.differences_of_step(golden_trace, number, step)) == [], f"seed {SEED}, step {number}"
            for one in player.device.further_passes:
                if one.resubmitted is None:
                    index = int.from_bytes(one.frame[INDEX_AT[program]], "big")
                    found.setdefault(index, set()).add(one.port)
        return found

    return {program: play(program) for program in INDEX_AT}


@each_program
def test_all_packets_of_an_aggregator_come_back_by_one_port(ports_of_indices, program):
    assert {len(ports) for ports in ports_of_indices[program].values()} == {1}


@each_program
def test_packets_come_back_by_every_port(ports_of_indices, program):
    assert set().union(*ports_of_indices[program].values()) == {OWN, *LOOPED}


@pytest.mark.parametrize("looped", range(1, 16))
def test_ports_share_the_aggregators_as_evenly_as_64_indices_allow(looped):
    plugs = tuple(Plug(128 + 4 * at, "100Gbps", "none") for at in range(looped))
    entries = entries_of(Cluster("dsa", (), looped=plugs))
    ports = [entry.data["looped_port"] for entry in entries if entry.table.name.endswith("ports_of_indices")]
    shares = [ports.count(port) for port in {*ports}]
    assert {*ports} == {128 + OWN_PORT, *(plug.dev_port for plug in plugs)}
    assert max(shares) - min(shares) <= 1
    assert sum(entry.table == PARSED for entry in entries) == looped

# SPDX-License-Identifier: BSD-3-Clause
"""The PTF test itself, with stand-ins for PTF and for a switch. The switch acts as golden traces
say, or with an error."""

import json
import sys
import types
import unittest
from pathlib import Path

import pytest

from hw.p4.ptf.cells import cells_of
from hw.p4.ptf.golden_trace import NOT_PLAYED, frame_out, receivers, golden_traces

PLAYING = Path(__file__).resolve().parents[1] / "playing"


class StandIn:
    """Stand-in for PTF and the switch. `wrong`: the switch's error."""

    def __init__(self, folder, program, wrong=None):
        self.program, self.wrong = program, wrong
        self.loaded = 0
        self.leaves = []
        self.steps = iter([(one, step) for one in self.played() for step in one.steps])
        plug = {"speed": "25Gbps", "fec": "none"}
        plugs = {f"host{host}": plug | {"dev_port": host} for host in range(1, 22)}
        (folder / "cabling.json").write_text(json.dumps({"ports": plugs}))
        self.parameters = {"program": program, "cabling": str(folder / "cabling.json")}

    def played(self):
        ours = [golden_trace for golden_trace in golden_traces() if golden_trace.program == self.program]
        return [golden_trace for golden_trace in ours if golden_trace.name not in NOT_PLAYED]

    def test_param_get(self, name, default=None):
        return self.parameters.get(name, default)

    def send_packet(self, _test, port, frame):
        self.golden_trace, self.step = next(self.steps)
        assert (port, frame.hex()) == (self.step["ingress"], self.step["frame"])
        self.leaves = [(host, frame_out(self.step)) for host in receivers(self.step)]
        if self.wrong == "more leaves":
            self.leaves.append((1, frame))

    def verify_packet(self, _test, frame, port):
        self.leaves.remove((port, frame))

    def verify_no_other_packets(self, test):
        test.assertEqual(self.leaves, [])

    def load(self, entries):
        assert entries
        self.loaded += 1

    def cell(self, array, index):
        expected = {(array, index): fields for array, index, fields in cells_of(self.golden_trace, self.step)}
        off = 1 if self.wrong == "registers" else 0
        return {field: [value + off] * 4 for field, value in expected[array, index].items()}

    def close(self):
        pass


def played(monkeypatch, stand_in):
    base = types.ModuleType("ptf.base_tests")
    base.BaseTest = unittest.TestCase
    package = types.ModuleType("ptf")
    package.testutils, package.base_tests = stand_in, base
    package.dataplane_instance = types.SimpleNamespace(flush=lambda: None)
    for name, module in (("ptf", package), ("ptf.base_tests", base), ("ptf.testutils", stand_in)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.syspath_prepend(str(PLAYING))
    monkeypatch.delitem(sys.modules, "play_golden_traces", raising=False)
    import play_golden_traces

    monkeypatch.setattr(play_golden_traces, "Switch", lambda _address, _program: stand_in)
    monkeypatch.setattr(play_golden_traces, "replace", StandIn.load)
    result = unittest.TestResult()
    play_golden_traces.PlaysGoldenTraces("runTest").run(result)
    assert not result.errors, result.errors
    return result


@pytest.mark.parametrize("program", ["switchml", "switchml64", "atp", "dsa"])
def test_plays_every_golden_trace_of_the_program(monkeypatch, tmp_path, program):
    stand_in = StandIn(tmp_path, program)
    assert played(monkeypatch, stand_in).wasSuccessful()
    assert next(stand_in.steps, None) is None
    assert stand_in.loaded == len(stand_in.played())


@pytest.mark.parametrize("wrong", ["more leaves", "registers"])
def test_fails_if_the_switch_does_something_else(monkeypatch, tmp_path, wrong):
    stand_in = StandIn(tmp_path, "atp", wrong)
    result = played(monkeypatch, stand_in)
    assert len(result.failures) == sum(len(golden_trace.steps) for golden_trace in stand_in.played())

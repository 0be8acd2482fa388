# SPDX-License-Identifier: BSD-3-Clause
"""Plays the golden traces of tests/vectors to a switch that runs a P4 program: hardware, or a
vendor's model. This is a PTF test with the parameters `program`, `cabling` (of host1, host2 ...)
and `address`."""

from pathlib import Path

import ptf
from ptf import testutils
from ptf.base_tests import BaseTest

from hw.p4.control.bfrt import Switch
from hw.p4.control.cabling import read_cabling
from hw.p4.control.loading import entries_of
from hw.p4.control.replacing import replace
from hw.p4.ptf.cells import cells_of
from hw.p4.ptf.golden_trace import NOT_PLAYED, frame_in, frame_out, receivers, golden_traces


class PlaysGoldenTraces(BaseTest):
    def setUp(self):
        super().setUp()
        self.dataplane = ptf.dataplane_instance
        self.program = testutils.test_param_get("program")
        self.plugs = read_cabling(Path(testutils.test_param_get("cabling"))).plugs
        self.switch = Switch(testutils.test_param_get("address", "localhost:50052"), self.program)

    def tearDown(self):
        self.switch.close()
        super().tearDown()

    def runTest(self):
        own = [golden_trace for golden_trace in golden_traces() if golden_trace.program == self.program]
        if not own:
            self.skipTest(f"there are no golden_traces of {self.program}")
        for golden_trace in own:
            if golden_trace.name in NOT_PLAYED:
                print(f"{golden_trace.name} is skipped: {NOT_PLAYED[golden_trace.name]}")
                continue
            with self.subTest(golden_trace.name):
                self.play(golden_trace)

    def play(self, golden_trace):
        replace(self.switch, entries_of(golden_trace.cluster(self.plug_of)))
        self.dataplane.flush()
        for number, step in enumerate(golden_trace.steps):
            with self.subTest(f"{golden_trace.name}, step {number}: {step['says']}"):
                self.take(golden_trace, step)

    def take(self, golden_trace, step):
        testutils.send_packet(self, self.port_of(step["ingress"]), frame_in(step))
        for host in receivers(step):
            testutils.verify_packet(self, frame_out(step), self.port_of(host))
        testutils.verify_no_other_packets(self)
        for array, index, fields in cells_of(golden_trace, step):
            found = self.switch.cell(array, index)
            pipe = self.plug_of(step["ingress"]).pipe
            for field, value in fields.items():
                self.assertEqual(found[field][pipe], value, f"{field} of cell {index}")

    def plug_of(self, host):
        return self.plugs[f"host{host}"]

    def port_of(self, host):
        return self.plug_of(host).dev_port

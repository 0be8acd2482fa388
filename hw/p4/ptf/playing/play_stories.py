# SPDX-License-Identifier: BSD-3-Clause
"""Plays the stories of tests/vectors to a switch that runs a P4 program: hardware, or a vendor's
model. A test of PTF, with the parameters `program`, `cabling` (of host1, host2 ...) and
`address`."""

from pathlib import Path

import ptf
from ptf import testutils
from ptf.base_tests import BaseTest

from hw.p4.control.bfrt import Switch
from hw.p4.control.cabling import read_cabling
from hw.p4.control.loading import entries_of
from hw.p4.ptf.cells import cells_of
from hw.p4.ptf.story import NOT_PLAYED, frame_in, frame_out, receivers, stories


class PlaysStories(BaseTest):
    def setUp(self):
        super().setUp()
        self.dataplane = ptf.dataplane_instance
        self.program = testutils.test_param_get("program")
        self.plugs = read_cabling(Path(testutils.test_param_get("cabling")))
        self.switch = Switch(testutils.test_param_get("address", "localhost:50052"), self.program)

    def tearDown(self):
        self.switch.close()
        super().tearDown()

    def runTest(self):
        own = [story for story in stories() if story.program == self.program]
        if not own:
            self.skipTest(f"there are no stories of {self.program}")
        for story in own:
            if story.name in NOT_PLAYED:
                print(f"{story.name} is skipped: {NOT_PLAYED[story.name]}")
                continue
            with self.subTest(story.name):
                self.play(story)

    def play(self, story):
        self.switch.load(entries_of(story.cluster(self.plug_of)))
        self.dataplane.flush()
        for number, step in enumerate(story.steps):
            with self.subTest(f"{story.name}, step {number}: {step['says']}"):
                self.take(story, step)

    def take(self, story, step):
        testutils.send_packet(self, self.port_of(step["ingress"]), frame_in(step))
        for host in receivers(step):
            testutils.verify_packet(self, frame_out(step), self.port_of(host))
        testutils.verify_no_other_packets(self)
        for array, index, fields in cells_of(story, step):
            found = self.switch.cell(array, index)
            pipe = self.plug_of(step["ingress"]).pipe
            for field, value in fields.items():
                self.assertEqual(found[field][pipe], value, f"{field} of cell {index}")

    def plug_of(self, host):
        return self.plugs[f"host{host}"]

    def port_of(self, host):
        return self.plug_of(host).dev_port

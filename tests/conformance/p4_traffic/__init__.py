# SPDX-License-Identifier: BSD-3-Clause
"""Random golden traces: workers and servers of a few jobs send what they may, in any order, again and late, and strangers send
what is almost that. The C++ data planes say what happens.

What README.md of hw/p4 lists as different is left out here, and nothing else:
- a value of ATP and DSA goes to one limit of int32 only: see `values` in aggregators.py;
- priorities of DSA have four significant bits, which is what its halving keeps: see `priority` there;
- no aggregator of ATP was touched 100.0 to 100.2 ms before a result meets it: see `WAITS_US` in traffic.py;
- what a free aggregator still holds, which nobody reads: see `without_free` in aggregators.py;
- ATP's time stamps, which are in other units: they are not in `ARRAYS` there;
- `branch` of a frame with SECOND_LEVEL, and what comes by ports to other switches: see levels.py;
- the bitmap of ATP's frames but gradients, and values behind frames that have none: see `forged` in traffic.py;
- IPv4's ECN field: hw/p4/ptf/golden_trace.py."""

from p4_traffic import levels
from p4_traffic.aggregators import AtpTraffic, DsaTraffic
from p4_traffic.switchml import SwitchmlTraffic

CLASSES = {"switchml": SwitchmlTraffic, "switchml64": SwitchmlTraffic, "atp": AtpTraffic, "dsa": DsaTraffic}


def random_golden_trace(program, seed, steps):
    return CLASSES[program](program, seed).golden_trace(f"{program}, seed {seed}", steps)


def random_golden_trace_at(level, program, seed, steps):
    """Of a leaf or a root."""
    return levels.CLASSES[program](program, seed).at(level).golden_trace(f"{program} at a {level}, seed {seed}", steps)


def golden_trace_of_every_bit(program):
    return CLASSES[program](program, 0).golden_trace_of_every_bit(f"{program}, each worker twice")

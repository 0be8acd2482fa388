# SPDX-License-Identifier: BSD-3-Clause
"""Random golden traces.

Workers and servers of a few jobs send permitted packets in any order, repeatedly and late, and
strangers send packets that are almost permitted. Passes of ATP's and DSA's packets also run one at a
time, in random order, and some packets are lost between two passes. The C++ data planes compute the expected outcome.
The traces avoid only the differences that README.md of hw/p4 lists:
- the limits of int32: a value of ATP and DSA goes to only one of them (`values` in aggregators.py);
- priorities of DSA: only those with four significant bits, which its halving keeps (`priority` there);
- expiry of ATP's aggregators: no result meets one that was touched 100.0 to 100.2 ms earlier (`WAITS_US` in traffic.py);
- content of free aggregators, which no packet reads (`without_free` in aggregators.py);
- ATP's time stamps, which have another unit (missing from `ARRAYS` there);
- `branch` in a frame with SECOND_LEVEL, and forgeries by ports to other switches (levels.py);
- the bitmap in frames of ATP other than gradients, and values after frames that have none (`forged` in traffic.py);
"""

from p4_traffic import levels
from p4_traffic.aggregators import AtpTraffic, DsaTraffic
from p4_traffic.switchml import SwitchmlTraffic

GUARDED = ("atp", "dsa")  # programs with a guard between passes
CLASSES = {"switchml": SwitchmlTraffic, "switchml64": SwitchmlTraffic, "atp": AtpTraffic, "dsa": DsaTraffic}


def random_golden_trace(program, seed, steps):
    return CLASSES[program](program, seed).golden_trace(f"{program}, seed {seed}", steps)


def random_golden_trace_at(level, program, seed, steps):
    """A random golden trace for a leaf or a root."""
    return levels.CLASSES[program](program, seed).at(level).golden_trace(f"{program} at a {level}, seed {seed}", steps)


def random_golden_trace_pass_by_pass(program, seed, steps, level):
    """A random golden trace with a pass in each step, for the only switch, a leaf or a root."""
    traffic = CLASSES[program](program, seed) if level == "only" else levels.CLASSES[program](program, seed).at(level)
    return traffic.golden_trace_pass_by_pass(f"{program} at {level}, pass by pass, seed {seed}", steps)


def golden_trace_of_rare_passes(program):
    return CLASSES[program](program, 0).golden_trace_of_rare_passes(f"{program}, rare passes")


def golden_trace_of_every_bit(program):
    return CLASSES[program](program, 0).golden_trace_of_every_bit(f"{program}, each worker twice")

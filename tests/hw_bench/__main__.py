# SPDX-License-Identifier: BSD-3-Clause
"""The command `ina bench hw`: how fast the protocols are on real packets, on this machine."""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from tests.hw_bench.contenders import all_contenders

PACKETS, GOODPUT = "million packets/s", "MB/s"


def main():
    options = parse()
    contenders = all_contenders(options.programs)
    for one in contenders:
        if one.lacks:
            print(f"ina: without {one.name}: no {one.lacks}", file=sys.stderr)
    there = [one for one in contenders if not one.lacks]
    samples = {PACKETS: defaultdict(list), GOODPUT: defaultdict(list)}
    loads = []
    for _ in range(options.rounds):
        loads.append(os.getloadavg()[0])
        measure_parts(options.programs, samples[PACKETS])
        for one in there:
            samples[GOODPUT][one.name] += [rate / 1e6 for rate in one.goodputs()]
    rows = [
        summary(name, unit, values) for unit, each in samples.items() for name, values in each.items()
    ]
    show(rows)
    processors = len(os.sched_getaffinity(0))
    print(f"{processors} processors; load before each round: {' '.join(f'{l:.1f}' for l in loads)}")
    if options.json:
        result = {"rounds": options.rounds, "processors": processors, "loads": loads, "rows": rows}
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


def parse():
    parser = argparse.ArgumentParser(prog="ina bench hw", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="of each, alternating (default: 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to a file")
    parser.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def measure_parts(programs, samples):
    done = subprocess.run([programs / "ina-hw-bench"], stdout=subprocess.PIPE, check=True)
    for row in json.loads(done.stdout):
        name = f"{row['what']}, {row['system']}, {row['frame_bytes']} B"
        samples[name].append(row["packets_per_second"] / 1e6)


def summary(name, unit, values):
    return {
        "name": name,
        "unit": unit,
        "median": statistics.median(values),
        "least": min(values),
        "most": max(values),
        "samples": values,
    }


def show(rows):
    unit = None
    for row in rows:
        if row["unit"] != unit:
            unit = row["unit"]
            print(f"\n{unit:44} {'median':>8} {'least':>8} {'most':>8}")
        print(f"{row['name']:44} {row['median']:8.1f} {row['least']:8.1f} {row['most']:8.1f}")


sys.exit(main())

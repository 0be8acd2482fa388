# SPDX-License-Identifier: BSD-3-Clause
"""Measures the speed of the protocols on real packets, on this machine."""

import argparse
import json
import os
import statistics
import sys
from pathlib import Path

from hw.commands.arguments import whole_number
from hw.commands.errors import CommandError, status_of
from hw.files import output
from tests.hw_bench.cluster import KINDS
from tests.hw_bench.contenders import other_contenders, output_of, own_contenders
from tests.hw_bench.flood import packets_per_second, planned

WRITER = "ina bench hw --json"
PARTS = "memory to memory, 1 core, million packets/s"
QUANTISATION = "memory to memory, a million floats, errors compared with double"
SWITCH = "ina-switch on memif, 1 core, million packets/s"
GOODPUT = "all-reduce by 4 processes, MB/s"
FORMATS = {QUANTISATION: "7.2g"}


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise CommandError(f"bench hw: {message}")


def main():
    options = parse()
    if options.json:
        output.check("--json", options.json, WRITER)
    return bench(options)


def parse():
    parser = Parser(prog="ina bench hw", description=__doc__)
    parser.add_argument(
        "--rounds", type=whole_number, default=3, help="number of alternating measurements of each system (default: %(default)s)"
    )
    parser.add_argument(
        "--megabytes", type=whole_number, default=100, help="size of the reduced gradient in MB (default: %(default)s)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the measured numbers to this file")
    parser.add_argument("--programs", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def bench(options):
    for kind in KINDS:  # rejects kinds that cannot be measured before any work
        planned(options.programs, kind)
    others = others_that_run()
    contenders = own_contenders(options.programs, KINDS) + others
    rounds = [measure(options, in_turn(contenders, i)) for i in range(options.rounds)]
    rows = summaries(rounds, [one.name for one in others])
    if options.json:
        content = {"rounds": rounds, "rows": rows}
        output.write_json("--json", options.json, WRITER, content)
    show(rows)
    processors = len(os.sched_getaffinity(0))
    loads = " ".join(f"{one['load']:.1f}" for one in rounds)
    print(f"\n{processors} processors, load before each round: {loads}")
    return 0


def others_that_run():
    hindrances = [(one, one.hindrance()) for one in other_contenders()]
    for one, hindrance in hindrances:
        if hindrance:
            print(f"ina: without {one.name}: {hindrance}", file=sys.stderr)
    return [one for one, hindrance in hindrances if not hindrance]


def in_turn(contenders, number):
    """Every second round is reversed, so that a machine that gets slower favours no contender."""
    return contenders if number % 2 == 0 else contenders[::-1]


def measure(options, contenders):
    """One round: the samples of every row, by table."""
    load = os.getloadavg()[0]
    figures = json.loads(output_of([str(options.programs / "ina-hw-bench")]))
    return {
        "load": load,
        PARTS: {name: [rate / 1e6] for name, rate in part_rates(figures)},
        QUANTISATION: dict(of_quantisation(figures)),
        SWITCH: {kind.name: [packets_per_second(options.programs, kind) / 1e6] for kind in KINDS},
        GOODPUT: {one.name: one.goodputs(options.megabytes) for one in contenders},
    }


def part_rates(figures):
    for row in figures["parts"]:
        yield f"{row['what']}: {row['system']}, {row['frame_bytes']} B", row["packets_per_second"]


def of_quantisation(figures):
    """A worker's cost for an array of a million floats, and the error, by source of the values."""
    units = (("worker_ms", "ms"), ("begin_ms", "ms before its first packet"), ("sent_bytes", "B sent"),
             ("mean_error", "mean error"), ("largest_error", "largest error"))  # fmt: skip
    for row in figures["quantisation"]:
        for key, unit in units:
            yield f"{row['values']}: {row['system']}, {row['frame_bytes']} B: {unit}", [row[key]]


def summaries(rounds, others):
    return [
        summary(table, name, rounds, others)
        for table in (PARTS, QUANTISATION, SWITCH, GOODPUT)
        for name in rounds[0][table]
    ]


def summary(table, name, rounds, others):
    every = [sample for one in rounds for sample in one[table][name]]
    return {
        "table": table,
        "name": name,
        "median": statistics.median(every),
        "least": min(every),
        "most": max(every),
        "beside": {
            other: ratio(rounds, name, other) for other in others if table == GOODPUT and other != name
        },
    }


def ratio(rounds, name, other):
    """Uses the medians of each round, because a slow machine slows both."""
    medians = [
        {key: statistics.median(one[GOODPUT][key]) for key in (name, other)} for one in rounds
    ]
    return statistics.median(one[name] / one[other] for one in medians)


def show(rows):
    table = None
    for row in rows:
        if row["table"] != table:
            table = row["table"]
            print(f"\n{table:47} {'median':>7} {'least':>7} {'most':>7}")
        ratios = ", ".join(f"{times:.2f} x {other}" for other, times in row["beside"].items())
        numbers = " ".join(f"{row[key]:{FORMATS.get(table, '7.1f')}}" for key in ("median", "least", "most"))
        print(f"{row['name']:47} {numbers}  {ratios}".rstrip())


if __name__ == "__main__":
    sys.exit(status_of(main))

# SPDX-License-Identifier: BSD-3-Clause
"""The command `ina switch load`: loads a scenario's jobs into a Tofino."""

import argparse
import signal
import sys
from pathlib import Path

from hw.p4.control.bfrt import Switch
from hw.p4.control.cabling import read_cabling
from hw.p4.control.cluster import read_cluster
from hw.p4.control.entries import dry_run
from hw.p4.control.loading import entries_of
from hw.testbed.arguments import add_inputs, inputs_of
from hw.testbed.plan import TestbedError

INTERRUPTED = 128 + signal.SIGINT


def main(arguments=None):
    try:
        load(parser().parse_args(arguments))
        return 0
    except TestbedError as error:
        if str(error):
            print(f"ina: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return INTERRUPTED


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise TestbedError(f"switch load: {message}")


def parser():
    one = Parser(
        prog="ina switch load",
        description="Loads ports, multicast groups and jobs of a scenario into a Tofino that runs "
        "the scenario's program of hw/p4.",
    )
    add_inputs(one, 1)
    one.add_argument(
        "--cabling",
        metavar="CABLING",
        type=Path,
        required=True,
        help="which port each host hangs on: hw/p4/control/README.md",
    )
    one.add_argument("--dry-run", action="store_true", help="print the entries, load none")
    one.add_argument(
        "--address",
        metavar="HOST:PORT",
        default="localhost:50052",
        help="of the switch's BfRt gRPC server (default: %(default)s)",
    )
    return one


def load(options):
    plugs = read_cabling(options.cabling)
    planned = only_run(options)["cluster"]
    try:
        cluster = read_cluster(planned, plugs)
        entries = entries_of(cluster)
    except TestbedError as error:
        raise TestbedError(f"{options.files[0]}: {error}") from None
    if options.dry_run:
        sys.stdout.write(dry_run(entries))
        return
    switch = Switch(options.address, cluster.program)
    try:
        switch.load(entries)
    finally:
        switch.close()


def only_run(options):
    (experiment,) = inputs_of(options).plans()
    if len(experiment["runs"]) != 1:
        raise TestbedError(
            f"{options.files[0]}: {len(experiment['runs'])} runs; allowed: one, chosen by --set and "
            "--seeds"
        )
    return experiment["runs"][0]


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""The command `ina switch load`: loads a scenario's jobs into a Tofino."""

import argparse
import sys
from pathlib import Path

from hw.p4.control.bfrt import Switch
from hw.p4.control.cabling import read_cabling
from hw.p4.control.cluster import read_cluster
from hw.p4.control.entries import dry_run
from hw.p4.control.loading import entries_of, tables_of
from hw.p4.control.replacing import replace
from hw.plans.arguments import add_inputs, inputs_of
from hw.plans.errors import CommandError
from hw.plans.interrupts import raise_interrupted
from hw.plans.status import status_of


def main(arguments=None):
    raise_interrupted()
    return status_of(lambda: load(parser().parse_args(arguments)))


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise CommandError(f"switch load: {message}")


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
        help="what each port leads to: hw/p4/control/README.md",
    )
    one.add_argument(
        "--switch",
        metavar="NAME",
        help="which one of the scenario's switches it is, if there are several: leaf0, rack1 ...",
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
    (run,) = inputs_of(options).experiment_of_one_run()["runs"]
    try:
        cluster = read_cluster(run, plugs, options.switch)
        entries = entries_of(cluster)
    except CommandError as error:
        raise CommandError(f"{options.files[0]}: {error}") from None
    if options.dry_run:
        sys.stdout.write(dry_run(entries))
        return 0
    switch = Switch(options.address, cluster.program)
    try:
        replace(switch, entries, tables_of(cluster))
    finally:
        switch.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

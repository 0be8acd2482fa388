# SPDX-License-Identifier: BSD-3-Clause
"""The commands `ina switch load`, which loads a scenario's jobs into a Tofino, and `ina switch
serve`, which then registers their sessions."""

import argparse
import contextlib
import sys
from pathlib import Path

from hw.p4.control.bfrt import Switch
from hw.p4.control.cabling import read_cabling
from hw.p4.control.cluster import read_cluster
from hw.p4.control.entries import dry_run
from hw.p4.control.loading import entries_of, tables_of
from hw.p4.control.replacing import replace
from hw.p4.control.serving import check_program, check_served, serve
from hw.plans.arguments import add_inputs, inputs_of
from hw.plans.errors import CommandError
from hw.plans.interrupts import raise_interrupted
from hw.plans.status import status_of


DESCRIPTIONS = {
    "load": "Loads ports, multicast groups and jobs of a scenario into a Tofino that runs the "
    "scenario's program of hw/p4.",
    "serve": "Loads a scenario as `ina switch load` does, then registers each program that the "
    "jobs' workers start, under an id of its own, until SIGINT or SIGTERM.",
}


def main(arguments=None):
    raise_interrupted()
    return status_of(lambda: run(arguments))


def run(arguments):
    verb, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    if verb not in DESCRIPTIONS:
        raise CommandError(f'switch: "{verb}"; allowed: {", ".join(DESCRIPTIONS)}')
    options = parser(verb).parse_args(rest)
    return load(options) if verb == "load" else load_and_serve(options)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise CommandError(f"{self.prog.removeprefix('ina ')}: {message}")


def parser(verb):
    one = Parser(prog=f"ina switch {verb}", description=DESCRIPTIONS[verb])
    add_inputs(one, 1)
    one.add_argument(
        "--cabling",
        metavar="CABLING",
        type=Path,
        required=True,
        help="what each port leads to: hw/p4/control/README.md",
    )
    one.add_argument(
        "--address",
        metavar="HOST:PORT",
        default="localhost:50052",
        help="of the switch's BfRt gRPC server (default: %(default)s)",
    )
    if verb == "load":
        one.add_argument(
            "--switch",
            metavar="NAME",
            help="which one of the scenario's switches it is, if there are several: leaf0, rack1 ...",
        )
        one.add_argument("--dry-run", action="store_true", help="print the entries, load none")
    return one


def load(options):
    _, cluster, entries = read(options, options.switch)
    if options.dry_run:
        sys.stdout.write(dry_run(entries))
        return 0
    with loaded(options, cluster, entries):
        return 0


def load_and_serve(options):
    planned, cluster, entries = read(options, None, for_sessions=True)
    programs = inputs_of(options).programs
    check_program(programs)
    with loaded(options, cluster, entries) as switch:
        return serve(switch, cluster, planned, programs)


def read(options, switch, for_sessions=False):
    """The cluster of the scenario's run as planned, as a switch has it, and its entries."""
    cabling = read_cabling(options.cabling)
    (planned,) = inputs_of(options).experiment_of_one_run()["runs"]
    if for_sessions:
        check_served(cabling, planned["cluster"], options)
    try:
        cluster = read_cluster(planned, cabling, switch)
        return planned["cluster"], cluster, entries_of(cluster)
    except CommandError as error:
        raise CommandError(f"{options.files[0]}: {error}") from None


@contextlib.contextmanager
def loaded(options, cluster, entries):
    """A connection to the switch, which has the entries."""
    switch = Switch(options.address, cluster.program)
    try:
        replace(switch, entries, tables_of(cluster))
        yield switch
    finally:
        switch.close()


if __name__ == "__main__":
    sys.exit(main())

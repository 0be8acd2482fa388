# SPDX-License-Identifier: BSD-3-Clause
"""The commands `ina switch load`, which loads a scenario's jobs into a Tofino, and `ina switch
serve`, which loads all Tofinos of a scenario and then registers the jobs' sessions."""

import argparse
import contextlib
import sys
from pathlib import Path

from hw.commands.arguments import add_inputs, inputs_of
from hw.commands.errors import CommandError, status_of
from hw.commands.interrupts import raise_interrupted
from hw.p4.control.bfrt import Switch
from hw.p4.control.cabling import read_cabling
from hw.p4.control.cluster import read_cluster
from hw.p4.control.entries import dry_run
from hw.p4.control.linking import check_registrar, check_switches, linked
from hw.p4.control.loading import entries_of, tables_of
from hw.p4.control.replacing import replace
from hw.p4.control.serving import check_program, serve


DESCRIPTIONS = {
    "load": "Loads ports, multicast groups and jobs of a scenario into a Tofino that runs the "
    "scenario's program of hw/p4.",
    "serve": "Loads a scenario like `ina switch load`, then registers each program that the jobs' "
    "workers start, under a new job id, until SIGINT or SIGTERM. For several switches, repeat "
    "--switch, --cabling and --address once for each switch, in the same order.",
}
ADDRESS = "localhost:50052"


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
    action = "append" if verb == "serve" else "store"
    one.add_argument(
        "--cabling",
        metavar="CABLING",
        type=Path,
        action=action,
        required=True,
        help="file that maps each port to a host or switch (hw/p4/control/README.md)",
    )
    one.add_argument(
        "--address",
        metavar="HOST:PORT",
        action=action,
        help=f"address of the switch's BfRt gRPC server (default: {ADDRESS})",
    )
    one.add_argument(
        "--switch",
        metavar="NAME",
        action=action,
        help="name of the switch, such as leaf0 or rack1, if the scenario has several switches",
    )
    if verb == "load":
        one.add_argument("--dry-run", action="store_true", help="print the entries without loading them")
    return one


def load(options):
    cabling, run = read_cabling(options.cabling), run_of(options)
    with errors_of(options):
        cluster = read_cluster(run, cabling, options.switch)
        entries = entries_of(cluster)
    if options.dry_run:
        sys.stdout.write(dry_run(entries))
        return 0
    with loaded(options.address or ADDRESS, cluster, entries):
        return 0


def load_and_serve(options):
    names, addresses = switches_of(options)
    cablings = [(path, read_cabling(path)) for path in options.cabling]
    check_registrar(cablings)
    run = run_of(options)
    planned = run["cluster"]
    with errors_of(options):
        check_switches(run, names)
        each = zip(cablings, names, strict=True)
        clusters = [read_cluster(run, cabling, name) for (_, cabling), name in each]
        clusters = linked(clusters, len(planned["jobs"]))
        entries = [entries_of(cluster) for cluster in clusters]
    programs = inputs_of(options).programs
    check_program(programs)
    with contextlib.ExitStack() as stack:
        each = zip(addresses, clusters, entries, strict=True)
        switches = [stack.enter_context(loaded(*one)) for one in each]
        return serve(list(zip(switches, clusters, strict=True)), planned, programs)


def switches_of(options):
    """The names of the switches and their addresses; the name None means the only switch. Raises
    CommandError unless each option is given once per switch."""
    names, addresses = options.switch or [None], options.address or [ADDRESS]
    for option, given in (("--cabling", options.cabling), ("--address", addresses)):
        if len(given) != len(names):
            found = f"{option}: {len(given)} for {len(names)} switches"
            raise CommandError(f"{found}; allowed: --switch, --cabling and --address for each")
    return names, addresses


def run_of(options):
    """The plan of the scenario's only run."""
    (run,) = inputs_of(options).experiment_of_one_run()["runs"]
    return run


@contextlib.contextmanager
def errors_of(options):
    """Prefixes errors with the scenario's file."""
    try:
        yield
    except CommandError as error:
        raise CommandError(f"{options.files[0]}: {error}") from None


@contextlib.contextmanager
def loaded(address, cluster, entries):
    """A connection to the switch, after the entries have been loaded."""
    switch = Switch(address, cluster.program)
    try:
        replace(switch, entries, tables_of(cluster))
        yield switch
    finally:
        switch.close()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""The command `ina testbed`: runs scenarios with real processes and real packets."""

import argparse
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from hw.plans.arguments import add_inputs, folder, inputs_of, whole_number
from hw.plans.errors import CommandError, Interrupted
from hw.plans.inputs import Limits
from hw.plans.interrupts import raise_interrupted
from hw.plans.status import status_of
from hw.testbed import links, namespaces, results
from hw.testbed.archive import Archive, programs_crc32
from hw.testbed.commands import run_commands
from hw.testbed.faults import check_faults
from hw.testbed.progress import Progress
from hw.testbed.run import run
from hw.testbed.topology import is_star

TIMEOUT_UNITS_PS = {"us": 10**6, "ms": 10**9, "s": 10**12}


def main(arguments=None):
    raise_interrupted()
    return status_of(lambda: command_of(arguments))


def command_of(arguments):
    options = parser().parse_args(arguments)
    return options.command(options)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise CommandError(f"testbed: {message}")


def parser():
    top = Parser(prog="ina testbed", description="Scenarios with real processes and real packets.")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    add_run(commands)
    add_exec(commands)
    for name, command, text in (
        ("up", up, "make the network namespaces and veth pairs of scenarios; run then uses them"),
        ("down", down, "remove them"),
    ):
        one = commands.add_parser(name, help=text)
        add_inputs(one)
        one.set_defaults(command=command)
    return top


def add_run(commands):
    one = commands.add_parser("run", help="run scenarios and write their results")
    add_inputs(one)
    one.add_argument(
        "--out",
        metavar="DIR",
        type=folder,
        default=Path("results/testbed"),
        help="where the result folders are made (default: %(default)s)",
    )
    add_network(one, links.KINDS)
    one.add_argument(
        "--replay",
        action="store_true",
        help="let the simulator's switch decide on what came to the testbed's, in its order; "
        "status 3 if it decides otherwise",
    )
    one.add_argument(
        "--replace",
        action="store_true",
        help="make runs anew that are there; without it they are kept, and only those that lack are made",
    )
    one.set_defaults(command=run_experiments)


def add_exec(commands):
    one = commands.add_parser(
        "exec",
        help="run a command as every worker, with INA_CLUSTER, INA_HOST, INA_DEVICE, INA_LIBRARY, "
        "INA_JOB, INA_RANK and INA_WORKERS in its environment; status: the first one that is not 0",
    )
    add_inputs(one, 1)
    one.add_argument("words", metavar="COMMAND", nargs="+", help="after --")
    # Taps are joined when the processes have made them, which commands do when they like.
    add_network(one, [links.Memif.name, links.Veth.name])
    one.set_defaults(command=execute)


def add_network(one, kinds):
    one.add_argument(
        "--links",
        choices=kinds,
        default=links.Memif.name,
        help="memif: sockets, without the kernel; veth: network namespaces, those that are up, or "
        "else for as long as the run takes; tap: interfaces of the processes, which bridges join "
        "(not for exec) (default: %(default)s)",
    )
    one.add_argument(
        "--switch-cores",
        metavar="NUMBER",
        type=whole_number,
        default=1,
        help="processors that the switch may use (default: %(default)s)",
    )
    one.add_argument(
        "--min-timeout",
        metavar="TIME",
        type=picoseconds,
        default="20ms",
        help="no time-out of the scenario is shorter here (default: %(default)s): on a machine "
        "that processes share, a packet may be late by a time slice",
    )
    one.add_argument(
        "--max-window",
        metavar="PACKETS",
        type=whole_number,
        default="256",
        help="no worker has more packets in flight (default: %(default)s): those that wait in "
        "queues between processes are seen by no ECN mark, and may take longer than a time-out",
    )


def picoseconds(text):
    for unit, factor in TIMEOUT_UNITS_PS.items():
        digits = text.removesuffix(unit)
        if digits != text and digits.isdecimal() and digits.isascii():
            return int(digits) * factor
    raise argparse.ArgumentTypeError(f'"{text}"; allowed: a whole number of us, ms or s')


def up(options):
    for experiment in inputs_of(options).plans():
        spaces = namespaces.Namespaces(experiment["name"])
        spaces.up(namespaces.links_of(experiment))
        print("\n".join(spaces.existing()))
    return 0


def down(options):
    for experiment in inputs_of(options).plans():
        spaces = namespaces.Namespaces(experiment["name"])
        if not spaces.exist():
            raise CommandError(f"{experiment['name']}: not up")
        with spaces.claimed():
            spaces.down()
    return 0


def enter_namespace(options):
    if links.KINDS[options.links].in_namespaces and os.geteuid() != 0:
        namespaces.enter_user_namespace()


def limited_inputs(options):
    return replace(inputs_of(options), limits=Limits(options.min_timeout, options.max_window))


def execute(options):
    enter_namespace(options)
    inputs = limited_inputs(options)
    experiment = inputs.experiment_of_one_run()
    if experiment["runs"][0]["cluster"]["node_faults"]:
        raise CommandError(f"{options.files[0]}: /faults/nodes; allowed with commands: none")
    with links.KINDS[options.links].joining(experiment) as joined:
        return run_commands(
            inputs.programs,
            joined,
            experiment["runs"][0]["cluster"],
            options.switch_cores,
            options.words,
        )


def run_experiments(options):
    if options.replay and options.switch_cores > 1:
        raise CommandError(f"--replay: --switch-cores {options.switch_cores}; allowed: 1")
    enter_namespace(options)
    inputs = limited_inputs(options)
    experiments = inputs.plans()
    for planned in (planned for experiment in experiments for planned in experiment["runs"]):
        check_faults(planned["cluster"], options.replay, options.links)
        if options.replay and not is_star(planned["cluster"]):
            raise CommandError("--replay: no star; allowed: a star, also of racks")
    testbed = {
        "links": options.links,
        "switch_cores": options.switch_cores,
        "replay": options.replay,
        **vars(inputs.limits),
        "programs_crc32": programs_crc32(inputs.programs),
    }
    archives = [
        Archive(
            options.out / experiment["name"],
            experiment,
            inputs.programs,
            testbed,
            options.replace,
        )
        for experiment in experiments
    ]
    for file, archive in zip(options.files, archives, strict=True):
        run_experiment(options, inputs, file, archive)
    return 0


def run_experiment(options, inputs, file, archive):
    missing = archive.missing()
    runs = len(archive.experiment["runs"])
    there = runs - len(missing)
    try:
        measure(options, inputs, file, archive, missing)
    except (CommandError, Interrupted):
        report_stop(archive)
        raise
    if there:
        print(f"{there} of {runs} runs {'was' if there == 1 else 'were'} there already")
    print(f"results: {archive.folder}", flush=True)


def measure(options, inputs, file, archive, missing):
    experiment = archive.experiment
    progress = Progress(len(experiment["runs"]))
    if not missing:  # but the tables are not theirs
        archive.write()
        return
    with links.KINDS[options.links].joining(experiment) as joined:
        for one in missing:
            times = [outcome.wall_time_s for outcome in archive.finished.values()]
            progress.begin(len(times) + 1, times)
            replay = partial(inputs.replay, file, one) if options.replay else None
            try:
                outcome = run(inputs.programs, joined, one, replay, options.switch_cores, progress)
            finally:
                progress.clear()
            archive.store(one, outcome)
            print(results.summary(inputs.programs, experiment, one, outcome), flush=True)


def report_stop(archive):
    """Nothing was measured, or it is kept; or what was there before is."""
    if archive.replacing:
        print(
            f"ina: {archive.experiment['name']}: stopped with {len(archive.finished)} of "
            f"{len(archive.experiment['runs'])} runs made anew; those before are kept in "
            f"{archive.folder}",
            file=sys.stderr,
        )
    elif finished := len(archive.finished):
        print(
            f"ina: {archive.experiment['name']}: stopped with {finished} of "
            f"{len(archive.experiment['runs'])} runs finished; {'it is' if finished == 1 else 'they are'} "
            f"kept in {archive.folder} and not run again",
            file=sys.stderr,
        )


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""The command `ina testbed`: runs scenarios with real processes and real packets."""

import argparse
import contextlib
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from hw.commands.arguments import add_inputs, add_programs, folder, inputs_of, whole_number
from hw.commands.errors import CommandError, Interrupted
from hw.commands.inputs import Limits, Programs
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.testbed import links, namespaces, results
from hw.testbed.archive import Archive, programs_crc32
from hw.testbed.check import check
from hw.testbed.commands import run_commands
from hw.testbed.faults import check_faults
from hw.testbed.inventory import read_inventory
from hw.testbed.lab import LabLinks, files_of_commands, machines_of, placement_of
from hw.testbed.machines import MachineError
from hw.testbed.progress import Progress
from hw.testbed.run import run
from hw.testbed.topology import is_star

TIMEOUT_UNITS_PS = {"us": 10**6, "ms": 10**9, "s": 10**12}
# Limits of processes that share a machine.
LEAST_TIMEOUT = "20ms"
MOST_PACKETS = 256


def command_of(arguments=None):
    options = parser().parse_args(arguments)
    return options.command(options)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise CommandError(f"testbed: {message}")


def parser():
    top = Parser(prog="ina testbed", description="Runs scenarios with real processes and real packets.")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    add_run(commands)
    add_exec(commands)
    add_check(commands)
    for name, command, text in (
        ("up", up, "make the network namespaces and veth pairs of scenarios, which run then uses"),
        ("down", down, "remove the namespaces and veth pairs of scenarios"),
    ):
        one = commands.add_parser(name, help=text)
        add_inputs(one)
        one.set_defaults(command=command)
    return top


def add_run(commands):
    one = commands.add_parser("run", help="run scenarios and write their results")
    add_inputs(one)
    one.add_argument(
        "--out", metavar="DIR", type=folder, default=Path("results/testbed"),
        help="parent folder of the result folders (default: %(default)s)",
    )  # fmt: skip
    add_network(one, links.KINDS)
    one.add_argument(
        "--replay", action="store_true",
        help="pass the frames of the testbed's switch to the simulator's switch, in the same order; "
        "status 3 if the decisions differ",
    )  # fmt: skip
    one.add_argument(
        "--replace", action="store_true",
        help="repeat existing runs (default: keep existing runs and add only missing ones)",
    )  # fmt: skip
    one.set_defaults(command=run_experiments)


def add_exec(commands):
    one = commands.add_parser(
        "exec",
        help="run a command as every worker, with INA_CLUSTER, INA_HOST, INA_DEVICE, INA_LIBRARY, "
        "INA_JOB, INA_RANK and INA_WORKERS in the environment; the status is the first one that is not 0",
    )
    add_inputs(one, 1)
    one.add_argument("words", metavar="COMMAND", nargs="+", help="command to run, after --")
    one.add_argument(
        "--copy", metavar="FOLDER", type=folder,
        help="with --machines: folder that is copied to each machine, where the command starts in it "
        "(default: nothing is copied, and the command starts in the home directory)",
    )  # fmt: skip
    # Taps are joined once the processes have made them, and user commands may do so at any time.
    add_network(one, [links.Memif.name, links.Veth.name])
    one.set_defaults(command=execute)


def add_check(commands):
    one = commands.add_parser(
        "check",
        help="check the machines of an inventory, and probe the cables between them; status 4 if "
        "something has to be mended; changes nothing",
    )
    add_machines(one, required=True)
    add_programs(one)
    one.set_defaults(command=check_machines)


def add_network(one, kinds):
    add_machines(one)
    one.add_argument(
        "--links", choices=kinds,
        help="memif: sockets, without the kernel's network; veth: network namespaces, either those "
        "that are up or new ones for the run; tap: interfaces of the processes, joined by bridges, "
        f"not for exec (default: {links.Memif.name}; not with --machines)",
    )  # fmt: skip
    one.add_argument(
        "--switch-cores", metavar="NUMBER", type=whole_number,
        help="number of processors that the switch may use (default: 1; not with --machines, whose "
        "file names the processors)",
    )  # fmt: skip
    one.add_argument(
        "--min-timeout", metavar="TIME", type=picoseconds,
        help=f"minimum of all time-outs (default: {LEAST_TIMEOUT}; with --machines none): where processes "
        "share a machine, a packet may be late by a time slice",
    )  # fmt: skip
    one.add_argument(
        "--max-window", metavar="PACKETS", type=whole_number,
        help=f"maximum number of packets in flight per worker (default: {MOST_PACKETS}; with --machines "
        "none): packets in queues between processes get no ECN marks, and may wait longer than a "
        "time-out",
    )  # fmt: skip


def add_machines(one, required=False):
    one.add_argument(
        "--machines", metavar="LAB", type=Path, required=required,
        help="inventory of the machines on which the processes run, connected by SSH "
        "(docs/how-to/several-machines.md)" + ("" if required else " (default: this machine)"),
    )  # fmt: skip


def inventory_of(options):
    """The inventory that --machines names, or None. Sets the defaults of the other options."""
    if options.machines:
        for option, value in (("--links", options.links), ("--switch-cores", options.switch_cores)):
            if value is not None:
                raise CommandError(f"{option} {value}: with --machines; allowed: one of the two")
        if (options.min_timeout is None) != (options.max_window is None):
            given, other = "--min-timeout", "--max-window"
            if options.min_timeout is None:
                given, other = other, given
            raise CommandError(f"{given}: without {other}; allowed with --machines: both or neither")
    else:
        options.links = options.links or links.Memif.name
        options.min_timeout = options.min_timeout or picoseconds(LEAST_TIMEOUT)
        options.max_window = options.max_window or MOST_PACKETS
    options.switch_cores = options.switch_cores or 1
    return read_inventory(options.machines) if options.machines else None


def picoseconds(text):
    for unit, factor in TIMEOUT_UNITS_PS.items():
        digits = text.removesuffix(unit)
        if digits != text and digits.isdecimal() and digits.isascii():
            return int(digits) * factor
    raise argparse.ArgumentTypeError(f'"{text}"; allowed: a whole number of us, ms or s')


def check_machines(options):
    """Prints each finding in one line, with the command that mends it."""
    inventory = read_inventory(options.machines)
    findings, not_probed = check(inventory, Programs(options.programs.resolve()))
    for finding in findings:
        print(finding)
    if not_probed:
        why = "a machine was not reached, or ports of DPDK between switches"
        print(f"not probed: {', '.join(not_probed)} ({why})")
    print(f"{counted(len(inventory.machines), 'machine')}: {counted(len(findings), 'finding')}")
    return ENVIRONMENT_ERROR if findings else 0


def up(options):
    for experiment in inputs_of(options).plans():
        spaces = namespaces.Namespaces(experiment["name"])
        spaces.up(namespaces.links_of(experiment))
        print("\n".join(spaces.existing()))
    return 0


def down(options):
    for experiment in inputs_of(options).plans():
        name = experiment["name"]
        kinds = (namespaces.VETH, namespaces.TAP)  # taps exist only after a run was killed
        if not any([namespaces.Namespaces(name, kind).remove() for kind in kinds]):
            raise CommandError(f"{name}: not up")
    return 0


def enter_namespace(options):
    if options.links and links.KINDS[options.links].in_namespaces and os.geteuid() != 0:
        namespaces.enter_user_namespace()


def limited_inputs(options):
    return replace(inputs_of(options), limits=Limits(options.min_timeout, options.max_window))


def check_cores(options):
    """Checks up front for errors that each switch would report in each run."""
    if options.switch_cores > (most := len(os.sched_getaffinity(0))):
        raise CommandError(
            f"--switch-cores {options.switch_cores}: this process may use {counted(most, 'processor')}; "
            f"allowed: 1 to {most}"
        )


def check_links(options, inventory, experiment):
    """Refuses experiments that cannot run on these links."""
    if inventory:
        machines_of(inventory, experiment)
    else:
        links.KINDS[options.links].check(experiment)


def joining(options, inventory, experiment, programs, copied=()):
    """A context: the links on which the runs of an experiment are made."""
    if inventory:
        return LabLinks.connected(inventory, experiment, programs, copied)
    return links.KINDS[options.links].joining(experiment)


def execute(options):
    inventory = inventory_of(options)
    if options.copy and not inventory:
        raise CommandError(f"--copy {options.copy}: without --machines; allowed: both")
    check_cores(options)
    enter_namespace(options)
    inputs = limited_inputs(options)
    experiment = inputs.experiment_of_one_run()
    check_links(options, inventory, experiment)
    cluster = experiment["runs"][0]["cluster"]
    if inventory and inventory.tofinos:
        allowed = "a software switch, or ina switch serve, which registers sessions"
        raise CommandError(f"{inventory.path}: /tofinos; allowed with a command: {allowed}")
    if cluster["node_faults"]:
        raise CommandError(f"{options.files[0]}: /faults/nodes; allowed with a command: no faults")
    copied = files_of_commands(inputs.programs, options.copy) if inventory else ()
    with joining(options, inventory, experiment, inputs.programs, copied) as joined:
        if options.copy:
            joined.start_commands_in_copy()
        return run_commands(inputs.programs, joined, cluster, options.switch_cores, options.words)


def run_experiments(options):
    """Measures all experiments. Returns the highest of their statuses."""
    inventory = inventory_of(options)
    if options.replay and inventory:
        raise CommandError("--replay: with --machines; allowed: one of the two")
    if options.replay and options.switch_cores > 1:
        raise CommandError(f"--replay: --switch-cores {options.switch_cores}; allowed: 1")
    check_cores(options)
    enter_namespace(options)
    with reporting_interrupts("interrupted before the first run"):
        inputs = limited_inputs(options)
        archives = archives_of(options, inventory, inputs)
    return max(
        run_experiment(options, inventory, inputs, file, archive)
        for file, archive in zip(options.files, archives, strict=True)
    )


@contextlib.contextmanager
def reporting_interrupts(text):
    try:
        yield
    except Interrupted:
        print(f"ina: {text}", file=sys.stderr)
        raise


def archives_of(options, inventory, inputs):
    """The archives of the experiments in the files, after all checks that need no run."""
    experiments = inputs.plans()
    for experiment in experiments:
        check_links(options, inventory, experiment)
    for planned in (planned for experiment in experiments for planned in experiment["runs"]):
        check_faults(planned["cluster"], options.replay, options.links)
        if options.replay and not is_star(planned["cluster"]):
            raise CommandError("--replay: found no star; allowed: a star, with or without racks")
    testbed = {
        "links": options.links or LabLinks.name,
        "switch_cores": options.switch_cores,
        "replay": options.replay,
        **vars(inputs.limits),
        "programs_crc32": programs_crc32(inputs.programs),
    }
    return [
        Archive(
            options.out / one["name"],
            one,
            inputs.programs,
            testbed | ({"machines": placement_of(inventory, one)} if inventory else {}),
            options.replace,
        )
        for one in experiments
    ]


def run_experiment(options, inventory, inputs, file, archive):
    """Returns 0, or the highest status of the runs that failed."""
    missing = archive.missing()
    runs = len(archive.experiment["runs"])
    there = runs - len(missing)
    try:
        statuses = measure(options, inventory, inputs, file, archive, missing)
    except CommandError:
        if archive.finished or archive.replacing:
            report_end(archive, "stopped with")
        raise
    except Interrupted:
        report_end(archive, "stopped with")
        raise
    if statuses:
        report_end(archive, f"{counted(len(statuses), 'run')} failed;")
        return max(statuses)
    if there:
        print(f"{there} of {runs} runs {'was' if there == 1 else 'were'} there already")
    print(f"results: {archive.folder}", flush=True)
    return 0


def measure(options, inventory, inputs, file, archive, missing):
    """Makes all missing runs. Returns the statuses of the failed ones."""
    experiment = archive.experiment
    progress = Progress(len(experiment["runs"]))
    statuses = []
    if not missing:  # but the tables are of other runs
        archive.write()
        return statuses
    with joining(options, inventory, experiment, inputs.programs) as joined:
        for one in missing:
            times = [outcome.wall_time_s for outcome in archive.finished.values()]
            progress.begin(len(times) + len(statuses) + 1, times)
            replay = partial(inputs.replay, file, one) if options.replay else None
            try:
                outcome = outcome_of(options, inputs.programs, joined, one, replay, progress)
            except MachineError:
                raise
            except CommandError as error:
                report_failure(experiment, one, error)
                statuses.append(error.status)
                continue
            archive.store(one, outcome)
            print(results.summary(inputs.programs, experiment, one, outcome), flush=True)
    return statuses


def outcome_of(options, programs, joined, one, replay, progress):
    try:
        return run(programs, joined, one, replay, options.switch_cores, progress)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise CommandError(f"{where}{error.strerror}", ENVIRONMENT_ERROR) from None
    finally:
        progress.clear()


def report_failure(experiment, one, error):
    """Prints one line about a failed run, named as ina-sim names it."""
    swept = "".join(f" {key}={value}" for key, value in one["swept"].items())
    why = str(error) or f"failed with status {error.status}, for the reason above"
    name = f"{experiment['name']}: run {one['point']}{swept} seed={one['seed']}"
    print(f"ina: {name}: {why}", file=sys.stderr)


def report_end(archive, how):
    """Prints how many runs of an incomplete experiment are finished, and where they are kept.
    During --replace these are the previous runs."""
    finished = len(archive.finished)
    runs = counted(len(archive.experiment["runs"]), "run")
    text = f"ina: {archive.experiment['name']}: {how} {finished} of {runs} "
    if archive.replacing:
        text += f"repeated; the previous runs are kept in {archive.folder}"
    else:
        text += "finished"
        if finished:
            are = "it is" if finished == 1 else "they are"
            text += f"; {are} kept in {archive.folder} and not run again"
    print(text, file=sys.stderr)


def counted(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

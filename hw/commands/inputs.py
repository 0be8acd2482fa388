# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios to be run, as read by the simulator's program."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hw.commands.errors import CommandError
from hw.commands.statuses import ENVIRONMENT_ERROR


@dataclass(frozen=True)
class Programs:
    folder: Path

    def path(self, name):
        return str(self.folder / name)

    def library(self):
        return str(self.folder.parent / "lib" / "libina.so")

    def tables(self, reported):
        """The tables of runs, by name (scenarios/results/reported_runs.hpp)."""
        return self.ask_simulator(["tables"], json.dumps(reported).encode())

    def ask_simulator(self, words, given=None):
        """The output of the simulator's program. If the program fails, it has printed the
        reason."""
        done = subprocess.run(
            [self.path("ina-sim"), *words], input=given, stdout=subprocess.PIPE, check=False
        )
        if done.returncode < 0:
            raise CommandError(f"ina-sim: killed by signal {-done.returncode}", ENVIRONMENT_ERROR)
        if done.returncode != 0:
            raise CommandError("", done.returncode)
        return json.loads(done.stdout)


@dataclass(frozen=True)
class Limits:
    """Limits for processes that share a host, whatever the scenario says. None: no limit."""

    least_timeout_ps: int | None
    most_packets: int | None  # in flight, per worker

    def options(self):
        """Options of the simulator's program, which translates the limits for each system."""
        options = []
        if self.least_timeout_ps is not None:
            options += ["--least-timeout", f"{self.least_timeout_ps}ps"]
        if self.most_packets is not None:
            options += ["--most-packets", str(self.most_packets)]
        return options


@dataclass(frozen=True)
class Inputs:
    """Scenario files and the other input that the simulator's program reads with them."""

    programs: Programs
    files: list
    overrides: list
    seeds: str | None
    limits: Limits | None = None

    def plans(self):
        """The experiments in the files, as `ina-sim plan` prints them, within the limits."""
        return self.ask("plan", self.files)

    def experiment_of_one_run(self):
        """The experiment of the only file. Raises CommandError if it has several runs."""
        (experiment,) = self.plans()
        if (runs := len(experiment["runs"])) != 1:
            raise CommandError(
                f"{self.files[0]}: {runs} runs; allowed: one, chosen by --set and --seeds"
            )
        return experiment

    def replay(self, file, run, rack, journal):
        """Replays a journal of a run at the simulator's switch of a rack. Returns the number of
        decisions that agree, and fails if one differs."""
        options = ["--point", str(run["point"]), "--rack", str(rack), "--journal", str(journal)]
        return self.ask("replay", [file], *options, seeds=str(run["seed"]))

    def ask(self, command, files, *options, seeds=None):
        words = [command, *files, *options]
        if self.limits:
            words += self.limits.options()
        for override in self.overrides:
            words += ["--set", override]
        if (chosen := self.seeds if seeds is None else seeds) is not None:
            words += ["--seeds", chosen]
        return self.programs.ask_simulator(words)


def members(cluster):
    """(link's name, host, program) of all members, workers first."""
    programs = {"workers": "ina-worker", "servers": "ina-ps"}
    return [
        (link_name(cluster, host), host, program)
        for key, program in programs.items()
        for job in cluster["jobs"]
        for host in job.get(key, [])
    ]


def link_name(cluster, host):
    """Name of a host's link to the switch. The last hosts are the machines of parameter servers."""
    topology = cluster["topology"]
    hosts = len(topology["hosts"]) - topology["parameter_servers"]
    return f"host{host}" if host < hosts else f"ps{host - hosts}"

# SPDX-License-Identifier: BSD-3-Clause
"""Interface of a system to the control plane."""

import json
from abc import ABC, abstractmethod

from hw.commands.errors import CommandError


class System(ABC):
    """A system's programs, their requirements on a run, and their entries."""

    name: str  # as in scenarios
    programs: tuple  # folders in hw/p4; also the names under which a switch runs them
    tables_of_levels: tuple  # tables with entries only at some levels of a job's tree

    def program_of(self, settings):
        """The program that implements a run's settings of the system. Raises CommandError if there
        is none."""
        (only_one,) = self.programs
        return only_one

    def slots_of_job(self, settings):
        """Number of slots per job; 0: all jobs share the aggregators."""
        return 0

    @abstractmethod
    def check(self, planned, program):
        """Raises CommandError if a run, as `ina-sim plan` prints its cluster, needs something that
        the program does not implement."""

    def check_job(self, job):
        """Raises CommandError if the programs cannot serve a cluster.Job."""

    def registers_of_job(self, program, job):
        """Entries that reset a job's registers to the state before its begin. Not needed if cells
        contain the id of their job."""
        return ()

    def registers_of_any_job(self):
        """Entries that clear registers in which a job may have left sums under an id. The other
        jobs must be able to recover from this, as from a reboot of the switch. Not needed if
        each job has its own registers."""
        return ()

    @abstractmethod
    def entries(self, cluster):
        """The entries of a cluster.Cluster, in the order of loading: registers right before the
        tables that admit frames. Does not include those that forwarding makes for all programs."""


def only(place, found, allowed):
    if found != allowed:
        refuse(place, shown(found), f"{shown(allowed)}: the P4 program supports nothing else")


def shown(setting):
    """A setting, formatted as in a scenario."""
    return json.dumps(setting) if isinstance(setting, bool) else setting


def refuse(place, found, allowed):
    raise CommandError(f"{place}: {found}; allowed: {allowed}")

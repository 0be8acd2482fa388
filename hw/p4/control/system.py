# SPDX-License-Identifier: BSD-3-Clause
"""What the control plane asks of each system."""

import json
from abc import ABC, abstractmethod

from hw.commands.errors import CommandError


class System(ABC):
    """A system's programs, what a run must be to run on them, and what they get."""

    name: str  # as scenarios have it
    programs: tuple  # the folders of hw/p4, the names under which a switch runs them
    tables_of_levels: tuple  # get entries at some levels of a job's tree only

    def program_of(self, settings):
        """Which program does what a run's settings of the system say. Raises CommandError if none
        does."""
        (only_one,) = self.programs
        return only_one

    def slots_of_job(self, settings):
        """0: all jobs share the aggregators."""
        return 0

    @abstractmethod
    def check(self, planned, program):
        """Raises CommandError if a run, as `ina-sim plan` prints its cluster, wants what the
        program does not do."""

    def check_job(self, job):
        """Raises CommandError if the programs cannot serve a cluster.Job."""

    def registers_of_job(self, program, job):
        """What makes a job's registers those of one that has not begun. None are needed if cells have
        the id of the job that they are of."""
        return ()

    def registers_of_any_job(self):
        """What makes registers empty in which a job may have left sums under an id, if other jobs
        bear that as they bear a reboot of the switch. None are needed if a job has registers of its
        own."""
        return ()

    @abstractmethod
    def entries(self, cluster):
        """The entries of a cluster.Cluster, in addition to those that forwarding makes for all programs,
        in the order of loading: registers right before the tables that admit frames."""


def only(place, found, allowed):
    if found != allowed:
        refuse(place, shown(found), f"{shown(allowed)}: the P4 program has nothing else")


def shown(setting):
    """As a scenario has it."""
    return json.dumps(setting) if isinstance(setting, bool) else setting


def refuse(place, found, allowed):
    raise CommandError(f"{place}: {found}; allowed: {allowed}")

# SPDX-License-Identifier: BSD-3-Clause
"""Jobs as one switch of their trees has them."""

from dataclasses import dataclass
from enum import Enum

from hw.p4.control.cabling import Plug, Registrar


class Level(Enum):
    """Where a switch stands in the tree that adds up a job's gradients."""

    ONLY = "only"
    LEAF = "leaf"
    ROOT = "root"


@dataclass(frozen=True, order=True)
class Host:
    """`plug`: of the port by which the switch reaches it, be it its own or another switch's."""

    number: int
    plug: Plug

    @property
    def port(self):
        return self.plug.dev_port


@dataclass(frozen=True)
class Path:
    """Of a worker's gradients, as hw/protocol/wire/aggregation_path.hpp has it."""

    fan_in_degree0: int
    fan_in_degree1: int
    bitmap0: int  # 0: the worker is a branch of its own, at the root
    bitmap1: int

    @property
    def is_branch(self):
        return self.bitmap0 == 0

    @property
    def bit(self):
        """In the bitmap of its first switch."""
        return self.bitmap1 if self.is_branch else self.bitmap0

    @property
    def fan_in(self):
        """How many that switch adds up."""
        return self.fan_in_degree1 if self.is_branch else self.fan_in_degree0


@dataclass(frozen=True)
class Worker:
    """That hangs on the switch."""

    rank: int
    host: Host
    path: Path

    @property
    def port(self):
        return self.host.port


@dataclass(frozen=True)
class Leaf:
    """Below the root."""

    branch: int
    plug: Plug
    workers: int
    first: int  # of its hosts: to whom the server addresses what it asks the leaf

    @property
    def port(self):
        return self.plug.dev_port


@dataclass(frozen=True)
class Job:
    number: int
    workers: tuple  # that hang on the switch, by rank
    servers: tuple  # as hosts, by index; of a system without servers none
    first_slot: int
    slots: int
    branches: int = 0  # that the root adds up; 0: none does
    leaves: tuple = ()  # at the root
    up: Plug | None = None  # of a leaf: towards the root
    beyond: tuple = ()  # workers that hang on other switches, as hosts
    registered_as: int | None = None  # None: its number

    @property
    def id(self):
        """In its frames."""
        return self.number if self.registered_as is None else self.registered_as

    @property
    def level(self):
        if self.up:
            return Level.LEAF
        return Level.ROOT if self.leaves else Level.ONLY

    @property
    def contributions(self):
        """That the switch adds up."""
        return len(self.workers) + len(self.leaves)

    @property
    def branch(self):
        """Of a leaf."""
        return self.workers[0].path.bitmap1.bit_length() - 1

    @property
    def hosts(self):
        """That its frames come from or go to."""
        known = (*(worker.host for worker in self.workers), *self.beyond)
        return (*known, *self.servers)

    @property
    def plugs(self):
        ends = {host.plug for host in self.hosts} | {leaf.plug for leaf in self.leaves}
        return ends | ({self.up} if self.up else set())

    @property
    def ports_of_group(self):
        """To all workers, each once."""
        ports = [worker.port for worker in self.workers] + [leaf.port for leaf in self.leaves]
        return list(dict.fromkeys(ports))


@dataclass(frozen=True)
class Cluster:
    program: str  # the folder of hw/p4, the name under which a switch runs it
    jobs: tuple
    registrar: Registrar | None = None  # of their sessions, at a port of the switch


def one_level(places):
    """The paths of workers that are all at one switch."""
    return [Path(places, 0, 1 << place, 0) for place in range(places)]

# SPDX-License-Identifier: BSD-3-Clause
"""Jobs as seen by one switch of their trees."""

from dataclasses import dataclass
from enum import Enum

from hw.p4.control.cabling import Plug, Registrar


class Level(Enum):
    """Position of a switch in the tree that adds a job's gradients."""

    ONLY = "only"
    LEAF = "leaf"
    ROOT = "root"


@dataclass(frozen=True, order=True)
class Host:
    """`plug`: the port by which the switch reaches the host, directly or through another switch."""

    number: int
    plug: Plug

    @property
    def port(self):
        return self.plug.dev_port


@dataclass(frozen=True)
class Path:
    """Path of a worker's gradients, as in hw/protocol/wire/aggregation_path.hpp."""

    fan_in_degree0: int
    fan_in_degree1: int
    bitmap0: int  # 0: the worker is itself a branch, at the root
    bitmap1: int

    @property
    def is_branch(self):
        return self.bitmap0 == 0

    @property
    def bit(self):
        """The worker's bit in the bitmap of its first switch."""
        return self.bitmap1 if self.is_branch else self.bitmap0

    @property
    def fan_in(self):
        """Number of contributions that the worker's first switch adds."""
        return self.fan_in_degree1 if self.is_branch else self.fan_in_degree0


@dataclass(frozen=True)
class Worker:
    """A worker that is attached to the switch."""

    rank: int
    host: Host
    path: Path

    @property
    def port(self):
        return self.host.port


@dataclass(frozen=True)
class Leaf:
    """A leaf below the root."""

    branch: int
    plug: Plug
    workers: int
    first: int  # first of its hosts, to which the server addresses requests for the leaf

    @property
    def port(self):
        return self.plug.dev_port


@dataclass(frozen=True)
class Job:
    number: int
    workers: tuple  # attached to the switch, by rank
    servers: tuple  # hosts of the servers, by index; empty in a system without servers
    first_slot: int
    slots: int
    branches: int = 0  # number of branches that the root adds; 0: there is none
    leaves: tuple = ()  # at the root
    up: Plug | None = None  # at a leaf: towards the root
    beyond: tuple = ()  # hosts of workers that are attached to other switches
    registered_as: int | None = None  # None: the job's number

    @property
    def id(self):
        """The job's id in its frames."""
        return self.number if self.registered_as is None else self.registered_as

    @property
    def level(self):
        if self.up:
            return Level.LEAF
        return Level.ROOT if self.leaves else Level.ONLY

    @property
    def contributions(self):
        """Number of contributions that the switch adds."""
        return len(self.workers) + len(self.leaves)

    @property
    def branch(self):
        """Branch of a leaf."""
        return self.workers[0].path.bitmap1.bit_length() - 1

    @property
    def hosts(self):
        """Hosts that send or receive the job's frames."""
        known = (*(worker.host for worker in self.workers), *self.beyond)
        return (*known, *self.servers)

    @property
    def plugs(self):
        ends = {host.plug for host in self.hosts} | {leaf.plug for leaf in self.leaves}
        return ends | ({self.up} if self.up else set())

    @property
    def ports_of_group(self):
        """Ports to all workers, each port once."""
        ports = [worker.port for worker in self.workers] + [leaf.port for leaf in self.leaves]
        return list(dict.fromkeys(ports))


@dataclass(frozen=True)
class Cluster:
    program: str  # folder in hw/p4; also the name under which a switch runs it
    jobs: tuple
    registrar: Registrar | None = None  # registrar of the jobs' sessions, at a port of the switch
    looped: tuple = ()  # plugs of ports in loopback


def one_level(places):
    """The paths of workers that are all at one switch."""
    return [Path(places, 0, 1 << place, 0) for place in range(places)]

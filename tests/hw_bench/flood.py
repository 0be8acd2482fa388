# SPDX-License-Identifier: BSD-3-Clause
"""Packets per second of an ina-switch with its own processor. One process on another processor
plays all workers and does not touch the values."""

import os

from hw.commands.inputs import Inputs, Limits, Programs, members
from hw.testbed.links import Memif
from hw.testbed.processes import Processes
from hw.testbed.run import Run, begin, prepare
from hw.testbed.scratch import scratch_folder
from hw.testbed.topology import links_of
from tests.hw_bench.cluster import LEAST_TIMEOUT_PS, MAX_WINDOW, SCENARIO, overrides
from tests.hw_bench.contenders import output_of


def planned(folder, kind):
    """The cluster of a kind, for memif links."""
    limits = Limits(LEAST_TIMEOUT_PS, MAX_WINDOW)
    inputs = Inputs(Programs(folder), [str(SCENARIO)], overrides(kind), None, limits)
    experiment = inputs.experiment_of_one_run()
    Memif.check(experiment)
    return experiment["runs"][0]["cluster"]


def packets_per_second(folder, kind):
    """Sum over all ports, per direction."""
    programs, links = Programs(folder), Memif()
    cluster = planned(folder, kind)
    workers = [link for link in links_of(cluster) if link.name.startswith("host")]
    servers = [part for part in members(cluster) if part[2] != "ina-worker"]
    of_switch, *others = sorted(os.sched_getaffinity(0))
    others = others or [of_switch]
    with scratch_folder("ina-bench-") as place:
        one = Run(place, programs, links, keeps_journal=False)
        flood = ["taskset", "--cpu-list", ",".join(map(str, others)), programs.path("ina-flood")]
        flood += ["--cluster", str(one.folder / "cluster.json")]
        for link in workers:
            flood += ["--device", links.below(one.folder, link)]
        prepare(one, cluster)
        with Processes(one.folder) as processes:
            (switch,), hosts, _ = begin(one, processes, cluster, servers)
            os.sched_setaffinity(switch.popen.pid, {of_switch})
            for process in hosts:
                os.sched_setaffinity(process.popen.pid, others)
            return float(output_of(flood))

# SPDX-License-Identifier: BSD-3-Clause
"""The switches of a run that one registrar serves through its link to one of them."""

from dataclasses import replace

from hw.commands.errors import CommandError
from hw.p4.control.job import Level
from hw.p4.control.system import refuse


def check_registrar(cablings):
    """`cablings`: pairs of file path and cabling. Raises CommandError unless exactly one has the
    registrar."""
    having = [f"{path}" for path, cabling in cablings if cabling.registrar is not None]
    if not having:
        allowed = "for switch serve: an entry with dev_port and device, optionally speed and fec"
        paths = ", ".join(f"{path}" for path, _ in cablings)
        raise CommandError(f"{paths}: no registrar; allowed {allowed}")
    if len(having) > 1:
        allowed = "one for all switches: at the root of every job's tree"
        raise CommandError(f"{', '.join(having)}: {len(having)} registrars; allowed: {allowed}")


def check_switches(run, names):
    """`names`: the switches to be served; None: the only one. Raises CommandError if a job of the
    run, as `ina-sim plan` prints it, passes a switch that is not among them."""
    switches = [switch["name"] for switch in run["cluster"]["topology"]["switches"]]
    if names == [None]:
        return  # read_cluster() refuses this if there are several
    passed = {place["switch"] for tree in run["trees"] for place in tree["places"]}
    allowed = [switches[number] for number in sorted(passed)]
    if sorted(names) != sorted(allowed):
        refuse("--switch", ", ".join(names), f"each switch that a job passes: {', '.join(allowed)}")


def linked(clusters, count):
    """Clusters of the switches that `count` jobs pass, each with its port to the registrar. One of
    the clusters has the registrar. Raises CommandError if a job's messages cannot reach it along
    the job's tree."""
    (root,) = (cluster for cluster in clusters if cluster.registrar)
    here = {job.number for job in root.jobs if job.level is not Level.LEAF}
    for number in range(count):
        if number not in here:
            found = "a tree whose root is not the registrar's switch"
            refuse(f"/jobs/{number}", found, "the registrar at the root of every job's tree")
    return [cluster if cluster is root else below(cluster, root.registrar) for cluster in clusters]


def below(cluster, registrar):
    """The cluster of a leaf."""
    ports = sorted({job.up.dev_port for job in cluster.jobs})
    if len(ports) > 1:
        found = f"trees that leave a leaf by ports {', '.join(map(str, ports))}"
        refuse("/jobs", found, "one port to the registrar's switch")
    return replace(cluster, registrar=replace(registrar, dev_port=ports[0], plug=None))

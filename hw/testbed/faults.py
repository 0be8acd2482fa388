# SPDX-License-Identifier: BSD-3-Clause
"""Injects faults into a run's processes, by the clock of the run, and carries out the control
plane's reaction. A job that is registered again has another id in its packets, and new
processes."""

import signal
from itertools import groupby

from hw.commands.errors import CommandError
from hw.commands.inputs import link_name

NS_PER_PS = 1e-3
REPLAYABLE = ("worker_pauses", "server_pauses", "server_restarts")  # faults that do not affect the
                                                                    # switch

STARTING = ("server_restarts", "worker_returns")  # faults that replace a process


def check_faults(cluster, replays, links):
    """Raises CommandError if the options do not support these faults."""
    faults = [fault["fault"] for fault in cluster["node_faults"]]
    for fault in faults:
        if replays and fault not in REPLAYABLE:
            raise CommandError(
                f"--replay: {fault} in /faults/nodes; allowed: {', '.join(REPLAYABLE)}"
            )
        registers_again = fault == "switch_reboots" and cluster["loses_jobs_with_switch"]
        if links == "tap" and (fault in STARTING or registers_again):
            raise CommandError(f"--links tap: {fault} in /faults/nodes; allowed: memif, veth")


class Faults:
    """Carries out the control plane's decisions on the running processes. `switches`: by number.
    `restart(name, number, options)`: starts a process again, for the number-th time."""

    def __init__(self, cluster, control, processes, switches, hosts, beginning_ns, restart):
        self.control = control
        self.processes = processes
        self.switches = switches
        self.hosts = {process.name: process for process in hosts}
        self.beginning_ns = beginning_ns
        self.restart = restart
        self.restarts = {}  # number of restarts, by name
        self.iterations_said = {}  # number of iterations that the workers' processes reported, by
                                   # name
        self.registrations = {}  # number of registrations of jobs that had several, by job number
                                 # as text
        self.failures = {}  # status and end_ps of failed jobs, by job number as text
        self.workers = {}  # lists of names, indexed by rank, for each job
        self.servers = {}  # lists of names, indexed by server, for each job
        for number, job in enumerate(cluster["jobs"]):
            self.workers[number] = [link_name(cluster, host) for host in job["workers"]]
            self.servers[number] = [link_name(cluster, host) for host in job.get("servers", [])]

    def wait(self, limit_s):
        """Waits until all jobs have ended, or the time `limit_s` of the monotonic clock. Returns
        the processes that are late."""
        while True:
            until = min(limit_s, self.next_fault_s())
            late = self.processes.wait_until(self.awaited(), "done", until)
            if not late or until == limit_s:
                return late
            self.carry_out(self.control.ask(list(self.iterations_ended())))

    def awaited(self):
        """The workers of jobs that have not failed."""
        jobs = [job for job in self.workers if str(job) not in self.failures]
        return [self.hosts[name] for job in jobs for name in self.workers[job]]

    def next_fault_s(self):
        if self.control.until_ps is None:
            return float("inf")
        return (self.beginning_ns + self.control.until_ps * NS_PER_PS) / 1e9

    def iterations_ended(self):
        """New iterations, for each worker that has ended some since the last call."""
        for job, names in self.workers.items():
            for rank, name in enumerate(names):
                said = self.hosts[name].times_said("iteration")
                if new := said - self.iterations_said.get(name, 0):
                    self.iterations_said[name] = said
                    yield job, rank, new

    def carry_out(self, actions):
        for what, some in groupby(actions, key=lambda action: action["do"]):
            if what == "stop":  # together, since each takes a while
                self.processes.end([self.host(action) for action in some])
                continue
            for action in some:
                getattr(self, what)(action)

    def host(self, action):
        return self.hosts[self.name(action)]

    def name(self, action):
        job = action["job"]
        if "worker" in action:
            return self.workers[job][action["worker"]]
        return self.servers[job][action["server"]]

    # ---- one method per action of the control plane, with the action's name

    def pause(self, action):
        self.host(action).popen.send_signal(signal.SIGSTOP)

    def resume(self, action):
        self.host(action).popen.send_signal(signal.SIGCONT)

    def start_workers(self, action):
        names = self.workers[action["job"]]
        self.processes.end([self.hosts[name] for name in names])
        first = ["--first-iteration", str(action["first_iteration"])]
        for name in names:
            self.start(name, [*id_options(action), *first])

    def start_server(self, action):
        name = self.name(action)
        self.processes.end([self.hosts[name]])
        self.start(name, id_options(action))

    def start(self, name, options):
        number = self.restarts[name] = self.restarts.get(name, 0) + 1
        self.hosts[name] = self.restart(name, number, options)
        self.iterations_said[name] = 0

    def order(self, action):
        self.switches[action["switch"]].send(action["order"])

    def count(self, action):
        self.registrations[str(action["job"])] = action["registrations"]

    def fail(self, action):
        self.failures[str(action["job"])] = {key: action[key] for key in ("status", "end_ps")}


def id_options(action):
    return ["--job-id", str(action["id"])]

# SPDX-License-Identifier: BSD-3-Clause
"""Faults of a run's processes, by the clock of the run: what strikes them, and what a control plane
does then. A job that is registered again has another id in its packets, and new processes, which go
on with the iteration that not all workers have ended."""

import signal
import time

from hw.testbed.plan import TestbedError, members
from hw.testbed.reports import iterations_ended

NS_PER_PS = 1e-3
REPLAYABLE = ("worker_pauses", "server_pauses", "server_restarts")  # of which the switch knows nothing

STARTING = ("server_restarts", "worker_returns")  # another process in the place of one


def check_faults(cluster, replays, links):
    """Throws if they cannot be had with these options."""
    faults = [fault["fault"] for fault in cluster["node_faults"]]
    for fault in faults:
        if replays and fault not in REPLAYABLE:
            raise TestbedError(
                f"--replay: {fault} in /faults/nodes; allowed: {', '.join(REPLAYABLE)}"
            )
        registers_again = fault == "switch_reboots" and cluster["loses_jobs_with_switch"]
        if links == "tap" and (fault in STARTING or registers_again):
            raise TestbedError(f"--links tap: {fault} in /faults/nodes; allowed: memif, veth")


class Faults:
    """Of the processes of a run that have begun. `restart(name, number, options)`: starts a process
    anew, for the number-th time; `reports`: the folder of their reports."""

    def __init__(self, cluster, processes, switches, hosts, beginning_ns, restart, reports):
        self.cluster = cluster
        self.processes = processes
        self.reports = reports
        self.switches = switches  # processes, as the next
        self.hosts = {process.name: process for process in hosts}
        self.beginning_ns = beginning_ns
        self.restart = restart
        self.restarts = {}  # how many, by name
        self.until = {}  # the end of the longest fault that is on, by name
        self.next_id = len(cluster["jobs"])
        self.ids = {}  # of jobs that have been registered again, by number
        self.registrations = {}  # of these, how often in all, by number as text
        self.failures = {}  # of jobs by their numbers as text: status and end_ps
        self.workers = {}  # names, by job
        self.servers = {}
        for number, job in enumerate(cluster["jobs"]):
            self.workers[number] = [f"host{host}" for host in job["workers"]]
        for name, _, program in members(cluster):
            if program == "ina-ps":
                self.servers[int(name.removeprefix("ps"))] = name
        self.pending = sorted(events_of(cluster), key=lambda event: event[0])

    def wait(self, limit_s):
        """Until all jobs have ended, or the instant `limit_s` of the monotonic clock. Returns the
        processes that are late."""
        while True:
            awaited = [
                self.hosts[name] for job in self.workers if self.runs(job) for name in self.workers[job]
            ]
            until = min(limit_s, self.next_event_s())
            late = self.processes.wait_until(awaited, "done", until)
            if not late or until == limit_s:
                return late
            at_ps, strike, fault = self.pending.pop(0)
            strike(self, fault, at_ps)

    def next_event_s(self):
        if not self.pending:
            return float("inf")
        return (self.beginning_ns + self.pending[0][0] * NS_PER_PS) / 1e9

    def runs(self, job):
        return str(job) not in self.failures and not all(
            self.hosts[name].has_said("done") for name in self.workers[job]
        )

    def begins(self, fault, at_ps):
        """A fault that lasts strikes."""
        name = self.struck(fault)
        if fault["fault"] != "switch_reboots" and not self.runs(fault["job"]):
            return
        self.until[name] = max(self.until.get(name, 0), at_ps + fault["duration_ps"])
        BEGINNINGS[fault["fault"]](self, name)

    def ends(self, fault, at_ps):
        name = self.struck(fault)
        if self.until.get(name, at_ps + 1) <= at_ps:  # no other one is on
            del self.until[name]
            ENDS[fault["fault"]](self, name, fault, at_ps)

    def struck(self, fault):
        """Whom, and for what kind of fault: two kinds of one process do not end each other."""
        if fault["fault"] == "switch_reboots":
            return "switch", fault["fault"]
        job = fault["job"]
        of_worker = fault["fault"].startswith("worker")
        name = self.workers[job][fault["worker"]] if of_worker else self.servers[job]
        return name, fault["fault"]

    def kill(self, fault, at_ps):
        if self.runs(fault["job"]):
            self.fail(fault["job"], "killed", at_ps)

    # ---- what happens

    def pause(self, name):
        self.hosts[name[0]].popen.send_signal(signal.SIGSTOP)

    def resume(self, name, _fault, _at_ps):
        self.hosts[name[0]].popen.send_signal(signal.SIGCONT)

    def stop(self, name):
        self.processes.end([self.hosts[name[0]]])

    def start_again(self, name, fault, _at_ps):
        if self.runs(fault["job"]):
            self.start(name[0], self.id_options(fault["job"]))

    def start(self, name, options):
        number = self.restarts[name] = self.restarts.get(name, 0) + 1
        self.hosts[name] = self.restart(name, number, options)

    def id_options(self, job):
        return ["--job-id", str(self.ids[job])] if job in self.ids else []

    def give_up(self, _name, fault, at_ps):
        if self.runs(fault["job"]):
            self.fail(fault["job"], "worker_lost", at_ps)

    def return_worker(self, _name, fault, _at_ps):
        """The job waits for the last one of its dead."""
        if self.runs(fault["job"]) and not self.has_dead(fault["job"]):
            self.register_again(fault["job"])

    def has_dead(self, job):
        return any((name, "worker_returns") in self.until for name in self.workers[job])

    def take_switch_down(self, _name):
        self.switches[0].tell("down")

    def bring_switch_back(self, _name, _fault, _at_ps):
        """Some systems have their sums at no other place."""
        self.switches[0].tell("up")
        for job in self.workers if self.cluster["loses_jobs_with_switch"] else ():
            if self.runs(job) and not self.has_dead(job):
                self.register_again(job)

    def register_again(self, job):
        self.end_all_of(job)
        iteration = min(iterations_ended(self.reports, name) for name in self.workers[job])
        self.ids[job] = self.next_id
        self.next_id += 1
        self.registrations[str(job)] = self.registrations.get(str(job), 1) + 1
        for switch in self.switches:
            switch.tell(f"register {job} {self.ids[job]}")
        if job in self.servers and (self.servers[job], "server_restarts") not in self.until:
            self.start(self.servers[job], self.id_options(job))
        for name in self.workers[job]:
            self.start(name, [*self.id_options(job), "--first-iteration", str(iteration)])

    def end_all_of(self, job):
        names = [*self.workers[job], *([self.servers[job]] if job in self.servers else [])]
        self.processes.end([self.hosts[name] for name in names])

    def fail(self, job, status, at_ps):
        self.end_all_of(job)
        for switch in self.switches:
            switch.tell(f"remove {job}")
        self.failures[str(job)] = {"status": status, "end_ps": at_ps}


BEGINNINGS = {
    "worker_pauses": Faults.pause,
    "server_pauses": Faults.pause,
    "server_restarts": Faults.stop,
    "switch_reboots": Faults.take_switch_down,
    "worker_returns": Faults.stop,
    "worker_is_lost": Faults.stop,
}
ENDS = {
    "worker_pauses": Faults.resume,
    "server_pauses": Faults.resume,
    "server_restarts": Faults.start_again,
    "switch_reboots": Faults.bring_switch_back,
    "worker_returns": Faults.return_worker,
    "worker_is_lost": Faults.give_up,
}


def events_of(cluster):
    """(when, what to do, fault) for each beginning and each end."""
    for fault in cluster["node_faults"]:
        if fault["fault"] == "job_is_killed":
            yield fault["at_ps"], Faults.kill, fault
            continue
        yield fault["at_ps"], Faults.begins, fault
        yield fault["at_ps"] + fault["duration_ps"], Faults.ends, fault

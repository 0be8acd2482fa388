# SPDX-License-Identifier: BSD-3-Clause
"""The cluster's control plane, a program that decides what happens to jobs when faults strike
nodes."""

import json
from contextlib import nullcontext
from types import SimpleNamespace

from hw.commands.errors import CommandError
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.testbed.processes import Process


def control_plane_of(cluster, programs, folder):
    """A context: the control plane, or a stand-in that never asks for a call if there are no node
    faults."""
    if not cluster["node_faults"]:
        return nullcontext(SimpleNamespace(until_ps=None))
    return ControlPlane(programs, folder)


class ControlPlane:
    """A context. `until_ps`: time of the next call of ask(), on the clock of the run; None:
    never."""

    def __init__(self, programs, folder):
        command = [programs.path("ina-control-plane"), "--cluster", "cluster.json"]
        self.process = Process("the control plane", command, folder)
        self.until_ps = None

    def __enter__(self):
        if self.actions():
            raise CommandError("the control plane begins with actions", ENVIRONMENT_ERROR)
        return self

    def __exit__(self, *_):
        self.process.popen.kill()
        self.process.forget()

    def ask(self, iterations_ended):
        """The actions that are due at `until_ps`, in order (hw/processes/process_control.hpp).
        `iterations_ended`: [job, rank, count] of workers, since the last call."""
        event = {"now_ps": self.until_ps, "iterations_ended": iterations_ended}
        self.process.send(json.dumps(event))
        return self.actions()

    def actions(self):
        actions = []
        while (action := self.next_action())["do"] != "wait":
            actions.append(action)
        self.until_ps = action["until_ps"]
        return actions

    def next_action(self):
        line = self.process.popen.stdout.readline()
        if not line:
            self.process.fail()
        return json.loads(line)

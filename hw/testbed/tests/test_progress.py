# SPDX-License-Identifier: BSD-3-Clause
"""Progress lines of a long run without a terminal, on a clock that the test controls."""

import tempfile
import time
from functools import partial

from hw.testbed import command_line
from hw.testbed.processes import Processes
from hw.testbed.progress import EVERY_S, Progress
from hw.testbed.tests.support import PATIENCE_S, PROGRAMS, SMALL


class Clock:
    """`step`: number of seconds that pass with each call."""

    def __init__(self, step=0.0):
        self.time = 1000.0
        self.step = step

    def __call__(self):
        self.time += self.step
        return self.time


def test_while_a_run_lasts_a_line_a_minute_tells_how_long_it_does(capsys):
    clock = Clock()
    progress = Progress(12, clock)
    progress.begin(3, [100.0])
    for _ in range(2):
        clock.time += EVERY_S - 1
        progress.tick()
        assert (progress.wait_s, capsys.readouterr().err) == (1, "")
        clock.time += 1
        progress.tick()
        progress.tick()
        minutes = round((clock.time - 1000) / 60)
        left = 900 + max(100 - 60 * minutes, 0)
        assert capsys.readouterr().err == f"ina: run 3 of 12, {minutes} min in, about {left} s left\n"


class Prompter:
    """Makes the process print the awaited word at the third tick."""

    wait_s = 0

    def __init__(self):
        self.ticks = 0

    def tick(self):
        self.ticks += 1
        if self.ticks == 3:
            self.process.send("go on")


def test_waiting_for_processes_that_say_nothing_wakes_for_each_tick(tmp_path):
    prompter = Prompter()
    with Processes(tmp_path, prompter) as processes:
        command = ["sh", "-c", "read line; echo done; read line"]
        prompter.process = processes.start("silent", command)
        late = processes.wait_until([prompter.process], "done", time.monotonic() + PATIENCE_S)
    assert late == []
    assert prompter.ticks >= 3


def test_a_run_tells_of_the_minutes_it_lasts(tmp_path, temporary, monkeypatch, capfd):
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(command_line, "Progress", partial(Progress, now=Clock(EVERY_S)))
    arguments = ["run", "--programs", str(PROGRAMS), "--out", str(tmp_path / "out"), str(SMALL)]
    assert command_line.command_of(arguments) == 0
    assert " min in" in capfd.readouterr().err

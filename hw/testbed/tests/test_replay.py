# SPDX-License-Identifier: BSD-3-Clause
"""The simulator's switch makes the same decisions as the testbed's on the same arrivals."""

import json
import shutil

import pytest

from hw.commands.inputs import Inputs, Programs
from hw.testbed.links import Memif
from hw.testbed.run import run
from hw.testbed.tests.support import (
    AGGREGATING,
    LIMITS,
    PROGRAMS,
    SMALL,
    SYSTEMS,
    ina_testbed,
    program,
    rows,
    set_keys,
)

# Frames are lost by number, so that both lose the same ones.
LOST = {
    "host0>switch": {"direction": "to_switch", "frames": ["gradient"], "lost_frames": [0, 3, 50]},
    "switch>host1": {"direction": "from_switch", "frames": ["result"], "lost_frames": [1, 2, 60]},
}
LOSSES = {
    "no loss": [],
    "a list of losses": [
        {"link": "host0", **LOST["host0>switch"]},
        {"link": "host1", **LOST["switch>host1"]},
        {"link": "ps0", "lost_frames": [0]},
    ],
}


def frames_lost(folder):
    lost = {link["link"]: int(link["frames_lost"]) for link in rows(folder, "links.csv")}
    return {link: lost[link] for link in LOST}


@pytest.mark.parametrize("losses", LOSSES)
@pytest.mark.parametrize("workers", [2, 4])
@pytest.mark.parametrize("system", SYSTEMS)
def test_both_switches_decide_the_same(tmp_path, temporary, system, workers, losses):
    keys = set_keys(
        system=system,
        topology={"hosts": workers, "parameter_servers": 1},
        faults={"links": LOSSES[losses]},
        **{"jobs/workers": workers},
    )
    done = ina_testbed(temporary, "run", SMALL, *keys, "--replay", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "small" / "manifest.json").read_text())
    replayed = manifest["points"][0]["replayed"]
    (job,) = rows(tmp_path / "small", "jobs.csv")
    packets = 2 * workers * 2 * (20000 // (32 if system == "switchml" else 62))
    assert replayed["arrivals"] >= packets - int(job["retransmissions"])
    assert replayed["decisions"] >= (packets if system in AGGREGATING else 0)
    assert replayed["departures"] >= packets // workers
    simulated = program("ina-sim", "run", SMALL, *keys, "--out", tmp_path / "simulated")
    assert simulated.returncode == 0, simulated.stderr
    expected = {
        link: len(fault["lost_frames"]) if LOSSES[losses] else 0 for link, fault in LOST.items()
    }
    assert frames_lost(tmp_path / "small") == expected
    assert frames_lost(tmp_path / "simulated" / "small") == expected


def test_slots_that_limits_leave_are_replayed_where_they_are(tmp_path, temporary):
    """The second job's slots begin after the first one's. By default there are 512."""
    keys = set_keys(
        system="switchml",
        topology={"hosts": 4, "parameter_servers": 2},
        **{"jobs/count": 2, "switchml/slots": 512, "switch/memory_bytes": "1MB"},
    )
    done = ina_testbed(temporary, "run", SMALL, *keys, "--replay", "--out", tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    """The journal of a run of DSA in which aggregators collide."""
    path = tmp_path_factory.mktemp("journal") / "journal"
    programs = Programs(PROGRAMS)
    inputs = Inputs(programs, [SMALL], [], None, LIMITS)
    ((planned,),) = (plan["runs"] for plan in inputs.plans())

    def keep(_rack, original):
        shutil.copy(original, path)
        return {}

    run(programs, Memif(), planned, keep)
    return path


def replay(journal, *arguments):
    words = ("replay", SMALL, *LIMITS.options(), "--journal", journal, *arguments)
    done = program("ina-sim", *words)
    assert (done.stdout == "") == (done.returncode != 0)
    assert len(done.stderr.splitlines()) == (0 if done.returncode == 0 else 1)
    return done


def test_a_journal_replays(journal):
    assert replay(journal).returncode == 0


@pytest.mark.parametrize(
    "change, line",
    [
        (lambda lines: lines[:1] + [lines[1].replace("allocated", "added")] + lines[2:], 2),
        (lambda lines: lines[:1] + lines[2:], 2),
        (lambda lines: lines[:2] + lines[1:], 3),
        (lambda lines: lines[:1], 2),
    ],
    ids=["another", "missing", "twice", "at the end"],
)
def test_a_decision_that_is_another_one_is_told_with_its_line(tmp_path, journal, change, line):
    changed = tmp_path / "journal"
    changed.write_text("\n".join(change(journal.read_text().splitlines())) + "\n")
    done = replay(changed)
    assert done.returncode == 3
    assert f"journal: line {line}: the testbed's switch: " in done.stderr


def test_another_sum_is_told_with_its_line(tmp_path, journal):
    lines = journal.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("departure "))
    lines[at] = lines[at][:-1] + ("0" if lines[at][-1] != "0" else "1")
    changed = tmp_path / "journal"
    changed.write_text("\n".join(lines) + "\n")
    done = replay(changed)
    assert done.returncode == 3
    assert f"journal: line {at + 1}: the testbed's switch: departure " in done.stderr


@pytest.mark.parametrize("wrong", ["", "allocated 1 2", "taken 0 0 0", "departure drop 00", "\0"])
def test_a_malformed_line_is_refused(tmp_path, journal, wrong):
    lines = journal.read_text().splitlines()
    lines[1] = wrong
    changed = tmp_path / "journal"
    changed.write_text("\n".join(lines) + "\n")
    done = replay(changed)
    assert done.returncode == 2
    assert "journal: line 2: found a line that is not of a journal" in done.stderr


def test_another_policy_decides_otherwise(journal):
    assert replay(journal, "--set", "/dsa/policy=fcfs").returncode == 3


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--point", 7], "--point: 7; allowed: "),
        (["--set", "/system=switchml"], "line 1: found a line that is not of a journal of the scenario's system"),
    ],
)
def test_what_is_no_journal_of_the_scenario_is_refused(journal, arguments, words):
    done = replay(journal, *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_journal_that_is_not_there_is_refused():
    done = replay("/nowhere/journal")
    assert done.returncode == 2
    assert "/nowhere/journal: No such file" in done.stderr

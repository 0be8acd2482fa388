# SPDX-License-Identifier: BSD-3-Clause
"""Finished runs are kept, whatever happens after them."""

import contextlib
import fcntl
import json
import os
import pty
import resource
import shutil
import signal
import struct
import subprocess
import sys
import termios

import pytest

from hw.commands.errors import CommandError
from hw.commands.inputs import Programs
from hw.testbed import command_line
from hw.testbed.archive import Archive
from hw.testbed.processes import Processes
from hw.testbed.progress import EVERY_S, Progress
from hw.testbed.results import write
from hw.testbed.run import Outcome
from hw.testbed.scratch import MARKER, scratch_folder
from hw.testbed.tests.support import (
    ENDLESS,
    PROGRAMS,
    SMALL,
    assert_refused,
    children_of,
    command,
    environment,
    ina_testbed,
    kill,
    rows,
    set_keys,
    start_testbed,
    wait_for,
)

FIRST, SECOND = "00000-seed1.json", "00001-seed1.json"


@pytest.fixture
def short(tmp_path):
    """A scenario of two runs."""
    return scenario(tmp_path, "short", [1, 2])


@pytest.fixture
def endless(tmp_path):
    """A scenario with a short run and an endless one."""
    return scenario(tmp_path, "endless", [1, 100_000])


def scenario(folder, name, iterations):
    content = json.loads(SMALL.read_text())
    del content["$schema"]
    content |= {"time_limit": "3600s", "sweep": {"/jobs/iterations": iterations}}
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content))
    return path


def run_testbed(temporary, *arguments):
    return ina_testbed(temporary, "run", *arguments)


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def start_endless(temporary, endless, out):
    """Returns when its second run is under way."""
    process = start_testbed(temporary, "run", endless, "--out", out)
    wait_for(lambda: (out / "endless" / "manifest.json").exists())
    wait_for(lambda: len(children_of(process)) == 4)
    return process


def stderr_of(process):
    with process.stderr as stderr:
        return stderr.read().decode().splitlines()


def kept_in(out, how="stopped with"):
    folder = out / "endless"
    return f"ina: endless: {how} 1 of 2 runs finished; it is kept in {folder} and not run again"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_experiment_keeps_its_finished_runs(tmp_path, temporary, endless, number):
    process = start_endless(temporary, endless, tmp_path)
    process.send_signal(number)
    assert process.wait(60) == 128 + number
    assert stderr_of(process) == [kept_in(tmp_path)]
    assert os.listdir(tmp_path / "endless" / "runs") == [FIRST]
    assert [job["iterations"] for job in rows(tmp_path / "endless", "jobs.csv")] == ["1"]


def test_a_failed_run_leaves_the_finished_ones_which_are_not_run_again(
    tmp_path, temporary, endless
):
    kept = []
    for _ in range(2):
        process = start_endless(temporary, endless, tmp_path)
        os.kill(children_of(process)[0], signal.SIGKILL)
        assert process.wait(60) == 4
        printed = stderr_of(process)
        assert printed == [
            "ina: endless: run 1 /jobs/iterations=100000 seed=1: switch ended unexpectedly, "
            "with status -9",
            kept_in(tmp_path, "1 run failed;"),
        ]
        kept.append(contents(tmp_path / "endless" / "runs"))
    assert kept[0] == kept[1]
    assert len(kept[0]) == 1


@pytest.fixture
def failing_first(tmp_path):
    """A scenario whose runs of the first point end at their time limit."""
    content = json.loads(SMALL.read_text())
    del content["$schema"]
    content |= {"variants": {"lossy": ENDLESS, "DSA": {"system": "dsa"}}, "seeds": [1, 2]}
    path = tmp_path / "failing.json"
    path.write_text(json.dumps(content))
    return path


def failures(out, *options):
    """The lines that a sweep prints if the runs of its first point fail."""
    names = [f"run 0 /variants=lossy seed={seed}: not ended after 0.1 s: host0, host1" for seed in (1, 2)]
    kept = f"2 of 4 runs finished; they are kept in {out / 'failing'} and not run again"
    return [f"ina: failing: {line}" for line in (*names, f"2 runs failed; {kept}")]


def test_a_failing_run_is_named_and_the_others_are_made_also_when_it_goes_on(
    tmp_path, temporary, failing_first
):
    done = run_testbed(temporary, failing_first, "--out", tmp_path)
    assert done.returncode == 3
    assert done.stderr.splitlines() == failures(tmp_path)
    assert "results:" not in done.stdout
    runs = tmp_path / "failing" / "runs"
    assert sorted(os.listdir(runs)) == [FIRST.replace("00000", "00001"), "00001-seed2.json"]
    assert [row["seed"] for row in rows(tmp_path / "failing", "jobs.csv")] == ["1", "2"]
    before = contents(runs)
    done = run_testbed(temporary, failing_first, "--out", tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.splitlines() == failures(tmp_path)
    assert contents(runs) == before


def test_a_failing_experiment_leaves_the_next_ones_which_are_measured(
    tmp_path, temporary, failing_first, short
):
    done = run_testbed(temporary, failing_first, short, "--out", tmp_path, "--seeds", "1")
    assert done.returncode == 3
    assert sorted(os.listdir(tmp_path / "short" / "runs")) == [FIRST, SECOND]


def test_a_run_without_room_for_its_files_is_named(tmp_path, temporary, short, monkeypatch, capfd):
    """An OSError fails the run, not the sweep."""
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    def no_room(*_):
        raise OSError(28, "No space left on device", "cluster.json")

    monkeypatch.setattr("hw.testbed.run.prepare", no_room)
    arguments = ["run", "--programs", str(PROGRAMS), "--out", str(tmp_path), str(short)]
    assert command_line.command_of(arguments) == 4
    assert capfd.readouterr().err.splitlines() == [
        "ina: short: run 0 /jobs/iterations=1 seed=1: cluster.json: No space left on device",
        "ina: short: run 1 /jobs/iterations=2 seed=1: cluster.json: No space left on device",
        "ina: short: 2 runs failed; 0 of 2 runs finished",
    ]


def test_a_program_that_ends_before_the_beginning_is_named(tmp_path):
    with Processes(tmp_path) as processes:
        process = processes.start("early", ["sh", "-c", "exit 7"])
        process.popen.wait()
        with pytest.raises(CommandError, match="^early ended unexpectedly, with status 7$"):
            process.send("start 0")


def test_an_interrupt_while_modules_load_is_one_line(tmp_path, temporary):
    """One of the modules interrupts the program that loads it."""
    (tmp_path / "selectors.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    path = os.pathsep.join([str(tmp_path), environment(temporary)["PYTHONPATH"]])
    done = subprocess.run(
        command("run", SMALL),
        env=environment(temporary) | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "ina: interrupted before any work\n"


def test_an_interrupt_while_the_scenario_is_read_is_one_line(tmp_path, temporary):
    program = tmp_path / "ina-sim"
    # The script may outlive the interrupted program that starts it, so it must not keep the pipe
    # open.
    program.write_text("#!/bin/sh\nkill -INT $PPID\nexec sleep 60 2>/dev/null\n")
    program.chmod(0o755)
    done = run_testbed(temporary, SMALL, "--programs", tmp_path, "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "ina: interrupted before the first run\n"
    assert not (tmp_path / "out").exists()


def test_an_interrupt_in_the_first_run_is_one_line(tmp_path, temporary, short):
    process = start_testbed(
        temporary, "run", short, "--out", tmp_path, *set_keys(**{"jobs/iterations": 100_000})
    )
    wait_for(lambda: len(children_of(process)) == 4)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert stderr_of(process) == ["ina: short: stopped with 0 of 1 run finished"]
    assert not (tmp_path / "short").exists()


def test_a_killed_testbed_takes_its_processes_along_and_the_next_run_removes_its_folder(
    tmp_path, temporary, endless, short
):
    process = start_endless(temporary, endless, tmp_path)
    kill(process)
    (orphan,) = temporary.iterdir()
    assert orphan.name.startswith("ina-testbed-")
    assert os.listdir(tmp_path / "endless" / "runs") == [FIRST]
    done = run_testbed(temporary, short, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(temporary.iterdir()) == []


def test_results_in_a_folder_with_the_prefix_of_temporary_folders_are_kept(tmp_path, short):
    out = tmp_path / "ina-testbed-res"
    done = run_testbed(tmp_path, short, "--out", out)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(out / "short" / "runs")) == [FIRST, SECOND]


@pytest.fixture
def killed_testbeds_folder(temporary):
    """The temporary folder of a process that was killed."""
    script = "import os; from hw.testbed.scratch import scratch_folder\n"
    script += "with scratch_folder('ina-testbed-'): os.kill(os.getpid(), 9)"
    done = subprocess.run([sys.executable, "-c", script], env=environment(temporary), check=False)
    assert done.returncode == -signal.SIGKILL
    (folder,) = temporary.iterdir()
    return folder


def make_copy(orphan, other):
    shutil.copytree(orphan, other)


def make_renamed(orphan, other):
    orphan.rename(other)


def make_without_a_marker(_, other):
    other.mkdir()
    (other / "mine").touch()


def make_with_another_marker(_, other):
    other.mkdir()
    (other / MARKER).write_text("temporary folder of ina testbed: /elsewhere\n")


def make_with_a_pipe(_, other):
    other.mkdir()
    os.mkfifo(other / MARKER)


@pytest.mark.parametrize("prefix", ["ina-testbed-", "ina-bench-"])
@pytest.mark.parametrize(
    "make",
    [make_copy, make_renamed, make_without_a_marker, make_with_another_marker, make_with_a_pipe],
)
def test_only_what_a_killed_process_left_behind_is_removed(
    killed_testbeds_folder, temporary, monkeypatch, make, prefix
):
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    other = temporary / f"{prefix}mine"
    make(killed_testbeds_folder, other)
    before = sorted(other.iterdir())
    for name in ("ina-bench-", "ina-testbed-"):
        with scratch_folder(name):
            pass
    assert list(temporary.iterdir()) == [other]
    assert sorted(other.iterdir()) == before
    shutil.rmtree(other)


def test_a_folder_whose_process_lives_is_nobodys_to_remove(temporary, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with scratch_folder("ina-testbed-") as first, scratch_folder("ina-testbed-") as second:
        assert first != second
        assert {first, second} == set(temporary.iterdir())


def test_a_complete_experiment_is_made_again_only_with_replace(tmp_path, temporary, short):
    out = ("--out", tmp_path)
    done = run_testbed(temporary, short, *out)
    assert (done.returncode, done.stderr) == (0, "")
    before = contents(tmp_path / "short")
    assert_refused(
        run_testbed(temporary, short, *out),
        f"{tmp_path / 'short'} already contains these runs; allowed: --replace, or another --out",
    )
    assert contents(tmp_path / "short") == before
    done = run_testbed(temporary, short, *out, "--replace")
    assert done.returncode == 0, done.stderr
    after = contents(tmp_path / "short")
    assert after.keys() == before.keys()
    runs = tmp_path / "short" / "runs"
    assert all(after[runs / name] != before[runs / name] for name in (FIRST, SECOND))


def two_runs():
    topology = {"switches": [{"name": "switch", "height": 0}], "trunks": [], "hosts": [0]}
    cluster = {"topology": topology, "jobs": []}
    run = {"swept": {}, "swept_numbers": {}, "system": "dsa", "cluster": cluster}
    runs = [
        {**run, "point": point, "seed": 1, "scenario": {"seeds": [1]}, "cells": {"point": str(point)}}
        for point in (0, 1)
    ]
    return {"name": "two", "runs": runs, "axes": []}


def measured(folder, links, number=2, replace=False):
    """Stores N of two runs, as one command does."""
    archive = Archive(folder, two_runs(), Programs(PROGRAMS), {"links": links}, replace)
    switch = {"rejected_frames": 0, "frames_without_route": 0, "jobs": [], "ports": []}
    for run in archive.missing()[:number]:
        archive.store(run, Outcome({"switch": switch}, 1.0, None))
    os.close(archive.lock)


def links_of(folder):
    paths = [*(folder / "runs").iterdir(), folder / "manifest.json"]
    return [json.loads(path.read_text())["testbed"]["links"] for path in paths]


def test_replaced_runs_stay_until_all_new_ones_are_there(tmp_path):
    folder = tmp_path / "two"
    measured(folder, "memif")
    before = contents(folder)
    measured(folder, "veth", 1, replace=True)  # and is interrupted
    after = contents(folder)
    assert after.keys() - before.keys() == {folder / "runs.new" / FIRST}
    assert {path: after[path] for path in before} == before
    measured(folder, "tap", 2, replace=True)  # starts without the interrupted one's runs
    assert contents(folder).keys() == before.keys()
    assert not (folder / "runs.new").exists()
    assert links_of(folder) == ["tap"] * 3
    with pytest.raises(CommandError, match="already contains these runs"):
        measured(folder, "tap")


def test_files_of_others_among_new_runs_are_kept(tmp_path):
    folder = tmp_path / "two"
    measured(folder, "memif")
    theirs = folder / "runs.new" / "notes.json"
    theirs.parent.mkdir()
    theirs.write_text("{}")
    with pytest.raises(CommandError, match="notes.json is not a run of ina testbed"):
        measured(folder, "veth", replace=True)
    assert theirs.read_text() == "{}"


def test_figures_of_replaced_runs_go_with_them_and_others_stay(tmp_path):
    folder = tmp_path / "two"
    measured(folder, "memif")
    own = b"%PDF-1.4\n1 0 obj\n<< /Creator (INA Lab) >>\nendobj\n"
    for name, content in {"jct.pdf": own, "breakdown-2.pdf": own, "iteration.pdf": b"%PDF-1.4"}.items():
        (folder / name).write_bytes(content)
    measured(folder, "veth", 1, replace=True)
    assert len(list(folder.glob("*.pdf"))) == 3
    measured(folder, "veth", 2, replace=True)
    assert [path.name for path in folder.glob("*.pdf")] == ["iteration.pdf"]


def test_an_interrupted_replace_tells_that_the_runs_before_are_kept(
    tmp_path, temporary, endless
):
    process = start_endless(temporary, endless, tmp_path)
    folder = tmp_path / "endless"
    process.send_signal(signal.SIGINT)
    process.wait()
    process.stderr.close()
    before = contents(folder)
    replacing = start_testbed(temporary, "run", endless, "--out", tmp_path, "--replace")
    wait_for(lambda: (folder / "runs.new" / FIRST).exists())
    replacing.send_signal(signal.SIGINT)
    assert replacing.wait(60) == 130
    assert stderr_of(replacing) == [
        f"ina: endless: stopped with 1 of 2 runs repeated; the previous runs are kept in {folder}"
    ]
    after = contents(folder)
    assert {path: after[path] for path in before} == before


def test_only_what_lacks_is_run(tmp_path, temporary, short):
    out = ("--out", tmp_path)
    assert run_testbed(temporary, short, *out, *set_keys(**{"jobs/iterations": 1})).returncode == 0
    shutil.rmtree(tmp_path / "short")
    assert run_testbed(temporary, short, *out).returncode == 0
    runs = tmp_path / "short" / "runs"
    first = (runs / FIRST).read_bytes()
    (runs / SECOND).unlink()
    done = run_testbed(temporary, short, *out, "--seeds", "1-2")
    assert done.returncode == 0, done.stderr
    assert "1 of 4 runs was there already\n" in done.stdout
    assert (runs / FIRST).read_bytes() == first
    assert len(rows(tmp_path / "short", "jobs.csv")) == 4


def test_tables_that_a_kill_left_behind_are_made_from_the_runs(tmp_path, temporary, short):
    out = ("--out", tmp_path)
    assert run_testbed(temporary, short, *out).returncode == 0
    before = contents(tmp_path / "short")
    (tmp_path / "short" / "jobs.csv").write_text("point\n")
    (tmp_path / "short" / "manifest.json").write_text("[{]")
    done = run_testbed(temporary, short, *out)
    assert "2 of 2 runs were there already\n" in done.stdout
    assert contents(tmp_path / "short") == before


def test_runs_of_other_settings_or_programs_or_scenarios_are_not_mixed(tmp_path, temporary, short):
    out = ("--out", tmp_path)
    assert run_testbed(temporary, short, *out).returncode == 0
    before = contents(tmp_path / "short")
    window = run_testbed(temporary, short, *out, "--seeds", "2", "--max-window", "128")
    assert_refused(window, "/most_packets is 256 in the folder and 128 in this run; allowed: --replace, or another")
    some = run_testbed(
        temporary, short, *out, "--seeds", "2", "--max-window", "128", "--replace"
    )
    assert_refused(some, "--replace with all runs that are there (seeds 1), or another --out")
    other = run_testbed(temporary, short, *out, *set_keys(system="atp", **{"jobs/iterations": 1}))
    assert_refused(other, "is a run of another experiment: ")
    others = tmp_path / "programs"
    others.mkdir()
    for name in ("ina-sim", "ina-switch", "ina-worker", "ina-ps", "ina-control-plane"):
        shutil.copy(PROGRAMS / name, others)
    with open(others / "ina-ps", "ab") as program:
        program.write(b"other code")
    build = run_testbed(temporary, short, *out, "--programs", others)
    assert_refused(build, "/programs_crc32/ina-ps is ")
    assert contents(tmp_path / "short") == before


def test_what_another_run_writes_to_is_left_alone(tmp_path, temporary, short):
    folder = tmp_path / "short"
    folder.mkdir()
    lock = os.open(folder, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    done = run_testbed(temporary, short, "--out", tmp_path)
    os.close(lock)
    assert done.returncode == 4
    assert done.stderr == f"ina: {folder}: another ina run is writing to it\n"


def test_what_came_into_the_folder_meanwhile_is_not_written_over(tmp_path):
    experiment = {"name": "one", "runs": [{"point": 0, "seed": 1}], "axes": []}
    archive = Archive(tmp_path / "one", experiment, Programs(PROGRAMS), {})
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "theirs").touch()
    with pytest.raises(CommandError, match="written to this folder meanwhile"):
        archive.store(experiment["runs"][0], Outcome({}, 1.0, None))
    assert os.listdir(tmp_path / "one") == ["theirs"]


def make_text(text):
    return lambda path: path.write_text(text)


ODD = {
    "a folder": os.mkdir,
    "a FIFO": os.mkfifo,
    "a dangling link": lambda path: path.symlink_to("nowhere"),
    "nothing": lambda path: path.touch(),
    "no JSON": make_text("{"),
    "deep": make_text("[" * 100_000),
    "a list": make_text("[]"),
    "a number": make_text("1e999"),
    "empty": make_text("{}"),
    "numbers for objects": make_text('{"run": 1, "outcome": 2}'),
    "a point of another kind": make_text('{"run": {"point": [1], "seed": 1}, "outcome": {}}'),
    "no reports": make_text('{"run": {"point": 0, "seed": 1}, "outcome": {"reports": 1}}'),
    "not UTF-8": lambda path: path.write_bytes(b"\xff{}"),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_runs_are_refused_in_one_line_and_left_alone(tmp_path, temporary, short, odd):
    runs = tmp_path / "short" / "runs"
    runs.mkdir(parents=True)
    ODD[odd](runs / FIRST)
    done = run_testbed(temporary, short, "--out", tmp_path)
    assert_refused(done, f"ina: --out: {runs / FIRST} ")
    assert os.listdir(runs) == [FIRST]


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("jobs.csv", os.mkdir),
        ("jobs.csv", os.mkfifo),
        ("manifest.json", os.mkdir),
        ("manifest.json", os.mkfifo),
        ("runs", os.mkfifo),
    ],
)
def test_folders_and_pipes_in_the_place_of_files_are_refused_before_the_runs(
    tmp_path, temporary, short, name, make
):
    folder = tmp_path / "short"
    (folder / "runs" if name != "runs" else folder).mkdir(parents=True)
    make(folder / name)
    done = run_testbed(temporary, short, "--out", tmp_path)
    assert_refused(done, f"ina: --out: {folder / name} is not a ")


def test_files_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(CommandError, match=f"^{path}: File too large$"):
            write(tmp_path, {"file": b"x" * 2000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert contents(tmp_path) == {path: b"before"}


def test_files_of_others_beside_results_stay(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    for suffix in ("part", "tmp"):
        (tmp_path / f"jobs.csv.{suffix}").symlink_to(victim)
    write(tmp_path, {"jobs.csv": b"table"})
    assert victim.read_text() == "theirs"
    assert sorted(os.listdir(tmp_path)) == ["jobs.csv", "jobs.csv.part", "jobs.csv.tmp", "victim"]


@pytest.mark.parametrize("reader", ["full", "gone"])
def test_output_that_cannot_be_written_ends_it_in_one_line_and_keeps_the_run(
    tmp_path, temporary, short, reader
):
    if reader == "full":
        stdout, reason = os.open("/dev/full", os.O_WRONLY), "No space left on device"
    else:
        end, stdout = os.pipe()
        os.close(end)
        reason = "Broken pipe"
    done = subprocess.run(
        command("run", short, "--out", tmp_path),
        env=environment(temporary),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(stdout)
    assert (done.returncode, done.stderr) == (4, f"ina: standard output: {reason}\n")
    assert os.listdir(tmp_path / "short" / "runs") == [FIRST]


class Clock:
    def __init__(self):
        self.time = 1000.0

    def __call__(self):
        return self.time


def test_without_a_terminal_a_line_a_minute_tells_the_run_and_the_time_left(capsys):
    clock = Clock()
    progress = Progress(12, clock)
    progress.begin(1, [])
    clock.time += EVERY_S - 1
    progress.begin(2, [59.0])
    assert capsys.readouterr().err == ""
    clock.time += 1
    progress.begin(3, [3.0, 5.0])
    clock.time += 5
    progress.begin(4, [3.0, 5.0, 4.0])
    progress.clear()
    assert capsys.readouterr().err == "ina: run 3 of 12, about 40 s left\n"


def all_of(terminal):
    """Everything written to the terminal. The kernel passes it in parts, and fails at the end."""
    parts = []
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4096):
            parts.append(part)
    return b"".join(parts).decode()


@pytest.mark.parametrize("columns", [10, 80])
def test_on_a_terminal_a_line_that_never_wraps_is_rewritten(monkeypatch, columns):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    with open(theirs, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        progress = Progress(12)
        progress.begin(1, [])
        progress.begin(3, [3.0, 5.0])
        progress.clear()
    printed = all_of(ours)
    os.close(ours)
    texts = ("run 1 of 12", "run 3 of 12, about 40 s left", "")
    assert printed == "".join(f"\r{text[:columns - 1]}\033[K" for text in texts)

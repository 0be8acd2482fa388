# SPDX-License-Identifier: BSD-3-Clause
"""`ina bench hw` produces all figures. The arrays are small, so the figures mean nothing."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from hw.testbed.tests.support import is_gone, wait_for  # noqa: E402

KINDS = {"SwitchML, 308 B", "ATP, 306 B", "DSA, 306 B", "SwitchML, 1076 B", "SwitchML, 1076 B, in blocks"}
OTHERS = {"Gloo", "Gloo, SCHED_BATCH", "Open MPI"}


def command(*arguments):
    words = ["/usr/bin/python3", "-P", "-m", "tests.hw_bench", *arguments]
    return [*words, "--programs", os.environ["INA_PROGRAMS"]]


def environment():
    return os.environ | {"PYTHONPATH": str(ROOT)}


def bench(*arguments, **streams):
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run(
        command(*arguments), env=environment(), text=True, check=False, **streams
    )


def test_measures_every_part_and_every_library_that_is_here(tmp_path):
    file = tmp_path / "figures.json"
    done = bench("--rounds", "1", "--megabytes", "1", "--json", str(file))
    assert done.returncode == 0, done.stderr
    written = json.loads(file.read_text())
    assert next(iter(written.items())) == ("written_by", "ina bench hw --json")
    rows = written["rows"]
    tables = {row["table"] for row in rows}
    assert len(tables) == 4
    assert all(0 <= row["least"] <= row["median"] <= row["most"] for row in rows)
    assert all(0 < row["least"] for row in rows if "error" not in row["name"])
    medians = {row["name"]: row["median"] for row in rows if row["table"].startswith("all-reduce")}
    names = set(medians)
    absent = set(re.findall("^ina: without (.*?): ", done.stderr, re.MULTILINE))
    assert absent <= OTHERS, done.stderr
    assert names | absent == {f"ina, {kind}" for kind in KINDS} | OTHERS
    assert not names & absent
    others = OTHERS - absent
    for row in rows:
        beside = others - {row["name"]} if row["name"] in names else set()
        assert set(row["beside"]) == beside
        for other, ratio in row["beside"].items():
            assert ratio == pytest.approx(row["median"] / medians[other])


def test_goes_on_without_a_library_that_does_not_run(tmp_path):
    for program in ("mpirun", "mpirun.openmpi"):
        (tmp_path / program).write_text("#!/bin/sh\nexit 7\n")
        (tmp_path / program).chmod(0o755)
    done = hindrances(PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert done["Open MPI"].startswith(("no ", "it does not run here: ended with status 7: mpirun"))


def hindrances(**environment):
    program = "import json; from tests.hw_bench.contenders import other_contenders as all;"
    program += "print(json.dumps({one.name: one.hindrance() for one in all()}))"
    done = subprocess.run(
        ["/usr/bin/python3", "-P", "-c", program],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_refuses_what_cannot_be_measured_or_written_before_any_work(tmp_path):
    table = tmp_path / "jobs.csv"
    table.write_text("point\n")
    for arguments, said in (
        (["--rounds", "0"], '"0"; allowed: a whole number from 1'),
        (["--json", str(tmp_path)], f"--json: {tmp_path} is a folder"),
        (["--json", str(tmp_path / "gone" / "figures.json")], "--json: "),
        (["--json", str(table)], f"--json: {table} contains something that --json did not write"),
    ):
        done = bench(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert table.read_text() == "point\n"
    assert list(tmp_path.iterdir()) == [table]


def test_refuses_a_temporary_folder_without_room_for_sockets_before_any_work(tmp_path):
    folder = tmp_path / "a,b"
    folder.mkdir()
    done = subprocess.run(
        command(),
        env=environment() | {"TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f'ina: TMPDIR: "{folder}"; allowed: a path without commas')
    assert len(done.stderr.splitlines()) == 1


QUICK_BENCH = """
import sys
import tests.hw_bench.__main__ as bench
bench.others_that_run = list
bench.measure = lambda *_: {"load": 0.0, bench.PARTS: {"x": [1.0]}, bench.QUANTISATION: {}, bench.SWITCH: {}, bench.GOODPUT: {}}
sys.exit(bench.status_of(bench.main))
"""


@pytest.mark.parametrize("reader", ["full", "gone"])
def test_a_table_that_nobody_reads_is_one_line_and_loses_no_figures(tmp_path, reader):
    file = tmp_path / "figures.json"
    if reader == "full":
        stdout, reason = os.open("/dev/full", os.O_WRONLY), "No space left on device"
    else:
        end, stdout = os.pipe()
        os.close(end)
        reason = "Broken pipe"
    python, isolated, _, _, *arguments = command("--json", str(file))
    done = subprocess.run(
        [python, isolated, "-c", QUICK_BENCH, *arguments],
        env=environment(),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(stdout)
    assert (done.returncode, done.stderr) == (4, f"ina: standard output: {reason}\n")
    assert json.loads(file.read_text())["rows"][0]["median"] == 1.0


def test_a_killed_bench_leaves_no_process(tmp_path):
    with subprocess.Popen(
        command(),
        env=environment() | {"TMPDIR": str(tmp_path)},  # the next bench removes what is left there
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        listed = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        while not (children := listed.read_text().split()):
            assert running.poll() is None
        running.kill()
    for child in children:
        wait_for(lambda child=child: is_gone(child))

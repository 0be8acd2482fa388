# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios on memif sockets."""

import json
import signal
import subprocess
import zlib

import pytest

from hw.testbed.tests.support import (
    FRAGMENTS,
    HERE,
    LARGEST_FRAMES,
    PROGRAMS,
    SMALL,
    SYSTEMS,
    TABLES,
    assert_columns_alike,
    assert_nothing_is_left_after,
    ina_testbed,
    program,
    rows,
    set_keys,
    start_testbed,
)

PARTS = (
    "compute serialisation propagation queueing slot_wait window_wait straggler lateness fallback "
    "recovery"
).split()


def run_testbed(temporary, *arguments):
    return ina_testbed(temporary, "run", *arguments)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_sum_is_exact_in_spite_of_loss(tmp_path, temporary, system):
    faults = {"links": [{"loss": 0.02}]}
    done = run_testbed(
        temporary, SMALL, *set_keys(system=system, faults=faults), "--out", tmp_path / "out"
    )
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "out" / "small"
    (job,) = rows(folder, "jobs.csv")
    assert job["system"] == system
    assert job["iterations"] == "2"
    assert job["rejected_frames"] == "0"
    assert int(job["retransmissions"]) > 0
    assert len(rows(folder, "iterations.csv")) == 2
    assert sum(int(link["frames_lost"]) for link in rows(folder, "links.csv")) > 0
    for iteration in rows(folder, "iterations.csv"):
        assert float(iteration["compute_us"]) <= 4000  # some of it may lie before the period
        assert float(iteration["iteration_span_us"]) >= 4000
        parts = sum(float(iteration[f"{part}_us"]) for part in PARTS)
        assert parts == pytest.approx(float(iteration["period_us"]), abs=0.01)
    assert sum(float(iteration["recovery_us"]) for iteration in rows(folder, "iterations.csv")) > 0


def test_sums_are_exact_in_the_largest_frames(tmp_path, temporary):
    keys = LARGEST_FRAMES | {"faults": {"links": [{"loss": 0.02}]}}
    done = run_testbed(temporary, SMALL, *set_keys(**keys), "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    (job,) = rows(tmp_path / "small", "jobs.csv")
    assert (job["status"], job["iterations"], job["rejected_frames"]) == ("finished", "2", "0")


def test_sums_that_overflow_come_as_floats(tmp_path, temporary):
    """Workers verify that overflowing sums do not come as integers, and that floats are exact."""
    keys = set_keys(system="atp", atp={"overflow": 0.1})
    done = run_testbed(temporary, SMALL, *keys, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    (job,) = rows(tmp_path / "small", "jobs.csv")
    assert (job["iterations"], job["rejected_frames"]) == ("2", "0")
    frames = {row["link"]: int(row["frames_sent"]) for row in rows(tmp_path / "small", "links.csv")}
    assert frames["host0>switch"] > FRAGMENTS + 0.05 * FRAGMENTS  # resent as floats


def test_the_folder_is_that_of_the_simulator_and_marked(tmp_path, temporary):
    done = run_testbed(temporary, SMALL, "--out", tmp_path / "testbed")
    assert done.returncode == 0, done.stderr
    simulated = subprocess.run(
        [PROGRAMS / "ina-sim", "run", SMALL, "--out", tmp_path / "simulator"],
        capture_output=True,
        check=False,
    )
    assert simulated.returncode == 0
    here, there = tmp_path / "testbed" / "small", tmp_path / "simulator" / "small"
    assert_columns_alike(here, there)
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in (here, there)]
    assert manifests[0]["testbed"]["links"] == "memif"
    assert "testbed" not in manifests[1]
    assert manifests[0]["tables_crc32"] == {
        table: f"{zlib.crc32((tmp_path / 'testbed' / 'small' / table).read_bytes()):08x}"
        for table in TABLES
    }
    for key in ("name", "axes", "seeds"):
        assert manifests[0][key] == manifests[1][key]
    assert manifests[0]["points"][0]["scenario"] == manifests[1]["points"][0]["scenario"]
    links = [[link["link"] for link in rows(folder, "links.csv")] for folder in (here, there)]
    assert links[0] == links[1]


def test_jobs_begin_and_workers_are_late_as_in_the_simulator(tmp_path, temporary):
    """Simulator and testbed draw the same start and jitter. If only jitter takes time, the times
    agree."""
    jobs = {
        "workers": 2, "start": {"uniform": ["0s", "20ms"]},
        "jitter": {"uniform": ["100ms", "200ms"], "per": "worker"},
        "profile": {"layers": [{"parameters": 1000}]},
    }  # fmt: skip
    keys = set_keys(jobs=jobs, seeds=1)
    done = run_testbed(temporary, SMALL, *keys, "--out", tmp_path / "testbed")
    assert done.returncode == 0, done.stderr
    program("ina-sim", "run", SMALL, *keys, "--out", tmp_path / "simulator")
    here, there = (
        rows(tmp_path / folder / "small", "jobs.csv") for folder in ("testbed", "simulator")
    )
    assert [job["start_us"] for job in here] == [job["start_us"] for job in there]
    for measured, simulated in zip(here, there, strict=True):
        assert float(simulated["jct_us"]) > 100_000
        assert float(measured["jct_us"]) == pytest.approx(float(simulated["jct_us"]), abs=40_000)


def test_variants_run_and_have_the_columns_of_the_simulator(tmp_path, temporary):
    few = {"system": "switchml", "switchml": {"slots": 8}}
    variants = {"few slots": few, "ATP": {"system": "atp"}}
    keys = set_keys(variants=variants, sweep={"/jobs/iterations": [1, 2]})
    done = run_testbed(temporary, SMALL, *keys, "--out", tmp_path / "testbed")
    assert done.returncode == 0, done.stderr
    program("ina-sim", "run", SMALL, *keys, "--out", tmp_path / "simulator")
    lead = ["point", "/jobs/iterations", "variant", "system", "seed"]
    here, there = (
        [[job[key] for key in lead] for job in rows(tmp_path / name / "small", "jobs.csv")]
        for name in ("testbed", "simulator")
    )
    assert here == there
    assert [job[2:4] for job in here] == [["few slots", "switchml"]] * 2 + [["ATP", "atp"]] * 2


def test_without_loss_hardly_anything_is_sent_again(tmp_path, temporary):
    """Holds for any number of slots of SwitchML, with its fixed time-out. The time-out here is
    longer than any process waits for a processor, so only lost frames are resent."""
    many = set_keys(
        system="switchml",
        **{
            "switch/memory_bytes": "10MB",
            "switchml/slots": 32768,
            "jobs/profile/layers/0/parameters": 4_000_000,
        },
    )
    done = run_testbed(temporary, SMALL, *many, "--out", tmp_path, "--min-timeout", "30s")
    assert done.returncode == 0, done.stderr
    (job,) = rows(tmp_path / "small", "jobs.csv")
    assert int(job["retransmissions"]) < int(job["packets_sent"]) / 100


def test_the_simulator_does_not_write_over_a_testbed(tmp_path, temporary):
    assert run_testbed(temporary, SMALL, "--out", tmp_path).returncode == 0
    before = (tmp_path / "small" / "jobs.csv").read_text()
    done = program("ina-sim", "run", SMALL, "--out", tmp_path)
    assert done.returncode == 2
    assert "small contains results of a testbed" in done.stderr
    assert (tmp_path / "small" / "jobs.csv").read_text() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_after_an_interrupt(tmp_path, temporary, number):
    endless = set_keys(**{"jobs/iterations": 1_000_000})
    process = start_testbed(temporary, "run", SMALL, *endless, "--out", tmp_path / "out")
    printed = "ina: small: stopped with 0 of 1 run finished\n"
    assert_nothing_is_left_after(number, process, 0.3, printed)
    assert not (tmp_path / "out").exists()


def test_a_run_beyond_its_time_limit_fails(tmp_path, temporary):
    done = run_testbed(
        temporary,
        SMALL,
        *set_keys(time_limit="50ms", faults={"links": [{"loss": 1}]}),
        *("--out", tmp_path / "out"),
    )
    assert done.returncode == 3
    assert done.stderr.splitlines() == [
        "ina: small: run 0 seed=1: not ended after 0.05 s: host0, host1",
        "ina: small: 1 run failed; 0 of 1 run finished",
    ]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([HERE / "absent.json"], "absent.json"),
        ([SMALL, "--set", "/system=tcp"], "/system"),
        ([SMALL, "--min-timeout", "20"], "--min-timeout"),
        ([SMALL, "--max-window", "0"], "--max-window"),
        ([SMALL, "--links", "rope"], "--links"),
        ([SMALL, "--frobnicate"], "--frobnicate"),
        ([SMALL, "--seeds", ""], "--seeds"),
        ([SMALL, "--out", ""], "--out"),
    ],
)
def test_bad_input_is_refused_in_one_line(tmp_path, temporary, arguments, words):
    done = run_testbed(temporary, "--out", tmp_path / "out", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


def test_a_folder_that_cannot_be_made_is_refused_before_the_runs(tmp_path, temporary):
    (tmp_path / "file").write_text("")
    done = run_testbed(temporary, SMALL, "--out", tmp_path / "file")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "file cannot be written to" in done.stderr

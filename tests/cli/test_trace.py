# SPDX-License-Identifier: BSD-3-Clause
"""`ina trace` and its output file. Tests of the file's content: ns3-modules/ina-cluster/test/timeline-test.cc."""

import csv
import json

import ina_sim
import pytest


def trace(*arguments):
    return ina_sim.ina("trace", *arguments)


def events_of(path):
    content = json.loads(path.read_text())
    assert list(content)[0] == "written_by"  # marks the file as one that may be overwritten
    return [event for event in content["traceEvents"] if event["ph"] != "M"]


def test_communication_ends_when_the_tables_say_that_it_does(tiny, tmp_path):
    out = tmp_path / "trace.json"
    done = trace(tiny, "--point", 1, "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert str(out) in done.stdout
    assert ina_sim.ina("run", tiny, "--out", tmp_path).returncode == 0
    with open(tmp_path / "tiny" / "jobs.csv", newline="") as table:
        end_us = max(float(job["end_us"]) for job in csv.DictReader(table) if job["point"] == "1")
    spans = [event["ts"] + event.get("dur", 0) for event in events_of(out) if event["ph"] in "Xe"]
    assert max(spans) == pytest.approx(end_us, abs=1e-6)


def test_it_says_what_was_run_and_by_which_build(tiny, tmp_path):
    out = tmp_path / "trace.json"
    assert trace(tiny, "--point", 1, "--out", out).returncode == 0
    origin = json.loads(out.read_text())["otherData"]
    folder = ina_sim.run(tiny, tmp_path)
    run = json.loads((folder / "manifest.json").read_text())["points"][1]
    assert origin == {
        "scenario": "tiny", "point": 1, "swept": run["swept"], "seed": run["seed"], "build": run["build"],
    }  # fmt: skip


def test_a_window_is_a_part_of_the_whole(tiny, tmp_path):
    whole, part = tmp_path / "whole.json", tmp_path / "part.json"
    assert trace(tiny, "--frames", "--out", whole).returncode == 0
    frames = [event for event in events_of(whole) if event["ph"] == "i"]
    middle_us = frames[len(frames) // 2]["ts"]
    window = ("--from", f"{middle_us - 5:f}us", "--to", f"{middle_us + 5:f}us")
    assert trace(tiny, "--frames", *window, "--out", part).returncode == 0
    expected = [event for event in frames if middle_us - 5 <= event["ts"] < middle_us + 5]
    assert [event for event in events_of(part) if event["ph"] == "i"] == expected


def test_it_overwrites_nothing_but_a_trace(tiny, tmp_path):
    out = tmp_path / "mine.json"
    out.write_text("mine\n")
    done = trace(tiny, "--out", out)
    assert done.returncode == 2
    assert out.read_text() == "mine\n"
    out.unlink()
    assert trace(tiny, "--out", out).returncode == 0
    assert trace(tiny, "--out", out).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--point", "1000"], "--point: 1000; allowed: a point below "),
        (["--point", "01000"], "--point: 1000; allowed: a point below "),  # not octal
        (["--point", "-1"], '--point: found "-1"; allowed: a whole number from 0 to '),
        (["--point", "1-3"], '--point: found "1-3"; allowed: a whole number from 0 to '),
        (["--point", ""], '--point: found ""; allowed: a whole number from 0 to '),
        (["--seeds", "1-3"], '--seeds: found "1-3"; allowed: a single seed'),
        (["--from", "2us", "--to", "1us"], "--to: 1us; allowed: a time after --from, which is 2us"),
        (["--from", "soon"], '--from: found "soon", not a decimal number with a unit; allowed: '),
        (["--from", "1s"], "--from: found no events between 1s and "),
        (["--interval", "0us"], "--interval: "),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(tiny, tmp_path, arguments, words):
    out = tmp_path / "trace.json"
    done = trace(tiny, *arguments, "--out", out)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not out.exists()


def test_one_file_at_a_time(tiny):
    done = trace(tiny, tiny)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1

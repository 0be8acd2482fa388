# SPDX-License-Identifier: BSD-3-Clause
"""Reports of processes that were started again."""

import json

from hw.testbed.reports import reports_in

PARTS = {"compute": 10, "recovery": 0}


def iteration(start_ps, end_ps):
    return {"start_ps": start_ps, "end_ps": end_ps, "breakdown_ps": dict(PARTS)}


def worker(first_iteration, start_ps, *iterations):
    return {
        "first_iteration": first_iteration,
        "iteration_start_ps": start_ps,
        "iterations": list(iterations),
        "rejected_frames": 1,
        "retransmissions": 2,
        "port": {"frames_sent": 3},
    }


def written(folder, *reports):
    for number, report in enumerate(reports):
        name = "host0.json" if number == 0 else f"host0.{number}.json"
        (folder / name).write_text(json.dumps(report))
    return reports_in(folder)["host0"]


def test_counters_are_those_of_all(tmp_path):
    report = written(tmp_path, *[worker(0, None)] * 11)  # 10 comes after 9
    assert report["rejected_frames"] == 11
    assert report["retransmissions"] == 22
    assert report["port"] == {"frames_sent": 33}


def test_what_was_begun_anew_counts_from_its_first_start(tmp_path):
    report = written(
        tmp_path,
        worker(0, 20, iteration(0, 10), iteration(10, 20)),
        worker(1, None, iteration(50, 60), iteration(60, 70)),  # others had not ended the second
    )
    again = iteration(10, 60) | {"breakdown_ps": PARTS | {"recovery": 40}}
    assert report["iterations"] == [iteration(0, 10), again, iteration(60, 70)]


def test_what_was_begun_several_times_counts_from_the_first(tmp_path):
    report = written(
        tmp_path,
        worker(0, 10, iteration(0, 10)),
        worker(1, 50),
        worker(1, None, iteration(90, 100)),
    )
    again = iteration(10, 100) | {"breakdown_ps": PARTS | {"recovery": 80}}
    assert report["iterations"] == [iteration(0, 10), again]

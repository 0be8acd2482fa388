# SPDX-License-Identifier: BSD-3-Clause
"""Reports of processes that were started again."""

import json

from hw.testbed.reports import reports_in


def worker(first_iteration):
    return {
        "training": {"first_iteration": first_iteration, "iterations": []},
        "counters": {"rejected_frames": 1, "retransmissions": 2},
        "port": {"frames_sent": 3},
    }


def written(folder, *reports):
    for number, report in enumerate(reports):
        name = "host0.json" if number == 0 else f"host0.{number}.json"
        (folder / name).write_text(json.dumps(report))
    return reports_in(folder)["host0"]


def test_counters_are_those_of_all(tmp_path):
    report = written(tmp_path, *[worker(0)] * 11)
    assert report["counters"] == {"rejected_frames": 11, "retransmissions": 22}
    assert report["port"] == {"frames_sent": 33}


def test_what_each_process_went_through_stands_in_the_order_of_their_starts(tmp_path):
    reports = [worker(number) for number in range(11)]  # 10 comes after 9
    training = written(tmp_path, *reports)["training"]
    assert training == [report["training"] for report in reports]

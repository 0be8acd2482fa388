# SPDX-License-Identifier: BSD-3-Clause
"""The content of result folders, and when their runs are repeated."""

import csv
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import zlib
from pathlib import Path

import ina_sim
import pytest

PREFIX = ["point", "/jobs/count", "system", "seed"]
FILES = sorted([*ina_sim.TABLES, "manifest.json"])


def test_the_folder_is_complete(tiny, tmp_path):
    folder = ina_sim.run(tiny, tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, "points"])
    points = sorted((folder / "points").iterdir())
    assert [point.name for point in points] == [f"0000{point}-seed1" for point in range(4)]
    for point in points:
        assert sorted(path.name for path in point.iterdir()) == FILES


@pytest.mark.parametrize("table", ina_sim.TABLES)
def test_columns_are_those_that_are_documented(tiny, tmp_path, table):
    rows = ina_sim.rows(ina_sim.run(tiny, tmp_path), table)
    assert list(rows[0]) == PREFIX + ina_sim.columns_of(table)
    assert {(row["point"], row["system"], row["/jobs/count"]) for row in rows} == {
        ("0", "atp", "1"), ("1", "atp", "2"), ("2", "dsa", "1"), ("3", "dsa", "2"),
    }  # fmt: skip
    assert all(None not in row and None not in row.values() for row in rows)


# Columns of jobs that are derived from the training of their workers.
DERIVED = (
    "jct_us", "iteration_mean_us", "iteration_min_us", "iteration_max_us", "start_us", "iterations",
)  # fmt: skip
TEXTS = ("profile", "status", "switch", "link")
ITERATION = ina_sim.columns_of("iterations.csv")
PARTS = [
    column.removesuffix("_us")
    for column in ITERATION[ITERATION.index("compute_us") : ITERATION.index("recovery_us") + 1]
]


def as_reported(table, cells):
    """A row of a table, without the cells that name the run, as `ina-sim tables` reads it."""
    row = {}
    for column, cell in cells.items():
        if cell == "" or (table == "jobs.csv" and column in DERIVED):
            continue
        if column in TEXTS:
            row[column] = cell
        elif column.endswith("_us"):
            row[column.removesuffix("us") + "ps"] = ps_of(cell)
        else:
            row[column] = int(cell)
    if row.get("status") == "finished":
        del row["end_ps"]
    return row


def ps_of(cell):
    return int(cell.replace(".", ""))


def training_of(job, iterations):
    """Possible reports of two workers that result in these rows of a job, which has at most one iteration."""
    for worker in range(2):
        report = {"job": int(job["job"]), "worker": worker, "first_iteration": 0, "iterations": []}
        for row in iterations:
            start, last, mean, straggler_mean = (
                ps_of(row[f"{column}_us"])
                for column in (
                    "start", "iteration_span", "iteration_worker_mean", "straggler_worker_mean",
                )
            )  # fmt: skip
            time = last if worker == 1 else 2 * mean - last
            parts = {part: ps_of(row[f"{part}_us"]) for part in PARTS}
            if worker == 0:
                parts["straggler"] = 2 * straggler_mean - parts["straggler"]
            report["iterations"].append(went_through(start, start + time, **parts))
        if not iterations:
            report["iteration_start_ps"] = ps_of(job["start_us"])
        yield report


def reported_of(folder):
    """Reports from which the tables of a result folder may have been made."""
    points = {}
    for table in ina_sim.TABLES:
        for row in ina_sim.rows(folder, table):
            cells = tuple(row[column] for column in PREFIX)
            rows = points.setdefault(cells, {table: [] for table in ina_sim.TABLES})
            rows[table].append({name: row[name] for name in ina_sim.columns_of(table)})
    runs = []
    for cells, rows in points.items():
        run = {"cells": cells, "training": []}
        for job in rows["jobs.csv"]:
            own = [row for row in rows["iterations.csv"] if row["job"] == job["job"]]
            run["training"] += training_of(job, own)
        for table in ("jobs.csv", "switch.csv", "links.csv"):
            run[table.removesuffix(".csv")] = [as_reported(table, row) for row in rows[table]]
        runs.append(run)
    return {"columns": PREFIX, "runs": runs}


def tables_of(reported):
    return ina_sim.ina("tables", input=json.dumps(reported))


def test_the_same_rows_reported_by_others_make_the_same_tables(tiny, tmp_path):
    keys = {"/faults": json.dumps({"links": [{"loss": 0.01}], "nodes": [KILLED]})}
    folder = ina_sim.run(tiny, tmp_path, keys)
    assert {row["status"] for row in ina_sim.rows(folder)} == {"killed", "finished"}
    done = tables_of(reported_of(folder))
    assert (done.returncode, done.stderr) == (0, "")
    texts = json.loads(done.stdout)
    assert {name: text.encode() for name, text in texts.items()} == ina_sim.tables(folder)


KILLED = {"fault": "job_is_killed", "at": "1us", "job": 0}
LINK = {
    "link": "host0>switch",
    "frames_sent": 1,
    "bytes_sent": 2,
    "frames_received": 3,
    "bytes_received": 4,
}
RUN = {"cells": ["0", "a,b"], "jobs": [], "training": [], "switch": [], "links": [LINK]}


def test_what_nobody_counted_is_an_empty_cell():
    done = tables_of({"columns": ["point", "variant"], "runs": [RUN]})
    assert json.loads(done.stdout)["links.csv"].splitlines()[1] == (
        '0,"a,b",host0>switch,1,2,3,4,,,,,,,,'
    )


def reported_counters(table):
    """The counters of a table's row that a report must contain."""
    return [
        column
        for column in ina_sim.columns_of(table)
        if column not in (*DERIVED, *TEXTS) and not column.endswith("_us") and "_type_" not in column
    ]


JOB = dict.fromkeys(reported_counters("jobs.csv"), 0) | {
    "profile": "tiny", "workers": 2, "values": 10, "registrations": 2, "status": "finished",
}  # fmt: skip
SWITCH = dict.fromkeys(reported_counters("switch.csv"), 0)
US = 10**6


def went_through(start_ps, end_ps, **parts):
    """An iteration of a worker. Without `parts`, it consists of computation only."""
    parts = dict.fromkeys(PARTS, 0) | (parts or {"compute": end_ps - start_ps})
    return {
        "start_ps": start_ps,
        "end_ps": end_ps,
        "breakdown_ps": parts,
        "until_first_result_ps": parts,
    }


def process(worker, first_iteration, *iterations_us, begun_us=None, job=0):
    """Report of a worker's process. `iterations_us`: starts and ends of its iterations."""
    begun = {} if begun_us is None else {"iteration_start_ps": begun_us * US}
    return begun | {
        "job": job,
        "worker": worker,
        "first_iteration": first_iteration,
        "iterations": [went_through(start * US, end * US) for start, end in iterations_us],
    }


def tables_of_job(training, **keys):
    """The rows of a run with one job of two workers."""
    switch = [SWITCH | {"switch": "switch"}]
    run = RUN | {"jobs": [JOB | keys], "training": training, "switch": switch}
    done = tables_of({"columns": ["point", "variant"], "runs": [run]})
    assert done.returncode == 0, done.stderr
    tables = json.loads(done.stdout)
    return {name: list(csv.DictReader(io.StringIO(text))) for name, text in tables.items()}


def numbers(rows, *columns):
    return [tuple(float(row[f"{column}_us"]) for column in columns) for row in rows]


COLUMNS_OF_TIMES = (
    "start", "period", "iteration_span", "iteration_worker_mean", "compute", "lateness", "recovery",
)  # fmt: skip


def test_iterations_are_made_of_what_workers_report():
    """Worker 1 ends the first iteration late, and therefore begins the second one late. The period of the second
    iteration begins at that time. Its span begins when worker 0 begins it."""
    training = [process(0, 0, (5, 20), (20, 40)), process(1, 0, (5, 30), (30, 42))]
    tables = tables_of_job(training)
    assert numbers(tables["iterations.csv"], *COLUMNS_OF_TIMES) == [
        (5, 25, 25, 20, 25, 0, 0),
        (20, 12, 22, 16, 12, 0, 0),
    ]
    (job,) = tables["jobs.csv"]
    assert job["iterations"] == "2"
    columns = ("start", "end", "jct", "iteration_mean", "iteration_min", "iteration_max")
    assert numbers([job], *columns) == [(5, 42, 37, 18.5, 12, 25)]
    assert numbers(tables["switch.csv"], "time") == [(42,)]  # the report has no other time


def test_what_a_second_process_of_a_worker_began_anew_counts_from_the_first_start_of_all():
    """Only worker 0 had ended the second iteration before the restart, and it began it before worker 1 did."""
    training = [
        process(0, 0, (0, 10), (10, 20), begun_us=20),
        process(0, 1, (50, 62), (62, 70)),
        process(1, 0, (0, 12), begun_us=12),
        process(1, 1, (53, 60), (60, 70)),
    ]
    tables = tables_of_job(training)
    rows = tables["iterations.csv"]
    assert numbers(rows, *COLUMNS_OF_TIMES) == [
        (0, 12, 12, 11, 12, 0, 0),
        (10, 50, 52, (52 + 47) / 2, 12, 0, 38),
        (60, 8, 10, 9, 8, 0, 0),
    ]
    assert [row["iteration"] for row in rows] == ["0", "1", "2"]


def test_what_all_workers_ended_may_be_begun_anew():
    """The control plane did not know yet that all workers had ended the iteration."""
    training = [
        process(0, 0, (0, 10)),
        process(0, 0, (20, 30)),
        process(1, 0, (0, 10)),
        process(1, 0, (20, 30)),
    ]
    rows = tables_of_job(training)["iterations.csv"]
    assert numbers(rows, "start", "period", "compute", "recovery") == [(0, 30, 10, 20)]


def test_of_a_job_that_failed_nothing_counts_after_its_end():
    """Processes end some time after their job."""
    training = [process(0, 0, (0, 10), (10, 30)), process(1, 0, (0, 10), (10, 20), begun_us=20)]
    tables = tables_of_job(training, status="killed", end_ps=25 * US)
    (job,) = tables["jobs.csv"]
    assert (job["iterations"], job["jct_us"]) == ("1", "")
    assert numbers([job], "start", "end") == [(0, 25)]
    assert len(tables["iterations.csv"]) == 1
    assert numbers(tables["switch.csv"], "time") == [(25,)]


def test_a_job_that_failed_before_it_began_has_no_start():
    training = [process(0, 0), process(1, 0, begun_us=10)]
    (job,) = tables_of_job(training, status="killed", end_ps=5 * US)["jobs.csv"]
    assert (job["iterations"], job["start_us"], job["iteration_mean_us"]) == ("0", "", "")


ENDED = [process(0, 0, (0, 10)), process(1, 0, (0, 10))]


def with_training(*training, **keys):
    return RUN | {"jobs": [JOB | keys], "training": [*training]}


@pytest.mark.parametrize(
    "run, words",
    [
        (RUN | {"cells": ["0"]}, "/runs/0/cells: found an array; allowed: an array of strings, one"),
        (RUN | {"links": [LINK | {"loss": 1}]}, "/runs/0/links/0/loss: unknown key"),
        (RUN | {"links": [{"link": "a>b"}]}, "/runs/0/links/0/frames_sent: the key is missing"),
        (RUN | {"switch": {}}, "/runs/0/switch: found"),
        (RUN | {"switch": [SWITCH | {"switch": "switch"}]}, "/runs/0/switch: found"),
        (RUN | {"training": [{"job": 0}]}, "/runs/0/training/0/worker: the key is missing"),
        (RUN | {"training": ENDED}, "/runs/0/training/0/job: found 0; allowed: a job of the run"),
        (with_training(process(2, 0)), "/runs/0/training/0/worker: found 2; allowed: a worker of the job"),
        (with_training(), "/runs/0/training: found processes of 0 of the 2 workers of job 0; allowed: the same"),
        (with_training(ENDED[0]), "/runs/0/training: found processes of 1 of the 2 workers of job 0; allowed:"),
        (
            with_training(*ENDED, process(0, 1, (20, 30))),
            "/runs/0/training: found processes of 1 of the 2 workers of job 0; allowed: the same number of processes for each worker",
        ),
        (
            with_training(ENDED[0], process(1, 0) | {"iterations": [went_through(5, 4, compute=0)]}),
            "/runs/0/training/1/iterations/0/end_ps: found 4; allowed: 5 or more",
        ),
        (
            with_training(ENDED[0], process(1, 0, (0, 10), (9, 11))),
            "/runs/0/training/1/iterations/1/start_ps: found 9000000; allowed: 10000000 or more",
        ),
        (
            with_training(*ENDED, process(0, 1, (20, 30)), process(1, 1, begun_us=9)),
            "/runs/0/training/3/iteration_start_ps: found 9000000; allowed: 10000000 or more",
        ),
        (with_training(process(0, 1), ENDED[1]), "/runs/0/training/0/first_iteration: found 1; "),
        (
            with_training(*ENDED, process(0, 2), process(1, 2)),
            "/runs/0/training/2/first_iteration: found 2; allowed: 0 to 1",
        ),
        (
            with_training(*ENDED, process(0, 1), process(1, 0)),
            "/runs/0/training/3/first_iteration: found 0; allowed: 1 to 1",
        ),
        (
            with_training(ENDED[0], process(1, 0, (0, 10), (10, 20))),
            "/runs/0/training/1/iterations: found 2 ended iterations; allowed: 1, the number of all",
        ),
        (with_training(process(0, 0), process(1, 0)), "/runs/0/training/0/iterations: found 0 ended iterations"),
        (with_training(*ENDED, end_ps=1), "/runs/0/jobs/0/end_ps: found 1 for a job that finished;"),
        (with_training(*ENDED, status="killed"), "/runs/0/jobs/0/end_ps: the key is missing"),
        (with_training(*ENDED, iterations=1), "/runs/0/jobs/0/iterations: unknown key"),
    ],
)
def test_wrong_reports_are_refused_with_their_place(run, words):
    done = tables_of({"columns": ["point", "variant"], "runs": [run]})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ina: standard input: {words}")


def test_every_link_balances(tiny, tmp_path):
    rows = ina_sim.rows(ina_sim.run(tiny, tmp_path), "links.csv")
    assert len(rows) == 4 * 2 * 6
    assert sum(int(row["frames_sent"]) for row in rows) > 0
    for row in rows:
        assert row["frames_sent"] == row["frames_received"]
        assert row["bytes_sent"] == row["bytes_received"]


def test_rejected_frames_are_in_the_results(tiny, tmp_path):
    """There are no rejected frames here. Tests of ina-cluster verify that they are counted."""
    folder = ina_sim.run(tiny, tmp_path)
    assert {row["rejected_frames"] for row in ina_sim.rows(folder)} == {"0"}
    for point in json.loads((folder / "manifest.json").read_text())["points"]:
        assert point["switch_rejected_frames"] == 0
        assert point["switch_frames_without_route"] == 0


def test_the_switch_is_empty_at_the_end(tiny, tmp_path):
    rows = ina_sim.rows(ina_sim.run(tiny, tmp_path), "switch.csv")
    last = {(row["point"], row["job"]): row["occupied_aggregators"] for row in rows}
    assert len(last) == 6
    assert set(last.values()) == {"0"}


EVENTS = ("allocated", "collided", "preempted", "evicted", "completed", "fallbacks", "added")


def test_events_of_the_switch_are_counted_from_the_start(tiny, tmp_path):
    keys = {"/jobs/iterations": 3, "/outputs/switch_interval": "1us"}
    rows = ina_sim.rows(ina_sim.run(tiny, tmp_path, keys), "switch.csv")
    last = {}
    for row in rows:
        run = (row["point"], row["job"])
        for event in EVENTS:
            assert int(row[event]) >= last.get((run, event), 0)
            last[run, event] = int(row[event])
    assert len(rows) > 100
    packets = 3 * 81  # 5000 values, 62 per packet
    assert last[("2", "0"), "allocated"] >= packets


def test_parts_add_up_to_the_period(tiny, tmp_path):
    keys = {"/jobs/iterations": 3, "/jobs/profile/layers/0/forward": "2us"}
    rows = ina_sim.rows(ina_sim.run(tiny, tmp_path, keys), "iterations.csv")
    assert len(rows) == 18
    for row in rows:
        assert sum(ps_of(row[f"{part}_us"]) for part in PARTS) == ps_of(row["period_us"])


def test_the_jct_reaches_from_the_first_start_to_the_last_end_and_is_the_sum_of_periods(
    tiny, tmp_path
):
    keys = {"/jobs/iterations": 3, "/jobs/profile/layers/0/forward": "2us"}
    folder = ina_sim.run(tiny, tmp_path, keys)
    for job in ina_sim.rows(folder):
        mine = [
            row for row in ina_sim.rows(folder, "iterations.csv")
            if (row["point"], row["job"]) == (job["point"], job["job"])
        ]  # fmt: skip
        times = [ps_of(row["period_us"]) for row in mine]
        first = ps_of(mine[0]["start_us"])
        last = ps_of(mine[2]["start_us"]) + ps_of(mine[2]["iteration_span_us"])
        assert ps_of(job["start_us"]) == first
        assert ps_of(job["end_us"]) == last
        assert ps_of(job["jct_us"]) == last - first == sum(times)
        assert ps_of(job["iteration_mean_us"]) == sum(times) // 3
        assert ps_of(job["iteration_min_us"]) == min(times)
        assert ps_of(job["iteration_max_us"]) == max(times)


def test_with_one_iteration_its_time_is_the_jct(tiny, tmp_path):
    for job in ina_sim.rows(ina_sim.run(tiny, tmp_path)):
        assert job["jct_us"] == job["iteration_mean_us"] == job["iteration_max_us"]


def test_swept_quantities_are_numbers_beside_their_texts(tiny, tmp_path):
    sweep = {"/switch/memory_bytes": ["5MB", "1MiB"], "/jobs/start": ["0s", "2.5us"]}
    folder = ina_sim.run(tiny, tmp_path, {"/sweep": json.dumps(sweep)})
    for table in ina_sim.TABLES:
        rows = ina_sim.rows(folder, table)
        assert list(rows[0])[:7] == [
            "point", "/switch/memory_bytes", "memory_bytes", "/jobs/start", "jobs_start_us",
            "system", "seed",
        ]  # fmt: skip
        assert {(row["/switch/memory_bytes"], row["memory_bytes"]) for row in rows} == {
            ("5MB", "5000000"), ("1MiB", "1048576"),
        }  # fmt: skip
        assert {row["jobs_start_us"] for row in rows} == {"0", "2.5"}
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["axes"] == [
        {
            "key": "/switch/memory_bytes",
            "values": ["5MB", "1MiB"],
            "numbers": {"column": "memory_bytes", "values": [5000000, 1048576]},
        },
        {
            "key": "/jobs/start",
            "values": ["0s", "2.5us"],
            "numbers": {"column": "jobs_start_us", "values": [0, 2.5]},
        },
    ]
    assert manifest["points"][3]["swept_numbers"] == {"memory_bytes": 1048576, "jobs_start_us": 2.5}


VARIANTS = {"few slots": {"system": "switchml", "switchml": {"slots": 2}}, "DSA": {}}


def test_a_variant_has_a_column_behind_the_swept_keys(tiny, tmp_path):
    keys = {"/sweep": '{"/jobs/count": [1, 2]}', "/variants": json.dumps(VARIANTS)}
    folder = ina_sim.run(tiny, tmp_path, keys)
    for table in ina_sim.TABLES:
        rows = ina_sim.rows(folder, table)
        assert list(rows[0])[:5] == ["point", "/jobs/count", "variant", "system", "seed"]
    assert [list(row.values())[:4] for row in ina_sim.rows(folder)] == [
        ["0", "1", "few slots", "switchml"],
        ["1", "2", "few slots", "switchml"],
        ["1", "2", "few slots", "switchml"],
        ["2", "1", "DSA", "dsa"],
        ["3", "2", "DSA", "dsa"],
        ["3", "2", "DSA", "dsa"],
    ]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["axes"][0] == {"key": "/variants", "values": ["few slots", "DSA"]}
    assert manifest["points"][3]["swept"] == {"/variants": "DSA", "/jobs/count": "2"}


def test_a_variant_gives_the_numbers_of_the_scenario_that_it_stands_for(tiny, tmp_path):
    alone = {"/system": "switchml", "/switchml/slots": 2, "/sweep": '{"/jobs/count": [1, 2]}'}
    expected = ina_sim.rows(ina_sim.run(tiny, tmp_path / "alone", alone))
    keys = {"/sweep": '{"/jobs/count": [1, 2]}', "/variants": json.dumps(VARIANTS)}
    found = ina_sim.rows(ina_sim.run(tiny, tmp_path / "variants", keys))[: len(expected)]
    assert [row.pop("variant") for row in found] == ["few slots"] * len(expected)
    assert found == expected


def test_a_run_of_another_variant_is_another_run(tiny, tmp_path):
    """Runs of two variants differ even if the variants are the same scenario."""
    ina_sim.run(tiny, tmp_path, {"/variants": '{"A": {}}'})
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--set", '/variants={"B": {}}')
    assert done.returncode == 2
    assert '/swept/~1variants is "A" in the folder and "B" in this experiment' in done.stderr


def crc32s(folder):
    return {table: f"{zlib.crc32((folder / table).read_bytes()):08x}" for table in ina_sim.TABLES}


def test_the_manifests_have_the_checksums_of_the_tables(tiny, tmp_path):
    folder = ina_sim.run(tiny, tmp_path)
    for place in [folder, *(folder / "points").iterdir()]:
        manifest = json.loads((place / "manifest.json").read_text())
        assert manifest["tables_crc32"] == crc32s(place)
        assert manifest["format_version"] == 1  # the newest that analysis/results.py reads


@pytest.mark.parametrize("version", [2, -1, "1", None])
@pytest.mark.parametrize("place", [".", "points/00001-seed1"])
def test_a_manifest_of_an_unknown_format_is_refused(tiny, tmp_path, place, version):
    path = ina_sim.run(tiny, tmp_path) / place / "manifest.json"
    text = json.dumps(json.loads(path.read_text()) | {"format_version": version})
    path.write_text(text)
    for options in ([], ["--replace"]):
        done = ina_sim.ina("run", tiny, "--out", tmp_path, *options)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        assert f"/format_version: found {json.dumps(version)}; allowed: up to 1 " in done.stderr
    assert path.read_text() == text


def test_the_manifest_says_what_was_run(tiny, tmp_path):
    manifest = json.loads((ina_sim.run(tiny, tmp_path) / "manifest.json").read_text())
    assert manifest["name"] == "tiny"
    assert manifest["seeds"] == [1]
    assert manifest["axes"] == [
        {"key": "/system", "values": ["atp", "dsa"]},
        {"key": "/jobs/count", "values": [1, 2]},
    ]
    assert {"ina", "commit", "ns3", "compiler"} <= manifest["build"].keys()
    point = manifest["points"][3]
    assert point["scenario"]["system"] == "dsa"
    assert point["scenario"]["topology"]["link"]["delay"] == "2.5us"  # a default
    assert point["seed"] == 1
    assert point["packet_hops"] > 0
    assert point["packet_hops_per_s"] > 0
    assert point["wall_time_s"] > 0


def test_a_scenario_of_the_manifest_can_be_run_again(tiny, tmp_path):
    folder = ina_sim.run(tiny, tmp_path / "first")
    point = json.loads((folder / "points/00003-seed1/manifest.json").read_text())
    again = tmp_path / "again.json"
    again.write_text(json.dumps(point["scenario"]))
    done = ina_sim.ina("run", again, "--out", tmp_path, "--seeds", point["seed"])
    assert done.returncode == 0, done.stderr
    (name,) = [path for path in tmp_path.iterdir() if path.is_dir() and path.name != "first"]
    ends = [row["end_us"] for row in ina_sim.rows(folder) if row["point"] == "3"]
    assert [row["end_us"] for row in ina_sim.rows(name)] == ends


class Runs:
    """A finished sweep with a mark in each point's folder. Repeating a point removes its mark."""

    def __init__(self, tiny, out):
        self.tiny, self.out = tiny, out
        self.folder = ina_sim.run(tiny, out)
        self.tables = ina_sim.tables(self.folder)
        for point in (self.folder / "points").iterdir():
            (point / "mark").touch()

    def again(self, *arguments, program=None):
        """Runs the sweep again. Returns the names of the runs that were not reused, and the process."""
        command = [program or ina_sim.program(), "run", self.tiny, "--out", self.out, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        points = sorted((self.folder / "points").iterdir())
        return [p.name for p in points if not (p / "mark").exists()], done

    def assert_refused(self, keys, *words, options=()):
        """Runs of another experiment neither replace these runs nor are added to them."""
        before = {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}
        options = [*ina_sim.set_options(keys), *options]
        done = ina_sim.ina("run", self.tiny, "--out", self.out, *options)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith(f"ina: --out: {self.folder} contains run ")
        assert done.stderr.endswith("; allowed: another --out, or to remove the folder first\n")
        assert done.stderr.count("\n") == 1
        for word in words:
            assert word in done.stderr
        assert {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()} == before


@pytest.fixture
def runs(tiny, tmp_path):
    return Runs(tiny, tmp_path)


def test_finished_points_are_reused(runs):
    fresh, done = runs.again()
    assert fresh == []
    assert "4 of 4 runs were there already" in done.stdout
    assert done.stderr == ""
    assert ina_sim.tables(runs.folder) == runs.tables


def test_a_manifest_that_stays_the_same_keeps_its_time(runs):
    manifest = runs.folder / "manifest.json"
    os.utime(manifest, (0, 0))
    runs.again()
    assert manifest.stat().st_mtime == 0
    runs.again("--seeds", "1-2")
    assert manifest.stat().st_mtime > 0


def test_one_finished_run_is_reused(tiny, tmp_path):
    one = ina_sim.set_options({"/sweep": "{}"})
    ina_sim.ina("run", tiny, "--out", tmp_path, *one)
    again = ina_sim.ina("run", tiny, "--out", tmp_path, *one)
    assert "\n1 of 1 run was there already\n" in again.stdout


def test_more_seeds_are_added_to_the_finished_ones(runs):
    fresh, done = runs.again("--seeds", "1-3")
    assert fresh == [f"0000{point}-seed{seed}" for point in range(4) for seed in (2, 3)]
    assert "4 of 12 runs were there already" in done.stdout
    rows = ina_sim.rows(runs.folder)
    assert {row["seed"] for row in rows} == {"1", "2", "3"}
    assert len(rows) == 3 * 6


@pytest.mark.parametrize(
    "keys, words",
    [
        ({"/topology/link/delay": "3us"}, ["run 0", 'delay is "2.5us" in the folder and "3us" in this experiment']),
        ({"/dsa/policy": "fcfs"}, ["/dsa/policy", '"fcfs" in this experiment']),
        ({"/system": "atp"}, ["run 0", "/swept"]),
        ({"/sweep/~1jobs~1count": "[1]"}, ["run 1"]),
        ({"/sweep/~1system": '["atp"]'}, ["run 2 (seed 1)", "the last run of this experiment is run 1"]),
    ],
)
def test_another_scenario_does_not_replace_finished_runs(runs, keys, words):
    runs.assert_refused(keys, *words)


@pytest.mark.parametrize("seeds, listed", [("1", [1]), ("2-3", [2, 3]), ("4,2", [4, 2])])
def test_fewer_seeds_are_reported_alone_and_the_other_runs_kept(runs, tmp_path, seeds, listed):
    runs.again("--seeds", "1-4")
    there = sorted(path.name for path in (runs.folder / "points").iterdir())
    for point in (runs.folder / "points").iterdir():
        (point / "mark").touch()
    fresh, done = runs.again("--seeds", seeds)
    assert fresh == []
    count = 4 * len(listed)
    assert f"{count} of {count} runs were there already" in done.stdout
    assert sorted(path.name for path in (runs.folder / "points").iterdir()) == there
    alone = ina_sim.run(runs.tiny, tmp_path / "alone", None, "--seeds", seeds)
    assert ina_sim.tables(runs.folder) == ina_sim.tables(alone)
    assert json.loads((runs.folder / "manifest.json").read_text())["seeds"] == listed


def test_a_run_of_another_experiment_is_refused_whatever_its_seed(runs):
    runs.again("--seeds", "3")
    runs.assert_refused({"/dsa/policy": "fcfs"}, "run 0", options=["--seeds", "1-2"])


def test_same_runs_under_other_columns_are_not_mixed(tiny, tmp_path):
    """An axis with one value changes no scenario, but the tables have a column for it."""
    ina_sim.run(tiny, tmp_path, {"/sweep": '{"/jobs/count": [1, 2]}'})
    options = ina_sim.set_options({"/sweep": '{"/jobs/count": [1, 2], "/system": ["dsa"]}'})
    done = ina_sim.ina("run", tiny, "--out", tmp_path, *options)
    assert done.returncode == 2
    assert "/swept/~1system is nothing in the folder and \"dsa\" in this experiment" in done.stderr


def test_another_description_is_no_other_experiment(runs):
    assert runs.again("--set", "/description=better words")[0] == []


def test_another_baseline_changes_the_ratios_and_makes_no_run_anew(runs):
    fresh, done = runs.again("--set", "/baseline=atp")
    assert fresh == []
    assert "  to atp  " in done.stdout
    baseline = json.loads((runs.folder / "manifest.json").read_text())["baseline"]
    assert baseline == {"key": "/system", "value": "atp"}


def program_like_ours(folder):
    return Path(shutil.copy(ina_sim.program(), folder / "ina-sim"))


def test_a_program_that_was_copied_and_another_commit_are_no_other_build(runs, tmp_path):
    program = program_like_ours(tmp_path)
    Path(f"{program}.commit").write_text("123456789abc\n")
    fresh, done = runs.again(program=program)
    assert (fresh, done.stderr) == ([], "")
    manifest = json.loads((runs.folder / "manifest.json").read_text())
    assert manifest["build"]["commit"] == "123456789abc"


def made_by_another_build(run, key="program_id", value="0badc0de"):
    """Gives a run the manifest that another build would have written."""
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["build"] = {**manifest["build"], key: value}
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    "key, name",
    [("program_id", "program"), ("compiler", "compiler"), ("flags", "flags"), ("ns3", "ns-3")],
)
def test_runs_of_another_build_are_kept_and_refused_with_the_difference(runs, key, name):
    ours = json.loads((runs.folder / "manifest.json").read_text())["build"][key]
    made_by_another_build(runs.folder / "points/00002-seed1", key, "another")
    before = {p: p.read_bytes() for p in runs.folder.rglob("*") if p.is_file()}
    for options in ([], ["--seeds", "1-3"], ["--seeds", "7"]):
        done = ina_sim.ina("run", runs.tiny, "--out", runs.out, *options)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr == (
            f"ina: --out: {runs.folder} contains run 2 (seed 1) of another build: {name} another "
            f"there, {ours} here; allowed: --replace, or another --out\n"
        )
        assert {p: p.read_bytes() for p in runs.folder.rglob("*") if p.is_file()} == before


def test_runs_of_a_version_before_build_ids_are_refused(runs):
    path = runs.folder / "points/00000-seed1/manifest.json"
    manifest = json.loads(path.read_text())
    build = manifest["build"]
    manifest["build"] = {
        **{key: build[key] for key in ("ina", "commit", "compiler", "flags", "ns3")},
        "code_crc32": "0badc0de",
        "modules_crc32": "0badc0de",
    }
    del manifest["swept_numbers"]
    path.write_text(json.dumps(manifest))
    done = ina_sim.ina("run", runs.tiny, "--out", runs.out)
    assert done.returncode == 2
    assert "of another build: program unknown there, " in done.stderr


def test_replace_makes_all_runs_of_other_builds_anew_and_keeps_the_rest(runs):
    runs.again("--seeds", "1-2")
    for name in ("00002-seed1", "00003-seed2"):
        made_by_another_build(runs.folder / "points" / name)
    for run in (runs.folder / "points").iterdir():
        (run / "mark").touch()
    fresh, done = runs.again("--replace")
    assert fresh == ["00002-seed1"]  # only the requested seed
    assert not (runs.folder / "points/00003-seed2").exists()  # a folder never mixes builds
    assert "3 of 4 runs were there already" in done.stdout
    assert ina_sim.tables(runs.folder) == runs.tables


def test_replace_of_another_experiment_is_refused(runs):
    made_by_another_build(runs.folder / "points/00000-seed1")
    runs.assert_refused({"/dsa/policy": "fcfs"}, "another experiment", options=["--replace"])


def test_an_interrupted_replace_leaves_no_mixture(tiny, tmp_path):
    """Old runs and their tables are removed before the first new run is stored. Here no new run can be stored."""
    folder = ina_sim.run(tiny, tmp_path, {}, "--seeds", "1-2")
    for run in (folder / "points").iterdir():
        made_by_another_build(run)
    options = ["--out", tmp_path, "--seeds", "2", "--replace"]
    done = ina_sim.ina(
        "run", tiny, *options, preexec_fn=no_file_may_grow, restore_signals=False
    )
    assert done.returncode == 4
    assert [path.name for path in folder.iterdir()] == ["points"]
    assert list((folder / "points").iterdir()) == []


def no_file_may_grow():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


def test_a_missing_point_is_run_again(runs):
    (runs.folder / "points/00001-seed1").rename(runs.out / "away")
    fresh, done = runs.again()
    assert fresh == ["00001-seed1"]
    assert "3 of 4 runs were there already" in done.stdout
    assert ina_sim.tables(runs.folder) == runs.tables


@pytest.mark.parametrize("file", FILES)
def test_a_point_that_lacks_a_file_is_run_again(runs, file):
    (runs.folder / "points/00002-seed1" / file).unlink()
    assert runs.again()[0] == ["00002-seed1"]
    assert ina_sim.tables(runs.folder) == runs.tables


@pytest.mark.parametrize("damage", ["empty", "cut"])
@pytest.mark.parametrize(
    "file",
    [
        "manifest.json",
        *ina_sim.TABLES,
    ],
)
def test_a_damaged_point_is_run_again(runs, file, damage):
    path = runs.folder / "points/00002-seed1" / file
    content = path.read_bytes()
    path.write_bytes(b"" if damage == "empty" else content[: len(content) // 2])
    assert runs.again()[0] == ["00002-seed1"]
    assert ina_sim.tables(runs.folder) == runs.tables


ODD_MANIFESTS = {
    "number": "1",
    "list": "[]",
    "no JSON": "{",
    "other keys": "{}",
    "odd point": '{"point": -1, "seed": "x", "swept": 1, "scenario": [], "build": 0}',
    "odd scenario": '{"point": 2, "seed": 1, "swept": {}, "scenario": 3, "build": {}}',
    "deep": '{"point": 2, "seed": 1, "swept": {}, "scenario": ' + 90000 * "[" + 90000 * "]" + "}",
    "odd checksums": None,
}


@pytest.mark.parametrize("odd", ODD_MANIFESTS)
def test_a_run_with_an_odd_manifest_is_made_anew(runs, odd):
    path = runs.folder / "points/00002-seed1/manifest.json"
    if odd == "odd checksums":
        path.write_text(json.dumps(json.loads(path.read_text()) | {"tables_crc32": [1]}))
    else:
        path.write_text(ODD_MANIFESTS[odd])
    fresh, done = runs.again()
    assert fresh == ["00002-seed1"]
    assert done.stderr == "ina: tiny: 1 damaged run repeated\n"
    assert ina_sim.tables(runs.folder) == runs.tables


@pytest.mark.parametrize("damage", [None, {}, {"jcts_ps": "1"}])
def test_a_run_without_the_summary_of_its_jobs_is_made_anew(runs, damage):
    """The printed table is made from the summaries."""
    path = runs.folder / "points/00002-seed1/manifest.json"
    manifest = json.loads(path.read_text())
    summary = manifest.pop("summary")
    path.write_text(json.dumps(manifest if damage is None else manifest | {"summary": damage}))
    fresh, done = runs.again()
    assert fresh == ["00002-seed1"]
    assert done.stderr == "ina: tiny: 1 damaged run repeated\n"
    assert json.loads(path.read_text())["summary"] == summary


def test_the_summary_of_a_run_is_that_of_its_jobs(tiny, tmp_path):
    """Printed tables are made from the summaries, without jobs.csv."""
    keys = {"/jobs/iterations": 3, "/faults": json.dumps({"nodes": [KILLED]})}
    folder = ina_sim.run(tiny, tmp_path, keys)
    for point in json.loads((folder / "manifest.json").read_text())["points"]:
        rows = [row for row in ina_sim.rows(folder) if int(row["point"]) == point["point"]]
        finished = [row for row in rows if row["status"] == "finished"]
        counters = ("packets_sent", "fallbacks", "preemptions", "retransmissions")
        assert point["summary"] == {
            "jcts_ps": [ps_of(row["jct_us"]) for row in finished],
            "iteration_means_ps": [ps_of(row["iteration_mean_us"]) for row in finished],
            "most_iterations": max(int(row["iterations"]) for row in rows),
            "failed_jobs": len(rows) - len(finished),
        } | {counter: sum(int(row[counter]) for row in rows) for counter in counters}


@pytest.mark.parametrize("kind", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/nowhere")])
@pytest.mark.parametrize("name", ["manifest.json", "jobs.csv"])
def test_what_is_no_file_in_a_run_neither_hangs_nor_stays(runs, name, kind):
    path = runs.folder / "points/00002-seed1" / name
    path.unlink()
    kind(path)
    assert runs.again()[0] == ["00002-seed1"]
    assert ina_sim.tables(runs.folder) == runs.tables


@pytest.mark.parametrize("kind", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("mine")])
@pytest.mark.parametrize("name", ["manifest.json", "jobs.csv"])
def test_what_is_no_file_where_a_table_goes_is_refused(runs, name, kind):
    path = runs.folder / name
    path.unlink()
    kind(path)
    done = ina_sim.ina("run", runs.tiny, "--out", runs.out, timeout=600)
    assert done.returncode == 2
    assert done.stderr == (
        f"ina: --out: {path} is not a regular file; allowed: another --out, or to remove this entry first\n"
    )


def test_tables_without_their_runs_are_not_written_over(runs):
    (runs.folder / "points").rename(runs.out / "away")
    done = ina_sim.ina("run", runs.tiny, "--out", runs.out)
    assert done.returncode == 2
    assert f"{runs.folder} contains jobs.csv, but not the runs of this table" in done.stderr
    assert ina_sim.tables(runs.folder) == runs.tables


def test_remains_of_a_dead_run_do_no_harm(runs):
    remains = runs.folder / "points/00001-seed1.tmp"
    (runs.folder / "points/00001-seed1").rename(remains)
    (remains / "jobs.csv").write_text("half a li")
    assert runs.again()[0] == ["00001-seed1"]
    assert not remains.exists()
    assert ina_sim.tables(runs.folder) == runs.tables

# SPDX-License-Identifier: BSD-3-Clause
"""`diff`: divergence of two runs."""

import json

import pytest

from analysis.__main__ import main


def diff(*paths, capsys):
    status = main(["diff", *map(str, paths)])
    output = capsys.readouterr()
    return status, output.out.splitlines(), output.err


# ---- result folders


def test_equal_folders_have_no_difference(result_folder, capsys):
    status, lines, _ = diff(result_folder("a"), result_folder("b"), capsys=capsys)
    assert status == 0
    assert lines[0].startswith("no difference in ")
    assert "jobs.csv, iterations.csv, switch.csv, links.csv" in lines[0]


@pytest.fixture
def replace_cell(edit):
    """Replaces a cell in the row of that number."""

    def replace(folder, table, number, column, value):
        header, *rows = (folder / table).read_text().splitlines()
        cells = rows[number].split(",")
        cells[header.split(",").index(column)] = value
        edit(folder, table, {f"{rows[number]}\n": f"{','.join(cells)}\n"})

    return replace


def test_names_the_first_difference_with_its_time_and_both_values(result_folder, replace_cell, capsys):
    one, two = result_folder("a"), result_folder("b")
    replace_cell(two, "switch.csv", 1, "occupied_aggregators", "5")
    replace_cell(two, "links.csv", 0, "frames_sent", "8")
    status, lines, _ = diff(one, two, capsys=capsys)
    assert status == 1
    assert lines[0].startswith("2 of ")
    assert lines[0].endswith("differ, in 1 run: 1 of switch.csv, 1 of links.csv")
    assert lines[1] == (
        "first in run (system switchml, /jobs/count 1, seed 1) at 1.500000 us: switch.csv, switch switch, job 1: "
        "occupied_aggregators 3 in A, 5 in B"
    )


def test_names_the_variant_and_the_swept_values_of_the_run_that_differs(
    result_folder, replace_cell, capsys
):
    made = {"variants": {"ATP": "atp", "DSA": "dsa"}, "axes": {"/jobs/count": [1, 8]}}
    one, two = result_folder("a", **made), result_folder("b", **made)
    replace_cell(two, "jobs.csv", 3 * 2 * 3, "jct_us", "5")  # 2 jobs of 3 seeds per point
    _, lines, _ = diff(one, two, capsys=capsys)
    assert lines[1].startswith("first in run (variant DSA, /jobs/count 8, seed 1) ")


def test_what_a_table_says_of_a_whole_run_has_no_time(result_folder, replace_cell, capsys):
    one, two = result_folder("a"), result_folder("b")
    replace_cell(two, "links.csv", 1, "frames_sent", "8")
    _, lines, _ = diff(one, two, capsys=capsys)
    assert lines[1] == (
        "first in run (system switchml, /jobs/count 1, seed 1) in the whole of it: links.csv, link switch>host0: "
        "frames_sent 7 in A, 8 in B"
    )


FLOWS = {  # completed, unlimited, and without any arrivals
    "flows.csv": (
        ("flow", "start_us", "completion_us", "bytes_received", "last_received_us"),
        [[0, 500, 250, 3000, 750], [1, 0, "", 90000, 2050], [2, 2100, "", 0, ""]],
    ),
    "iterations.csv": (
        ("job", "iteration", "start_us", "iteration_span_us"),
        [[0, 0, 0, 1000], [0, 1, 1000, 1000]],
    ),
}


@pytest.fixture
def folder_with_flows(result_folder):
    return lambda name: result_folder(name, axes={}, systems=("atp",), seeds=(1,), tables=FLOWS)


@pytest.mark.parametrize(
    ("flow", "when"), [(0, "at 750.000000 us"), (1, "at 2050.000000 us"), (2, "in the whole of it")]
)
def test_a_flow_has_the_time_of_its_last_bytes(folder_with_flows, replace_cell, capsys, flow, when):
    one, two = folder_with_flows("a"), folder_with_flows("b")
    replace_cell(two, "flows.csv", flow, "bytes_received", "100000")
    _, lines, _ = diff(one, two, capsys=capsys)
    assert lines[0] == "1 of 11 rows differ, in 1 run: 1 of flows.csv"
    where = f"first in run (system atp, seed 1) {when}: flows.csv, flow {flow}: bytes_received "
    assert lines[1].startswith(where)


@pytest.mark.parametrize(
    ("flow", "iteration", "first"),
    [(0, 0, "flows.csv, flow 0"), (1, 1, "iterations.csv, job 0, iteration 1")],
)
def test_flows_and_iterations_are_in_one_order(
    folder_with_flows, replace_cell, capsys, flow, iteration, first
):
    one, two = folder_with_flows("a"), folder_with_flows("b")
    replace_cell(two, "flows.csv", flow, "bytes_received", "100000")
    replace_cell(two, "iterations.csv", iteration, "iteration_span_us", "1000.5")
    _, lines, _ = diff(one, two, capsys=capsys)
    assert f": {first}: " in lines[1]


def test_rows_that_only_one_has_are_counted_beside_those_that_only_the_other_has(
    result_folder, replace_cell, capsys
):
    one, two = result_folder("a"), result_folder("b")
    _, (no_difference,), _ = diff(one, two, capsys=capsys)
    rows = int(no_difference.split()[3])
    switch_rows = len((two / "switch.csv").read_text().splitlines()) - 1
    for number in range(switch_rows):
        replace_cell(two, "switch.csv", number, "switch", "another")
    _, lines, _ = diff(one, two, capsys=capsys)
    assert lines[0].startswith(f"{2 * switch_rows} of {rows + switch_rows} rows differ, ")


def test_two_systems_are_named_and_what_they_made_is_compared(
    result_folder, replace_cell, capsys
):
    one, two = result_folder("a", systems=("atp",)), result_folder("b", systems=("dsa",))
    replace_cell(two, "links.csv", 1, "frames_sent", "8")
    status, lines, _ = diff(one, two, capsys=capsys)
    assert (status, lines[0]) == (1, "system atp in A, dsa in B")
    assert lines[1].endswith(", 1 of links.csv")
    assert lines[2].startswith("first in run (/jobs/count 1, seed 1) ")


def test_folders_of_other_sweeps_are_refused(result_folder, capsys):
    one, two = result_folder("a"), result_folder("b", axes={"/jobs/workers": [1, 2, 4, 8]})
    status, lines, error = diff(one, two, capsys=capsys)
    assert (status, lines) == (2, [])
    assert "sweeps /jobs/workers" in error
    assert "allowed: what" in error


# ---- time lines


def time_line(path, *events):
    names = [
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "job 0 worker 0"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "compute"}},
    ]
    path.write_text(json.dumps({"written_by": "ina trace", "traceEvents": [*names, *events]}))
    return path


def span(ts, name="backward, layer 0"):
    return {"ph": "X", "ts": ts, "dur": 2.5, "pid": 1, "tid": 1, "name": name, "args": {"iteration": 0}}


def test_equal_time_lines_have_no_difference(tmp_path, capsys):
    one = time_line(tmp_path / "a", span(1), span(4))
    two = time_line(tmp_path / "b", span(1), span(4))
    assert diff(one, two, capsys=capsys)[:2] == (0, ["no difference in 2 events"])


def test_names_the_first_event_that_differs(tmp_path, capsys):
    one = time_line(tmp_path / "a", span(1), span(4), span(9))
    two = time_line(tmp_path / "b", span(1), span(4.25), span(9))
    status, lines, _ = diff(one, two, capsys=capsys)
    assert status == 1
    assert lines == [
        "1 of 3 events only in A, 1 of 3 only in B",
        "first in A: at 4.000000 us: job 0 worker 0, compute: backward, layer 0, for 2.500000 us, "
        "iteration 0",
        "first in B: at 4.250000 us: job 0 worker 0, compute: backward, layer 0, for 2.500000 us, "
        "iteration 0",
    ]


def test_one_may_end_before_the_other(tmp_path, capsys):
    one, two = time_line(tmp_path / "a", span(1)), time_line(tmp_path / "b", span(1), span(4))
    status, lines, _ = diff(one, two, capsys=capsys)
    assert status == 1
    assert lines[0] == "0 of 1 events only in A, 1 of 2 only in B"
    assert lines[1] == "first in A: nothing more"


# ---- bad input


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"traceEvents": 3}',
        '{"traceEvents": [{"ph": "X"}]}',
        '{"traceEvents": [{"ph": "X", "ts": 1, "name": "no process"}]}',
        '{"traceEvents": [{"ph": "X", "ts": "soon", "pid": 1, "tid": 1, "name": "no time"}]}',
    ],
)
def test_what_is_no_time_line_is_refused(tmp_path, capsys, content):
    good, bad = time_line(tmp_path / "a", span(1)), tmp_path / "b"
    bad.write_text(content)
    status, lines, error = diff(good, bad, capsys=capsys)
    assert (status, lines) == (2, [])
    assert "not a time line; allowed: a file of ina trace" in error


def test_a_folder_and_a_file_are_refused(result_folder, tmp_path, capsys):
    status, _, error = diff(result_folder("a"), time_line(tmp_path / "t", span(1)), capsys=capsys)
    assert status == 2
    assert "a folder and a file" in error


def test_what_is_not_there_is_named(result_folder, tmp_path, capsys):
    status, _, error = diff(result_folder("a"), tmp_path / "none", capsys=capsys)
    assert status == 2
    assert f"{tmp_path / 'none'}: no such file or folder" in error

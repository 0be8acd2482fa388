# SPDX-License-Identifier: BSD-3-Clause
"""Reading a result folder yields everything that the run wrote, and nothing else."""

import json
import os

import pytest

from analysis import results
from analysis.__main__ import main


def refusal(capsys, *arguments):
    """The single line of printable ASCII with which a command fails, with status 2."""
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("ina: ")
    assert captured.err.count("\n") == 1
    assert captured.err.rstrip("\n").isprintable()
    assert captured.err.isascii()
    return captured.err


COMMANDS = ["plot", "breakdown", "compare"]


def started(command, folder):
    return [command, folder, folder] if command == "compare" else [command, folder]


def test_a_slice_is_refused_with_what_makes_results_of_it(tmp_path, capsys):
    (tmp_path / "slice.json").write_text("{}")
    message = refusal(capsys, "plot", tmp_path)
    assert f"{tmp_path}: found a slice of an experiment; allowed: the folder that ./ina merge makes" in message


def appended(text):
    return lambda folder, file: (folder / file).write_text((folder / file).read_text() + text)


def as_excel_saves(folder, file):
    text = (folder / file).read_text().replace(",", ";").replace("\n", "\r\n")
    (folder / file).write_text("\ufeff" + text)


TOUCHED = {
    "a digit more": lambda folder, file: (folder / file).write_text(
        (folder / file).read_text().replace("dnn-a", "dnn-b").replace("0,0,1", "0,0,2", 1)),
    "truncated": lambda folder, file: (folder / file).write_bytes(
        (folder / file).read_bytes()[:-20]),
    "empty": lambda folder, file: (folder / file).write_bytes(b""),
    "a row more": appended("0,1,dsa,1,5\n"),
    "saved by a spreadsheet": as_excel_saves,
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("touch", TOUCHED.values(), ids=TOUCHED)
def test_a_table_whose_crc_is_another_is_refused_before_anything_is_drawn(
    result_folder, capsys, command, touch
):
    folder = result_folder()
    before = sorted(os.listdir(folder))
    file = "iterations.csv" if command == "breakdown" else "jobs.csv"
    touch(folder, file)
    error = refusal(capsys, *started(command, folder))
    assert f"{file}: found the CRC " in error
    assert "run again" in error
    assert sorted(os.listdir(folder)) == before


def with_manifest(change):
    def apply(folder):
        path = folder / "manifest.json"
        manifest = json.loads(path.read_text())
        path.write_text(json.dumps(change(manifest) or manifest))

    return apply


def replaced_by(make):
    """A manifest or table replaced by a file of another kind."""
    def apply(folder):
        (folder / "manifest.json").unlink()
        make(folder / "manifest.json")

    return apply


def pipe_for_jobs(folder):
    (folder / "jobs.csv").unlink()
    os.mkfifo(folder / "jobs.csv")


FOLDERS = {
    "no folder": (lambda folder: folder.rename(folder.with_name("gone")), "no such folder"),
    "no manifest": (lambda folder: (folder / "manifest.json").unlink(), "not a result folder"),
    "no JSON": (
        lambda folder: (folder / "manifest.json").write_text('{"name":\n 1,}'),
        "manifest.json: broken at line 2, column 4; allowed: JSON"),
    "no UTF-8": (lambda folder: (folder / "manifest.json").write_bytes(b'{"\xff"'), "no UTF-8 at byte 2"),
    "NaN": (lambda folder: (folder / "manifest.json").write_text('{"a": NaN}'), "found NaN; allowed: JSON"),
    "deep": (lambda folder: (folder / "manifest.json").write_text("[" * 100_000), "too deep"),
    "a list": (lambda folder: (folder / "manifest.json").write_text("[]"), "an object"),
    "a newer format": (
        with_manifest(lambda one: one | {"format_version": 2}),
        "/format_version: found 2; allowed: up to 1: another version of INA Lab wrote this file"),
    "no format": (with_manifest(lambda one: one | {"format_version": "1"}), '/format_version: found "1"'),
    "no sums": (with_manifest(lambda one: one.pop("tables_crc32") and None), "no `tables_crc32`"),
    "sums": (with_manifest(lambda one: one | {"tables_crc32": [1]}), "/tables_crc32"),
    "a sum": (with_manifest(lambda one: one | {"tables_crc32": {"jobs.csv": 1}}), "/tables_crc32"),
    "no sum": (with_manifest(lambda one: one | {"tables_crc32": {}}), "manifest.json has None"),
    "name": (with_manifest(lambda one: one | {"name": ["a"]}), "/name: a text"),
    "axes": (with_manifest(lambda one: one | {"axes": 3}), "/axes: a list"),
    "axis": (with_manifest(lambda one: one | {"axes": [3]}), "needs `key`"),
    "no pointer": (
        with_manifest(lambda one: one | {"axes": [{"key": "job", "values": [1]}]}), "needs `key`"),
    "values": (
        with_manifest(lambda one: one | {"axes": [{"key": "/a", "values": "ab"}]}), "needs `key`"),
    "an axis twice": (
        with_manifest(lambda one: one | {"axes": [{"key": "/a", "values": [1]}] * 2}), "twice"),
    "other values": (
        with_manifest(lambda one: one | {"axes": [{"key": "/jobs/count", "values": [1, 2]}]}),
        "not a value of this key"),
    "an axis that no table has": (
        with_manifest(lambda one: one | {"axes": [{"key": "/\u202e", "values": [1]}]}),
        "missing column /\\xe2\\x80\\xae"),
    "baseline": (with_manifest(lambda one: one | {"baseline": "dsa"}), "/baseline: null or an object"),
    "no value of the baseline": (
        with_manifest(lambda one: one | {"baseline": {"key": "/system"}}), "/baseline: null or an object"),
    "points": (with_manifest(lambda one: one | {"points": [{"point": 0}]}), "/points"),
    "no points": (with_manifest(lambda one: one | {"points": []}), "/points"),
    "a run more": (
        with_manifest(lambda one: one["points"].append({"point": 99, "seed": 1})), "point 99"),
    "a run less": (with_manifest(lambda one: one["points"].pop() and None), "not the runs"),
    "manifest is a folder": (replaced_by(os.mkdir), "not a file"),
    "manifest is a pipe": (replaced_by(os.mkfifo), "not a file"),
    "manifest is a device": (replaced_by(lambda path: path.symlink_to("/dev/zero")), "not a file"),
    "table is a pipe": (pipe_for_jobs, "jobs.csv: not a file"),
    "no table": (lambda folder: (folder / "jobs.csv").unlink(), "jobs.csv: no such file"),
}


@pytest.mark.parametrize(("damage", "words"), FOLDERS.values(), ids=FOLDERS)
def test_what_is_no_result_folder_gives_one_line_and_status_2(result_folder, capsys, damage, words):
    folder = result_folder()
    damage(folder)
    for command in COMMANDS:
        assert words in refusal(capsys, *started(command, folder))


ROW = "0,1,switchml,1,0,dnn-a,2,3295.0,1647.5,1000000,finished\n"
TABLES = {
    "empty": ({"*": ""}, "empty, or the last line is cut off"),
    "columns": ({"jct_us": "jct_mean_us"}, "missing column jct_us"),
    "doubled": ({ROW: ROW + ROW}, "row 2 occurs twice"),
    "infinite": ({"3295.0": "inf"}, 'jct_us of row 1: found "inf"; allowed: a number from 0 to'),
    "absurd": ({"3295.0": "1e300"}, 'jct_us of row 1: found "1e+300"'),
    "negative": ({"3295.0": "-3295.0"}, 'jct_us of row 1: found "-3295.0"'),
    "no number": ({"3295.0": "much"}, 'jct_us of row 1: found "much"'),
    "finished without a time": ({"3295.0": ""}, "jct_us of row 1: found nothing"),
    "no job": ({ROW: ROW.replace(",0,dnn-a", ",,dnn-a")}, "job of row 1: found nothing"),
    "a run missing": ({ROW: "", ROW.replace(",0,dnn-a", ",1,dnn-a").replace(
        "3295.0,1647.5", "3495.0,1747.5"): ""}, "not the runs of manifest.json"),
    "a value that is not swept": ({"\n0,1,": "\n0,7,"}, "/jobs/count is 7"),
    "cut off": ({"*": "point,/jobs/count"}, "last line is cut off"),
    "longer rows": ({ROW: ROW.replace("\n", ",5\n")}, "jobs.csv: "),
}


@pytest.mark.parametrize(("changes", "words"), TABLES.values(), ids=TABLES)
def test_a_wrong_table_is_refused_though_its_crc_is_right(
    result_folder, edit, capsys, changes, words
):
    folder = result_folder(iterations=2)
    if "*" in changes:
        changes = {(folder / "jobs.csv").read_text(): changes["*"]}
    edit(folder, "jobs.csv", changes)
    for command in COMMANDS:
        assert words in refusal(capsys, *started(command, folder))


def test_iterations_are_as_many_as_the_jobs_say(result_folder, edit, capsys):
    folder = result_folder(axes={}, systems=("dsa",), seeds=(2,))
    lines = (folder / "iterations.csv").read_text().splitlines(keepends=True)
    edit(folder, "iterations.csv", {lines[-1]: ""})
    assert "not the iterations of jobs.csv" in refusal(capsys, "breakdown", folder)


def test_a_manifest_with_a_byte_order_mark_is_read(result_folder):
    folder = result_folder()
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text("\ufeff" + text)
    assert results.read(folder).name == "synthetic"


def test_objects_on_an_axis_are_what_the_tables_show_of_them():
    values = ["fcfs", {"name": "x", "after": "1us"}]
    axis = {"key": "/dsa/policy", "values": values, "labels": ["fcfs", "x"]}
    assert results.read_axis(axis, {}, "m").values == ("fcfs", "x")
    with pytest.raises(results.AnalysisError, match="`labels` of /dsa/policy"):
        results.read_axis({**axis, "labels": ["fcfs"]}, {}, "m")

# SPDX-License-Identifier: BSD-3-Clause
"""Figures and numbers as files: whole or not at all, never over another's, none of other tables."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from analysis import output
from analysis.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
ANALYSIS = [sys.executable, "-m", "analysis"]
SMALL_DISK_BYTES = 2000


def names(folder):
    return sorted(os.listdir(folder))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def refused(capsys, *arguments, status=2):
    assert main([str(argument) for argument in arguments]) == status
    error = capsys.readouterr().err
    assert error.startswith("ina: ")
    assert error.count("\n") == 1
    return error


def process(*arguments, **options):
    return subprocess.run(
        [*ANALYSIS, *map(str, arguments)], cwd=ROOT, text=True, check=False, stderr=subprocess.PIPE,
        timeout=60, **options,
    )  # fmt: skip


def limit_files():
    """As on a disk that is full from there on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_DISK_BYTES, resource.RLIM_INFINITY))


@pytest.mark.parametrize("command", ["plot", "breakdown"])
def test_a_full_disk_leaves_the_folder_as_it_was(result_folder, command):
    folder = result_folder(axes={})
    before = contents(folder)
    ended = process(command, folder, preexec_fn=limit_files)
    assert ended.returncode == 4
    assert ended.stderr.startswith(f"ina: {command}: {folder}/")
    assert ended.stderr.endswith("File too large\n")
    assert contents(folder) == before


def test_a_full_disk_leaves_the_figures_of_before(result_folder):
    folder = result_folder(axes={})
    assert main(["plot", str(folder)]) == 0
    before = contents(folder)
    assert process("plot", folder, "--baseline", "atp", preexec_fn=limit_files).returncode == 4
    assert contents(folder) == before


def test_equal_results_give_equal_files(result_folder):
    first, second = result_folder("first"), result_folder("second")
    for folder in (first, second):
        assert main(["plot", str(folder)]) == 0
        assert main(["breakdown", str(folder)]) == 0
    assert contents(first) == contents(second)


def test_figures_carry_our_mark(result_folder):
    folder = result_folder(axes={}, iterations=2)
    assert main(["plot", str(folder)]) == 0
    for figure in ("jct.png", "jct.pdf", "iteration.png", "iteration.pdf"):
        assert output.own_mark(folder / figure) == figure[-3:]


OF_OTHERS = {
    "file": lambda path: path.write_bytes(b"mine"),
    "folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("name", ["jct.png", "jct.pdf", "iteration.pdf"])
@pytest.mark.parametrize("make", OF_OTHERS.values(), ids=OF_OTHERS)
def test_what_another_put_in_place_of_a_figure_stays(result_folder, capsys, name, make):
    folder = result_folder(axes={}, iterations=2)
    make(folder / name)
    before = names(folder)
    assert f"plot: {folder}/{name} " in refused(capsys, "plot", folder)
    assert names(folder) == before
    assert main(["plot", str(folder), "--json", str(folder / "new.json")]) == 2
    assert names(folder) == before


def test_a_pipe_in_place_of_a_figure_is_no_figure(result_folder, capsys):
    folder = result_folder(axes={})
    os.mkfifo(folder / "jct.png")
    assert f"{folder}/jct.png is not a regular file" in refused(capsys, "plot", folder)
    os.unlink(folder / "jct.png")
    os.mkfifo(folder / "breakdown.png")
    assert main(["plot", str(folder)]) == 0


@pytest.mark.parametrize("name", ["jobs.csv", "manifest.json", "jct.txt", "jct.png", "."])
@pytest.mark.parametrize("command", ["plot", "breakdown", "compare"])
def test_json_never_replaces_what_json_did_not_write(result_folder, capsys, command, name):
    folder = result_folder(axes={})
    (folder / "jct.txt").write_text("mine")
    if name == "jct.png":
        assert main(["plot", str(folder), "--format", "png"]) == 0
    capsys.readouterr()
    before = contents(folder)
    folders = [folder, folder] if command == "compare" else [folder]
    assert "--json: " in refused(capsys, command, *folders, "--json", folder / name)
    assert contents(folder) == before


@pytest.mark.parametrize("command", ["plot", "breakdown", "compare"])
def test_json_is_written_again_by_the_same_command_only(result_folder, tmp_path, capsys, command):
    numbers = tmp_path / "numbers.json"
    for scale in (1, 2):
        folder = str(result_folder(f"times{scale}", axes={}, scale=scale))
        folders = {"plot": [folder], "breakdown": [folder], "compare": [folder, folder]}
        assert main([command, *folders[command], "--json", str(numbers)]) == 0
        assert json.loads(numbers.read_text())["written_by"] == f"ina {command} --json"
    capsys.readouterr()
    before = numbers.read_bytes()
    for other in folders.keys() - {command}:
        assert "something else" in refused(capsys, other, *folders[other], "--json", numbers)
    assert numbers.read_bytes() == before


def test_figures_of_other_tables_are_removed(result_folder, edit, capsys):
    folder = result_folder(axes={})
    for command in ("breakdown", "plot"):
        assert main([command, str(folder)]) == 0
    capsys.readouterr()
    (folder / "breakdown-2.png").write_bytes(b"mine")
    edit(folder, "jobs.csv", {"1000000": "2000000"})  # as a new run does
    assert main(["plot", str(folder)]) == 0
    assert capsys.readouterr().err == "".join(
        f"ina: {folder}/{name}: removed, for it was drawn from other tables\n"
        for name in ("breakdown.pdf", "breakdown.png")
    )
    assert {"jct.png", "jct.pdf", "breakdown-2.png"} <= set(names(folder))


def test_a_figure_of_ratios_is_removed_with_its_tables(result_folder, edit):
    folder = result_folder(axes={"/jobs/count": [1, 2]}, systems=("dsa", "atp"))
    assert main(["plot", str(folder), "--ratio", "atp/dsa"]) == 0
    assert "ratio.png" in names(folder)
    edit(folder, "jobs.csv", {"1000000": "2000000"})
    assert main(["plot", str(folder)]) == 0
    assert "ratio.png" not in names(folder)


def test_figures_of_the_same_tables_stay(result_folder):
    folder = result_folder(axes={})
    assert main(["breakdown", str(folder)]) == 0
    assert main(["plot", str(folder)]) == 0
    assert {"breakdown.png", "breakdown.pdf", "jct.png"} <= set(names(folder))


def test_pages_that_there_are_no_longer_are_removed(result_folder):
    axes = {"/jobs/count": [1, 2], "/p": [f"p{number}" for number in range(13)]}
    folder = result_folder(axes=axes, systems=("dsa", "atp"), seeds=(1,))
    assert main(["plot", str(folder)]) == 0
    assert "jct-2.png" in names(folder)
    assert main(["plot", str(folder), "--lines", "/p", "--panels", "system"]) == 0
    assert "jct-2.png" not in names(folder)


@pytest.mark.parametrize("arguments", [["plot"], ["breakdown"], ["compare"], ["--help"]])
def test_a_full_standard_output_gives_one_line_and_the_status_of_trouble(result_folder, arguments):
    folder = result_folder(axes={})
    folders = {"compare": [folder, folder], "--help": []}.get(arguments[0], [folder])
    with open("/dev/full", "w") as full:
        ended = process(*arguments, *folders, stdout=full)
    assert ended.returncode == 4
    assert ended.stderr == "ina: standard output: No space left on device\n"
    if arguments == ["plot"]:
        assert (folder / "jct.png").exists()


def test_a_reader_that_goes_away_gives_one_line_and_the_status_of_trouble(result_folder):
    folder = result_folder()
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as pipe:
        ended = process("compare", folder, folder, stdout=pipe)
    assert ended.returncode == 4
    assert ended.stderr == "ina: standard output: Broken pipe\n"


def test_a_closed_standard_output_is_none(result_folder):
    folder = result_folder(axes={})
    ended = process("plot", folder, preexec_fn=lambda: os.close(1))
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_folder_whose_name_is_no_text_is_printed_as_it_is(result_folder):
    folder = result_folder(axes={})
    odd = os.fsencode(folder) + b"\xff"
    os.rename(folder, odd)
    ended = subprocess.run([*ANALYSIS, "plot", odd], cwd=ROOT, capture_output=True, check=False)
    assert (ended.stdout, ended.stderr) == (odd + b"/jct.png\n", b"")

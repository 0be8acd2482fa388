# SPDX-License-Identifier: BSD-3-Clause
"""Figures and numbers as files: written completely or not at all; foreign files are never replaced,
and figures of other tables are removed."""

import io
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from matplotlib import pyplot
from matplotlib.cm import ScalarMappable
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image

from analysis import matplotlib_folder
from analysis.__main__ import main
from analysis.kinds import figure_files, style
from hw.files import output

ROOT = Path(__file__).resolve().parents[2]
ANALYSIS = [sys.executable, "-m", "analysis"]
SMALL_DISK_BYTES = 2000
HANG_TIMEOUT_S = 600  # for a hanging process; no test depends on the speed of the machine


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
        timeout=HANG_TIMEOUT_S, **options,
    )  # fmt: skip


def limit_files():
    """Limits the size of files, which acts like a disk that becomes full."""
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
        assert "contains something" in refused(capsys, other, *folders[other], "--json", numbers)
    assert numbers.read_bytes() == before


def test_figures_of_other_tables_are_removed(result_folder, edit, capsys):
    folder = result_folder(axes={})
    for command in ("breakdown", "plot"):
        assert main([command, str(folder)]) == 0
    capsys.readouterr()
    (folder / "breakdown-2.png").write_bytes(b"mine")
    edit(folder, "jobs.csv", {"1000000": "2000000"})  # like a new run
    assert main(["plot", str(folder)]) == 0
    assert capsys.readouterr().err == "".join(
        f"ina: {folder}/{name}: removed, because this figure was drawn from other tables\n"
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


PAGES = {"/jobs/count": [1, 2], "/p": [f"p{number}" for number in range(10)]}


def test_figures_of_another_folder_leave_no_pages_of_those_before(result_folder, tmp_path, capsys):
    many = result_folder("many", axes=PAGES, systems=("dsa", "atp"), seeds=(1,), iterations=2)
    few = result_folder("few", axes={})
    out = tmp_path / "out"
    assert main(["plot", str(many), "--out", str(out)]) == 0
    assert main(["breakdown", str(many), "--out", str(out)]) == 0
    (out / "jct-3.png").write_bytes(b"mine")
    assert "jct-2.png" in names(out) and "iteration-2.png" in names(out)
    capsys.readouterr()
    assert main(["plot", str(few), "--out", str(out)]) == 0
    of_plot = {name for name in names(out) if not name.startswith("breakdown")}
    assert of_plot == {"jct.png", "jct.pdf", "jct-3.png"}
    assert "breakdown.png" in names(out)
    assert f"{out}/iteration.png: removed, because this figure was drawn from other tables" in capsys.readouterr().err


def test_a_figure_of_two_folders_leaves_those_of_each_where_they_are(result_folder):
    one, other = result_folder("one", axes={}), result_folder("other", axes={}, scale=2)
    assert main(["breakdown", str(one)]) == 0
    assert main(["plot", str(one), str(other)]) == 0
    assert {"breakdown.png", "jct.png"} <= set(names(one))
    assert not set(names(other)) & {"jct.png", "breakdown.png"}


def test_a_figure_with_a_map_of_colours_keeps_them():
    figure, axes = pyplot.subplots()
    axes.imshow(numpy.arange(256).reshape(16, 16), cmap="hsv")  # uses all colours of a palette
    figure.colorbar(ScalarMappable(cmap="viridis"), ax=axes)
    bar = figure.axes[1]
    image = Image.open(io.BytesIO(figure_files.png_of(figure, {}))).convert("RGB")
    box = bar.get_window_extent()
    scale = image.width / figure.bbox.width
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        place = (box.x0 + box.x1) / 2 * scale, image.height - (box.y0 + share * box.height) * scale
        found = numpy.array(image.getpixel(tuple(map(int, place))))
        expected = 255 * numpy.array(pyplot.get_cmap("viridis")(share)[:3])
        assert abs(found - expected).max() <= 8


def test_each_figure_is_laid_out_once(result_folder, monkeypatch):
    laid_out = []
    execute = ConstrainedLayoutEngine.execute
    monkeypatch.setattr(
        ConstrainedLayoutEngine, "execute", lambda self, figure: (laid_out.append(figure), execute(self, figure))
    )
    folder = result_folder(axes={"/jobs/count": [1, 2]})
    assert main(["plot", str(folder)]) == 0
    assert len(laid_out) == len(set(laid_out)) == 1


def test_a_png_has_the_pixels_of_matplotlib(monkeypatch):
    monkeypatch.setitem(style.PAPER, "savefig.dpi", 60)
    figure, axes = pyplot.subplots(layout="constrained")
    axes.plot([1, 3, 2])
    axes.set_title("title")
    expected = io.BytesIO()
    figure.savefig(expected, format="png", dpi=60)
    found = Image.open(io.BytesIO(figure_files.png_of(figure, {"Source": "here"})))
    assert found.text == {"Source": "here"}
    assert found.info["dpi"] == Image.open(expected).info["dpi"]
    shown, drawn = (numpy.asarray(one.convert("RGB"), int) for one in (found, Image.open(expected)))
    assert shown.shape == drawn.shape
    assert (shown == drawn).all(axis=2).mean() > 0.98
    assert abs(shown - drawn).max() <= 8


def test_a_figure_without_one_has_a_palette(result_folder):
    folder = result_folder(axes={})
    assert main(["plot", str(folder)]) == 0
    assert Image.open(folder / "jct.png").mode == "P"


def killed(*_):
    return True


NOTHING = {
    "plot": {"axes": {"/jobs/count": [1, 2]}}, "plot --kind cdf": {"axes": {}, "seeds": (1,)},
    "breakdown": {"axes": {}}, "report": {"axes": {"/faults/links/0/loss": [0.001, 0.1]}},
}  # fmt: skip


@pytest.mark.parametrize(("command", "sweep"), NOTHING.items(), ids=NOTHING)
def test_no_library_warns_of_runs_in_which_no_job_finished(result_folder, command, sweep):
    folder = result_folder(**sweep, fails=killed)
    verb, *options = command.split()
    ended = subprocess.run(
        [sys.executable, "-W", "always", "-m", "analysis", verb, folder, *options], cwd=ROOT,
        text=True, check=False, capture_output=True, timeout=HANG_TIMEOUT_S,
    )  # fmt: skip
    assert ended.returncode == 0
    assert [line for line in ended.stderr.splitlines() if not line.startswith("ina: ")] == []


@pytest.mark.parametrize("home", ["/dev/null", "/sys/nowhere"])
def test_matplotlib_says_nothing_of_a_home_that_cannot_be_written(result_folder, tmp_path, home):
    folder = result_folder(axes={})
    (tmp_path / "tmp").mkdir()
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "MPL"))}
    variables |= {"HOME": home, "TMPDIR": str(tmp_path / "tmp")}
    ended = process("plot", folder, env=variables)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert names(tmp_path / "tmp") == []


def test_matplotlib_has_a_folder_of_its_own_only_if_home_cannot_be_written(tmp_path, monkeypatch):
    for variable in ("MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with matplotlib_folder.writable():
        assert "MPLCONFIGDIR" not in os.environ
    monkeypatch.setenv("HOME", "/dev/null")
    with matplotlib_folder.writable():
        made = Path(os.environ["MPLCONFIGDIR"])
        assert made.is_dir()
    assert "MPLCONFIGDIR" not in os.environ and not made.exists()


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

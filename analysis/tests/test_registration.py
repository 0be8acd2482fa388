# SPDX-License-Identifier: BSD-3-Clause
"""A module that is added to analysis/kinds is a kind of figures everywhere, since no other file lists kinds."""

import re
import sys

import pytest

from analysis import kinds
from analysis.__main__ import main
from analysis.kinds import result_figures

MODULE = '''
from matplotlib import pyplot

from analysis.kinds import Drawn, InReport, figure_kind


@figure_kind(
    name="stripes", order=6.5, summary="stripes that a test draws", options=("only",),
    tables=("packets.csv",), report=InReport(6.5, "Stripes in the middle", needs_jobs=False),
    captions={"stripes": "A caption of stripes.", "dots": "A caption of dots."},
)
def draw(read, wanted):
    pages = {stem: [pyplot.subplots(layout="constrained")[0]] for stem in ("stripes", "dots")}
    return Drawn(pages, {"only": list(wanted.only)}, "drawn for a test")
'''
PACKETS = {"packets.csv": (("link", "packets_sent"), [["host0>switch", 1]])}


@pytest.fixture
def added(tmp_path, monkeypatch):
    """Adds the module in a folder of its own until the test ends."""
    folder = tmp_path / "kinds"
    folder.mkdir()
    (folder / "stripes.py").write_text(MODULE)
    monkeypatch.setattr(kinds, "REGISTERED", kinds.all_kinds())
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(folder)])
    yield
    del sys.modules["analysis.kinds.stripes"]


@pytest.fixture
def folder(result_folder):
    return result_folder(axes={}, seeds=(1,), systems=("dsa",), tables=PACKETS)


def test_the_help_of_plot_names_it_in_its_place(added, capsys):
    assert main(["plot", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "jct|cdf|occupancy|links|series|occupation|stripes|flows|gantt" in text
    assert "hold aggregators; stripes that a test draws; the completion times of flows" in text


def test_plot_draws_it_with_the_options_that_it_takes(added, folder, capsys):
    assert main(["plot", str(folder), "--kind", "stripes", "--only", "system=dsa", "--format", "png"]) == 0
    printed, notes = capsys.readouterr()
    assert printed.split() == [f"{folder}/stripes.png", f"{folder}/dots.png"]
    assert notes == f"ina: {folder}: drawn for a test\n"
    assert main(["plot", str(folder), "--kind", "stripes", "--lines", "system"]) == 2
    assert "--lines: found with --kind stripes; allowed: with jct or cdf or" in capsys.readouterr().err


def test_a_report_has_it_in_its_place_if_there_is_its_table(added, folder, result_folder):
    assert main(["report", str(folder)]) == 0
    page = (folder / "report.html").read_text()
    titles = re.findall(r"<h2[^>]*>([^<]*)</h2>", page)
    assert titles[-3:] == ["How busy the links are", "Stripes in the middle", "What was run"]
    assert "A caption of stripes." in page and "A caption of dots." in page
    assert f"./ina plot {folder} --kind stripes" in page
    without = result_folder("without", axes={}, seeds=(1,), systems=("dsa",))
    assert main(["report", str(without)]) == 0
    assert "Stripes" not in (without / "report.html").read_text()


def test_its_files_are_renewed_and_removed_as_those_of_other_kinds(added, folder, edit):
    command = ["plot", str(folder), "--kind", "stripes", "--format", "png"]
    assert main(command) == 0
    assert main(command) == 0
    assert result_figures.is_one(folder / "dots.png")
    copy = folder / "copy.png"
    copy.write_bytes((folder / "stripes.png").read_bytes())
    edit(folder, "packets.csv", {"host0>switch,1": "host0>switch,2"})
    assert main(["plot", str(folder)]) == 0
    assert not (folder / "stripes.png").exists() and not (folder / "dots.png").exists()
    assert copy.exists(), "its name is the user's"


def test_without_it_a_file_of_its_name_is_nobodys_figure(folder):
    assert main(["plot", str(folder), "--format", "png"]) == 0
    (folder / "jct.png").rename(folder / "stripes.png")
    assert not result_figures.is_one(folder / "stripes.png")


def test_the_orders_that_modules_state_are_all_different():
    for orders in (
        [kind.order for kind in kinds.plotted().values()],
        [kind.report.order for kind in kinds.reported()],
    ):
        assert len(set(orders)) == len(orders) > 5

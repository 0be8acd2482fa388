# SPDX-License-Identifier: BSD-3-Clause
"""`plot --kind links` for one switch: bars for each kind of link. Networks of several switches have a map."""

import pytest

from analysis import results
from analysis.kinds import Wanted, links, star_links

COLUMNS = ("link", "frames_sent", "busy_us", "last_sent_us", "frames_marked", "frames_dropped")
# Name, and sending time out of 1000 us.
STAR = {
    "host0>switch": 800, "switch>host0": 400, "host1>switch": 600, "switch>host1": 400,
    "host2>switch": 0, "switch>host2": 0, "ps0>switch": 100, "switch>ps0": 300,
}  # fmt: skip
LEAVES = {"host0>leaf0": 800, "leaf0>host0": 400, "leaf0>spine0": 300, "spine0>leaf0": 100}


def folder_of(result_folder, links, dropped=(), **arguments):
    rows = [[link, 1, busy, 1000, 0, int(link in dropped)] for link, busy in links.items()]
    jobs = ("job", "profile", "iterations", "start_us", "jct_us", "iteration_mean_us", "values", "status")
    jobs_rows = [[0, "dnn-a", 1, 0, 1000, 1000, 1, "finished"]]
    tables = {"links.csv": (COLUMNS, rows), "jobs.csv": (jobs, jobs_rows)}
    return result_folder(tables=tables, **arguments)


def drawn(folder):
    return [figure for pages in links.draw(results.read(folder), Wanted()).pages.values() for figure in pages]


def titles(figure):
    return [axes.get_title() for axes in figure.axes if axes.get_title()]


def heights(axes):
    return [bar.get_height() for bar in axes.patches]


def test_a_star_has_a_panel_for_each_kind_of_link_with_a_bar_for_each_system(result_folder):
    (figure,) = drawn(folder_of(result_folder, STAR, axes={"/jobs/count": [1, 2]}))
    assert titles(figure) == list(star_links.KINDS.values())
    assert [len(heights(axes)) for axes in figure.axes] == [6, 6, 6, 6]  # three systems, two counts
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["SwitchML", "ATP", "DSA"]


def test_a_bar_is_the_mean_of_the_links_that_send_and_its_line_the_busiest(result_folder):
    folder = folder_of(result_folder, STAR, axes={}, systems=("dsa",), seeds=(1,))
    rows, axes = links.read(results.read(folder), [])
    found, _ = star_links.read(rows, axes)
    values = found.set_index(star_links.KIND)[["utilisation", star_links.BUSIEST]]
    assert values.loc["Hosts to switch"].to_list() == pytest.approx([0.7, 0.8])
    assert values.loc["Switch to hosts"].to_list() == pytest.approx([0.4, 0.4])
    assert values.loc["Parameter servers to switch"].to_list() == pytest.approx([0.1, 0.1])
    assert values.loc["Switch to parameter servers"].to_list() == pytest.approx([0.3, 0.3])
    (figure,) = drawn(folder)
    assert [height for axes in figure.axes for height in heights(axes)] == pytest.approx([0.7, 0.4, 0.1, 0.3])


def test_dropped_frames_are_marked_and_stand_in_the_legend(result_folder):
    (figure,) = drawn(folder_of(result_folder, STAR, dropped=["switch>ps0"], axes={}))
    (legend,) = figure.legends
    assert legend.get_texts()[-1].get_text() == "frames dropped"
    marks = [[line.get_marker() for line in axes.lines] for axes in figure.axes]
    assert [len(one) for one in marks] == [0, 0, 0, 3]  # one mark for each system


@pytest.mark.parametrize("axes", [{}, {"/jobs/count": [1, 2]}, {"/dsa/policy": ["a", "b"]}], ids=len)
@pytest.mark.parametrize("systems", [("dsa",), ("atp", "dsa")], ids=len)
def test_any_sweep_on_a_star_is_drawn(result_folder, axes, systems):
    without_servers = {link: busy for link, busy in STAR.items() if "ps" not in link}
    (figure,) = drawn(folder_of(result_folder, without_servers, axes=axes, systems=systems))
    assert titles(figure) == ["Hosts to switch", "Switch to hosts"]


def test_a_network_of_switches_has_a_map(result_folder):
    (figure,) = drawn(folder_of(result_folder, LEAVES, axes={}, systems=("dsa",)))
    assert titles(figure) == ["DSA, up", "DSA, down"]

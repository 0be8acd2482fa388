# SPDX-License-Identifier: BSD-3-Clause
"""`plot A B`: the lines of two result folders in one figure."""

import json

import pytest
from plots import refusal

from analysis import kinds, layout, overlay, results
from analysis.__main__ import main
from analysis.kinds import cdf, jct, style

COUNTS = {"/jobs/count": [1, 2, 4]}


@pytest.fixture
def pair(result_folder):
    """Two folders; the second one is twice as slow and has additional values and systems."""
    return [
        result_folder("before", axes=COUNTS, systems=("atp", "dsa")),
        result_folder("after", axes={"/jobs/count": [1, 8]}, systems=("dsa", "ring"), scale=2),
    ]


def read(pair):
    return overlay.Overlay(*map(results.read, pair))


def numbers_of(pair, tmp_path, *options):
    file, out = tmp_path / "numbers.json", tmp_path / "out"
    arguments = ["plot", *map(str, pair), "--json", str(file), "--out", str(out)]
    assert main([*arguments, *options]) == 0
    return json.loads(file.read_text())


def drawn(pair, **choice):
    (figure,) = jct.draw(read(pair), kinds.Wanted(layout.Choice(**choice))).pages["jct"]
    return figure


def texts(them):
    return [text.get_text() for text in them]


def test_the_points_are_those_of_each_folder_by_its_name(pair, tmp_path):
    both = numbers_of(pair, tmp_path)["points"]
    for folder in pair:
        (tmp_path / "numbers.json").unlink()
        own = numbers_of([folder], tmp_path)["points"]
        assert [
            {key: value for key, value in point.items() if key != "folder"} for point in both
            if point["folder"] == folder.name
        ] == own  # fmt: skip


def test_lines_of_one_system_have_one_colour_and_a_dash_for_each_folder(pair):
    shape = layout.layout(read(pair).with_system(read(pair).jobs()), read(pair).seeds)
    looks = style.looks_of_folders(shape.lines, shape.folders)
    assert looks["dsa", "before"].colour == looks["dsa", "after"].colour
    assert looks["dsa", "before"].dash != looks["dsa", "after"].dash
    assert len(set(looks.values())) == len(looks)


def test_the_legend_names_systems_and_folders(pair):
    figure = drawn(pair)
    assert texts(figure.legends[0].get_texts()) == ["ATP", "DSA", "Ring", "before", "after"]
    solid, dashed = [line.get_linestyle() for line in figure.legends[0].get_lines()][-2:]
    assert (solid, dashed) == ("-", "--")


def test_a_figure_of_one_line_a_folder_names_the_folders(result_folder):
    pair = [result_folder(name, axes=COUNTS, systems=("dsa",)) for name in ("one", "two")]
    assert len(drawn(pair).legends[0].get_texts()) == 3


def test_ratios_are_within_a_folder_unless_folders_are_the_lines(pair, tmp_path):
    ratios = {
        (point["folder"], point["system"]): point["jct_ratio"]
        for point in numbers_of(pair, tmp_path)["points"] if point["/jobs/count"] == "1"
    }  # fmt: skip
    expected = {("before", "atp"): 1.25, ("before", "dsa"): 1, ("after", "dsa"): 1, ("after", "ring"): 1.5}
    assert ratios == pytest.approx(expected)
    (tmp_path / "numbers.json").unlink()
    points = numbers_of(pair, tmp_path, "--lines", "folder", "--baseline", "before")["points"]
    (ratio,) = [
        point["jct_ratio"] for point in points
        if (point["folder"], point["system"], point["/jobs/count"]) == ("after", "dsa", "1")
    ]  # fmt: skip
    assert ratio == pytest.approx(2)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [(("atp",), ("atp", "dsa"), "dsa"), (("atp", "dsa"), ("atp",), "dsa"), (("atp",), ("ring",), None)],
)
def test_the_baseline_is_that_of_the_first_folder_that_has_one(result_folder, before, after, expected):
    pair = [
        result_folder(name, axes=COUNTS, systems=systems)
        for name, systems in (("before", before), ("after", after))
    ]
    axes = read(pair).with_system(read(pair).jobs())
    assert layout.layout(axes, read(pair).seeds).baseline == expected
    assert layout.layout(axes, read(pair).seeds, layout.Choice(lines="folder")).baseline is None


def test_the_baseline_of_the_first_folder_is_that_of_both(result_folder):
    pair = [result_folder(name, axes=COUNTS, baseline=name) for name in ("atp", "switchml")]
    axes = read(pair).with_system(read(pair).jobs())
    assert layout.layout(axes, read(pair).seeds).baseline == "atp"


def test_bars_of_both_folders_stand_beside_each_other(result_folder):
    pair = [result_folder(name, axes={}, systems=("dsa", "atp")) for name in ("one", "two")]
    (axes,) = drawn(pair).axes
    assert texts(axes.get_xticklabels()) == ["DSA (one)", "DSA (two)", "ATP (one)", "ATP (two)"]
    assert len({(bar.get_facecolor(), bar.get_hatch()) for bar in axes.patches}) == 4


def test_distributions_of_both_are_drawn(pair, tmp_path):
    lines = numbers_of(pair, tmp_path, "--kind", "cdf")["jct"]
    assert {(line["folder"], line["system"]) for line in lines} == {
        ("before", "atp"), ("before", "dsa"), ("after", "dsa"), ("after", "ring"),
    }  # fmt: skip
    assert {line["count"] for line in lines} == {6}
    (tmp_path / "numbers.json").unlink()
    only = numbers_of(pair, tmp_path, "--kind", "cdf", "--only", "folder=after")["jct"]
    assert {line["folder"] for line in only} == {"after"}


def test_options_apply_to_both(pair, tmp_path):
    content = numbers_of(pair, tmp_path, "--ratio", "atp/dsa", "--spread", "range")
    assert {point["folder"] for point in content["points"]} == {"before", "after"}
    assert content["spread"] == "range" and (tmp_path / "out/ratio.png").exists()


def test_folders_of_one_name_are_told_apart_by_the_folder_around_them(result_folder, tmp_path):
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
    pair = [result_folder(f"{name}/results", axes={}) for name in ("x", "y")]
    assert read(pair).names == ("x/results", "y/results")


def test_iterations_of_equal_point_numbers_stay_with_their_folder(result_folder):
    pair = [
        result_folder("one", axes={}, systems=("dsa",), iterations=2),
        result_folder("two", axes={}, systems=("dsa",), iterations=3, scale=2),
    ]
    lines = cdf.draw(read(pair), kinds.Wanted()).numbers["iteration"]
    assert [(line["folder"], line["count"]) for line in lines] == [("one", 12), ("two", 18)]


def test_folders_with_other_keys_are_refused(pair, result_folder, capsys):
    other = result_folder("other", axes={"/dsa/x": [1]}, systems=("dsa",))
    line = refusal(pair[0], capsys, str(other))
    assert f"{pair[0]} sweeps system, /jobs/count, {other} system, /dsa/x; allowed: folders that" in line


REFUSED = {
    "itself": (["."], "found the same folder twice"),
    "no folder": (["nowhere"], "nowhere: no such folder"),
    "another kind": (["..", "--kind", "links"], "DIR_B: found with --kind links; allowed: with jct or cdf"),
}


@pytest.mark.parametrize(("arguments", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_drawn_upon_each_other_is_refused(pair, capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(pair[0])
    assert words in refusal(pair[0], capsys, *arguments)


def test_more_lines_than_dashes_are_refused(result_folder, capsys):
    pair = [result_folder(name, axes={"/a": list(range(9))}, systems=("dsa",)) for name in ("one", "two")]
    line = refusal(pair[0], capsys, str(pair[1]), "--lines", "/a")
    assert "--lines: /a has 9 values; allowed: at most 8 of two folders" in line

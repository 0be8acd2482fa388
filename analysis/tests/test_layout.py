# SPDX-License-Identifier: BSD-3-Clause
"""Roles of a sweep's axes in a figure, by default and on request."""

import dataclasses
import json

import pytest

from analysis import curves, layout, results
from analysis.__main__ import main
from analysis.kinds import jct, style

AXES = {"/a": ["p", "q"], "/fixed": [3], "/b": ["1us", "1ms"], "/c": [1, 2]}


def laid_out(folder, **choice):
    read = results.read(folder)
    axes = read.with_system(read.jobs())
    return layout.layout(axes, read.seeds, layout.Choice(**choice))


def parts_of(shape):
    """The keys of x, lines and panels."""
    return (
        shape.x and shape.x.key, shape.lines and shape.lines.key, [one.key for one in shape.panels]
    )  # fmt: skip


UNASKED = {
    "numbers first": ({"axes": AXES}, ("/b", "system", ["/a", "/c"])),
    "no numbers": ({"axes": {"/a": ["p", "q"]}}, ("/a", "system", [])),
    "nothing but systems": ({"axes": {}}, (None, "system", [])),
    "one system": ({"axes": AXES, "systems": ("dsa",)}, ("/b", "/a", ["/c"])),
    "one system and one key": (
        {"axes": {"/a": ["p", "q"]}, "systems": ("dsa",)}, ("/a", "system", [])),
    "more than can be told apart": (
        {"axes": {"/a": list("abcdefghi"), "/b": [1, 2]}, "systems": ("dsa",)},
        ("/b", "system", ["/a"])),
}  # fmt: skip


@pytest.mark.parametrize(("sweep", "expected"), UNASKED.values(), ids=UNASKED)
def test_parts_unasked(result_folder, sweep, expected):
    assert parts_of(laid_out(result_folder(seeds=(1,), **sweep))) == expected


ASKED = {
    "x": ({"x": "/c"}, ("/c", "system", ["/a", "/b"])),
    "lines": ({"lines": "/a"}, ("/b", "/a", ["system", "/c"])),
    "panels": ({"panels": "/c,/b"}, ("/a", "system", ["/c", "/b"])),
    "system by its pointer": ({"panels": "/system"}, ("/b", "/a", ["system", "/c"])),
    "seeds as lines": ({"lines": "seed"}, ("/b", "seed", ["system", "/a", "/c"])),
    "all": ({"x": "system", "lines": "/c", "panels": "/a,/b"}, ("system", "/c", ["/a", "/b"])),
    "a key of one value": ({"lines": "/fixed"}, ("/b", "/fixed", ["system", "/a", "/c"])),
}


@pytest.mark.parametrize(("choice", "expected"), ASKED.values(), ids=ASKED)
def test_parts_as_asked(result_folder, choice, expected):
    assert parts_of(laid_out(result_folder(axes=AXES), **choice)) == expected


REFUSED = {
    "no key": (["--x", "/jobs"], '--x: found "/jobs"; allowed: system, /a, /fixed, /b, /c, seed'),
    "empty": (["--lines", ""], '--lines: found ""; allowed: system, /a'),
    "twice": (["--x", "/b", "--lines", "/b"], '--lines: "/b" is taken; allowed: system, /a, /fixed, '),
    "twice in panels": (["--panels", "/a,/a"], '--panels: "/a" is taken'),
    "baseline": (["--baseline", "tcp"], '--baseline: found "tcp"; allowed: switchml, atp, dsa'),
    "baseline of other lines": (
        ["--lines", "/a", "--baseline", "dsa"], '--baseline: found "dsa"; allowed: p, q'),
    "format": (["--format", "svg"], 'argument --format: found "svg"; allowed: png, pdf'),
}


@pytest.mark.parametrize(("options", "words"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_choice_gives_one_line_with_what_is_allowed(result_folder, capsys, options, words):
    folder = result_folder(axes=AXES)
    assert main(["plot", str(folder), *options]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not (folder / "jct.png").exists()


def test_more_lines_than_looks_are_refused(result_folder, capsys):
    folder = result_folder(axes={"/a": list(range(33))}, systems=("dsa",), seeds=(1,))
    assert main(["plot", str(folder), "--lines", "/a"]) == 2
    assert "--lines: /a has 33 values; allowed: at most 32" in capsys.readouterr().err


def plotted(folder, tmp_path, *options):
    numbers = tmp_path / "plotted.json"
    assert main(["plot", str(folder), "--json", str(numbers), *options]) == 0
    return json.loads(numbers.read_text())


POLICIES = {"/dsa/policy": ["fcfs", "priority"], "/jobs/count": [1, 4]}


def test_the_ratio_is_to_the_chosen_line_at_the_same_place(result_folder, tmp_path):
    folder = result_folder(axes=POLICIES)
    content = plotted(folder, tmp_path, "--baseline", "atp")
    assert (content["x"], content["lines"], content["baseline"]) == ("/jobs/count", "system", "atp")
    ratios = {(one["system"], one["/jobs/count"], one["jct_ratio"]) for one in content["points"]}
    assert {(system, count) for system, count, _ in ratios} == {
        (system, count) for system in ("switchml", "atp", "dsa") for count in ("1", "4")
    }
    for system, _, ratio in ratios:
        assert ratio == pytest.approx({"switchml": 1.4, "atp": 1.25, "dsa": 1.0}[system] / 1.25)


def test_any_swept_key_can_be_lines_with_a_baseline(result_folder, tmp_path):
    folder = result_folder(axes={"/load": ["1", "3"], "/jobs/count": [1, 4]}, systems=("dsa",))
    content = plotted(folder, tmp_path, "--x", "/jobs/count", "--lines", "/load", "--baseline", "1")
    assert {one["jct_ratio"] for one in content["points"]} == {1.0}
    assert content["lines"] == "/load"


def test_seeds_are_averaged_unless_they_are_shown(result_folder, tmp_path):
    folder = result_folder(axes={}, systems=("dsa",))
    (mean,) = plotted(folder, tmp_path)["points"]
    assert mean["seeds"] == 3
    each = plotted(folder, tmp_path, "--x", "seed")["points"]
    assert [one["seed"] for one in each] == ["1", "2", "3"]
    assert [one["seeds"] for one in each] == [1, 1, 1]
    assert mean["jct_ms"] == pytest.approx(sum(one["jct_ms"] for one in each) / 3)


VARIANTS = {"SwitchML (starved)": "switchml", "dsa": "dsa", "DSA": "dsa", "ATP": "atp"}


def test_variants_are_lines_in_their_order_with_dsa_as_baseline(result_folder):
    shape = laid_out(result_folder(variants=VARIANTS, axes={"/jobs/count": [1, 2]}))
    assert parts_of(shape) == ("/jobs/count", "variant", [])
    assert shape.lines.values == tuple(VARIANTS)
    assert shape.baseline == "DSA"


BASELINES = {
    "of the systems": ({}, {}, "atp"),
    "of the variants": ({"variants": VARIANTS, "baseline": "dsa"}, {}, "dsa"),
    "another one, as asked": ({}, {"baseline": "dsa"}, "dsa"),
    "of other lines": ({}, {"lines": "/jobs/count"}, None),
    "not among the systems": ({"systems": ("switchml", "dsa")}, {}, None),
    "of one line": ({"systems": ("atp",)}, {}, None),
}


@pytest.mark.parametrize(("sweep", "choice", "expected"), BASELINES.values(), ids=BASELINES)
def test_the_baseline_is_that_of_the_manifest_unless_another_is_asked_for(
    result_folder, sweep, choice, expected
):
    folder = result_folder(**{"axes": {"/jobs/count": [1, 2]}, "baseline": "atp"} | sweep)
    assert laid_out(folder, **choice).baseline == expected


@pytest.mark.parametrize("compared", [{}, {"variants": VARIANTS}], ids=["systems", "variants"])
def test_a_folder_of_an_older_version_has_a_baseline_only_if_one_is_asked_for(result_folder, compared):
    folder = result_folder(axes={"/jobs/count": [1, 2]}, **compared)
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["baseline"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert laid_out(folder).baseline is None
    assert laid_out(folder, baseline="dsa").baseline == "dsa"


def test_systems_that_are_swept_beside_variants_are_panels(result_folder):
    read = results.read(result_folder(variants=VARIANTS, axes={"/jobs/count": [1, 2]}))
    read = dataclasses.replace(read, system_order=("switchml", "dsa", "atp"))
    axes = read.with_system(read.jobs())
    shape = layout.layout(axes, read.seeds)
    assert parts_of(shape) == ("/jobs/count", "variant", ["system"])


def test_one_variant_leaves_the_lines_to_a_swept_key(result_folder):
    folder = result_folder(variants={"DSA": "dsa"}, axes={"/a": ["p", "q"], "/b": [1, 2]})
    assert parts_of(laid_out(folder)) == ("/b", "/a", [])


def test_variants_are_named_as_they_are_and_look_like_the_systems_they_are_named_as(result_folder):
    (axis, *_) = results.read(result_folder(variants=VARIANTS, axes={})).axes
    looks = style.looks_of_axis(axis)
    assert [style.value_name(axis, value) for value in axis.values] == list(VARIANTS)
    assert looks["DSA"] == style.looks_of(["dsa"], style.LOOKS["system"])["dsa"]
    assert len({look.colour for look in looks.values()}) == len(VARIANTS)
    assert style.legend_title(axis) == ""


def test_facets_follow_the_sweep_and_skip_empty_combinations(result_folder):
    folder = result_folder(axes={"/a": ["q", "p"], "/b": ["x", "y"]})
    shape = laid_out(folder, x="system")
    points = curves.points(results.read(folder).jobs(), laid_out(folder, panels="/a,/b"))
    points = points[~((points["/a"] == "q") & (points["/b"] == "x"))]
    axes = [axis for axis in (*shape.panels, shape.lines) if axis.key in ("/a", "/b")]
    axes.sort(key=lambda axis: axis.key)
    found = [tuple(facet.values()) for facet, _ in layout.facets_of(points, axes)]
    assert found == [("q", "y"), ("p", "x"), ("p", "y")]


def test_no_two_of_32_lines_look_alike():
    looks = style.looks_of([str(value) for value in range(32)], {}).values()
    assert len({(look.colour, look.dash) for look in looks}) == 32
    assert len({(look.colour, look.hatch) for look in looks}) == 32
    assert len({look.colour for look in list(looks)[:8]}) == 8


def test_a_system_that_is_not_known_here_has_a_look_of_its_own():
    systems = [*style.SYSTEM_LOOKS, "ring"]
    looks = style.looks_of(systems, style.LOOKS["system"])
    assert len({look.colour for look in looks.values()}) == len(systems)


def test_systems_keep_their_looks_beside_others():
    looks = style.looks_of(["mine", "dsa", "yours"], style.LOOKS["system"])
    assert looks["dsa"] == style.looks_of(["dsa"], style.LOOKS["system"])["dsa"]
    assert len({look.colour for look in looks.values()}) == 3


def test_lines_that_are_no_systems_are_named_above_their_legend(result_folder):
    folder = result_folder(axes=POLICIES)
    shape = laid_out(folder, lines="/dsa/policy", x="/jobs/count")
    points = curves.points(results.read(folder).jobs(), shape)
    (figure,) = jct.draw_measure(shape, points, curves.JCT)
    (legend,) = figure.legends
    assert legend.get_title().get_text() == "DSA policy"
    assert [text.get_text() for text in legend.get_texts()] == ["fcfs", "priority"]
    assert [axes.get_title() for axes in figure.axes] == ["SwitchML", "ATP", "DSA"]

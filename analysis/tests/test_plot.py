# SPDX-License-Identifier: BSD-3-Clause
"""`plot` and `parts` on synthetic result folders: figures, numbers, errors."""

import json

import pytest

from analysis import curves, jct_figure, loss_figure, parts_figure, quantities, results, style
from analysis.__main__ import main

PNG = b"\x89PNG"
PDF = b"%PDF"

LAYOUTS = {
    "curves": {"/jobs/count": [1, 2, 4, 8]},
    "quantities": {"/switch/memory": ["500kB", "1MB", "50MB"]},
    "facets": {"/jobs/count": [1, 8], "/jobs/0/profile": ["dnn-a", "mix"], "/dsa/x": [1, 2]},
    "bars": {},
    "groups": {"/jobs/profile": ["dnn-a", "dnn-b", "an-unusually-long-name"]},
}


def plotted(folder, tmp_path):
    numbers = tmp_path / "plotted.json"
    assert main(["plot", str(folder), "--json", str(numbers)]) == 0
    return json.loads(numbers.read_text())


@pytest.mark.parametrize("axes", LAYOUTS.values(), ids=LAYOUTS)
def test_plot_writes_both_figures_and_prints_the_path(result_folder, capsys, axes):
    folder = result_folder(axes=axes)
    assert main(["plot", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder}/jct.png\n"
    assert (folder / "jct.png").read_bytes().startswith(PNG)
    assert (folder / "jct.pdf").read_bytes().startswith(PDF)


@pytest.mark.parametrize("axes", LAYOUTS.values(), ids=LAYOUTS)
def test_parts_writes_its_figure_and_prints_the_path(result_folder, capsys, axes):
    folder = result_folder(axes=axes)
    assert main(["parts", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder}/parts.png\n"
    assert (folder / "parts.png").read_bytes().startswith(PNG)


def test_equal_results_give_equal_figures(result_folder):
    first, second = result_folder("first"), result_folder("second")
    for folder in (first, second):
        assert main(["plot", str(folder)]) == 0
    for figure in ("jct.png", "jct.pdf"):
        assert (first / figure).read_bytes() == (second / figure).read_bytes()


def test_json_holds_means_over_jobs_then_seeds_with_their_spread(result_folder, tmp_path):
    content = plotted(result_folder(systems=("atp", "dsa")), tmp_path)
    assert content["name"] == "synthetic"
    point = next(p for p in content["points"] if p["/jobs/count"] == "4" and p["system"] == "atp")
    assert point["jct_ms"] == pytest.approx(1.25 * 2.0)
    assert point["low_ms"] == pytest.approx(1.25 * 2.0 * 0.97)
    assert point["high_ms"] == pytest.approx(1.25 * 2.0 * 1.03)
    assert point["seeds"] == 3
    assert point["ratio_to_dsa"] == pytest.approx(1.25)


LOSS = {"/faults/links/0/loss": [0.00001, 0.001, 0.1]}


@pytest.mark.parametrize("axes", [LOSS, {**LOSS, "/jobs/count": [1, 2]}], ids=["one", "facets"])
def test_a_sweep_over_loss_has_a_figure_of_jct_and_goodput(result_folder, capsys, axes):
    folder = result_folder(axes=axes)
    assert main(["plot", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder}/jct.png\n{folder}/loss.png\n"
    assert (folder / "loss.png").read_bytes().startswith(PNG)
    assert (folder / "loss.pdf").read_bytes().startswith(PDF)


def test_goodput_is_the_values_of_an_iteration_over_its_jct(result_folder, tmp_path):
    point = plotted(result_folder(axes=LOSS, seeds=(2,)), tmp_path)["points"][-1]
    # Jobs of 1025 us -/+ 50 us and 32 Mbit.
    expected = (32e6 / 975e-6 + 32e6 / 1075e-6) / 2 / 1e9
    assert point["goodput_gbps"] == pytest.approx(expected, rel=1e-12)
    assert point["low_gbps"] == point["high_gbps"] == point["goodput_gbps"]


def test_the_jct_against_loss_is_logarithmic_in_both(result_folder, monkeypatch):
    figures = []
    monkeypatch.setattr(style, "save", lambda figure, *paths: figures.append(figure))
    read = results.read(result_folder(axes=LOSS))
    loss_figure.save(read, curves.loss_points(read))
    jct, goodput = figures[0].axes
    assert (jct.get_xscale(), jct.get_yscale()) == ("log", "log")
    assert (goodput.get_xscale(), goodput.get_yscale()) == ("log", "linear")
    assert goodput.get_ylim()[0] == 0
    assert goodput.get_ylabel() == "Goodput of a worker (Gbps)"
    assert jct.get_xlabel() == "Probability of loss on each link"


def test_without_dsa_there_is_no_ratio(result_folder, tmp_path):
    content = plotted(result_folder(systems=("atp", "switchml"), axes={}), tmp_path)
    assert [point["ratio_to_dsa"] for point in content["points"]] == [None, None]


def test_systems_keep_the_order_of_the_sweep(result_folder):
    order = ("switchml-starved", "dsa", "atp")
    read = results.read(result_folder(systems=order))
    assert read.systems(curves.jct_points(read).iloc[::-1]) == list(order)


def test_unknown_systems_get_looks_of_their_own():
    looks = style.looks_of(["dsa", "mine", "yours"])
    assert len(set(looks.values())) == 3


def test_first_numeric_axis_is_x_and_the_other_varied_ones_are_facets(result_folder):
    axes = {"/a": ["p", "q"], "/fixed": [3], "/b": ["1us", "1ms"], "/c": [1, 2]}
    layout = curves.layout(results.read(result_folder(axes=axes)).axes)
    assert layout.x.key == "/b"
    assert layout.groups is None
    assert [axis.key for axis in layout.facets] == ["/a", "/c"]


def test_facets_follow_the_sweep_and_skip_empty_combinations(result_folder):
    read = results.read(result_folder(axes={"/a": ["q", "p"], "/b": ["x", "y"]}))
    points = curves.jct_points(read)
    points = points[~((points["/a"] == "q") & (points["/b"] == "x"))]
    found = [tuple(facet.values()) for facet, _ in curves.facets_of(points, read.axes)]
    assert found == [("q", "y"), ("p", "x"), ("p", "y")]


def test_jct_axis_starts_at_zero_and_names_its_unit(result_folder, monkeypatch):
    figures = []
    monkeypatch.setattr(style, "save", lambda figure, *paths: figures.append(figure))
    read = results.read(result_folder())
    jct_figure.save(read, curves.jct_points(read))
    main_axes, ratio_axes = figures[0].axes
    assert main_axes.get_ylim()[0] == 0
    assert main_axes.get_ylabel() == "Average JCT (ms)"
    assert ratio_axes.get_xlabel() == "Number of jobs"
    assert [text.get_text() for text in figures[0].legends[0].get_texts()] == [
        "SwitchML", "ATP", "DSA",
    ]
    assert figures[0].texts[0].get_text() == "error bars: minimum and maximum of 3 seeds"


def test_bars_carry_the_jct_and_the_ratio_to_dsa(result_folder, monkeypatch):
    figures = []
    monkeypatch.setattr(style, "save", lambda figure, *paths: figures.append(figure))
    read = results.read(result_folder(axes={}))
    jct_figure.save(read, curves.jct_points(read))
    labels = [text.get_text() for text in figures[0].axes[0].texts]
    assert labels == ["1.40\n1.40×", "1.25\n1.25×", "1.00"]


def test_parts_writes_the_plotted_numbers(result_folder, tmp_path):
    folder = result_folder()
    out = tmp_path / "parts.json"
    assert main(["parts", str(folder), "--json", str(out)]) == 0
    rows = json.loads(out.read_text(encoding="utf-8"))
    expected = parts_figure.parts(results.read(folder))
    assert [row["system"] for row in rows] == list(expected["system"])
    assert [row["iteration_us"] for row in rows] == list(expected["iteration_us"])


def test_parts_are_means_over_iterations_jobs_and_seeds(result_folder):
    means = parts_figure.parts(results.read(result_folder(axes={}, systems=("dsa",))))
    assert len(means) == 1
    assert means["serialisation_us"].iloc[0] == pytest.approx(400)
    assert means[parts_figure.COLUMNS].sum(axis=1).iloc[0] == pytest.approx(1000)


@pytest.mark.parametrize(
    ("texts", "numbers", "unit"),
    [
        (["1", "2.5", "1e3"], [1, 2.5, 1000], ""),
        (["500us", "1ms", "2ms"], [0.5, 1, 2], "ms"),
        (["1MB", "1MiB"], [1, 1.048576], "MB"),
        (["10Gbps"], [10], "Gbps"),
        (["1MB", "1ms"], None, ""),
        (["priority", "1"], None, ""),
        (["true", "false"], None, ""),
    ],
)
def test_quantities_come_in_one_unit(texts, numbers, unit):
    found, found_unit = quantities.common_scale(texts)
    assert found == (numbers if numbers is None else pytest.approx(numbers))
    assert found_unit == unit


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("/jobs/0/workers", "Workers per job"),
        ("/dsa/min_rto", "DSA min RTO"),
        ("/topology/link/framing_bytes", "Topology link framing bytes"),
    ],
)
def test_swept_keys_read_as_words(key, name):
    assert style.axis_name(results.Axis(key, ("1",))) == name


def break_csv(content):
    return lambda folder: (folder / "jobs.csv").write_text(content)


DEFECTS = {
    "no folder": (lambda folder: folder.rename(folder.with_name("gone")), "no such folder"),
    "no manifest": (lambda folder: (folder / "manifest.json").unlink(), "not a result folder"),
    "no JSON": (lambda folder: (folder / "manifest.json").write_text("{"), "manifest.json"),
    "bad axes": (
        lambda folder: (folder / "manifest.json").write_text('{"axes": [3]}'), "needs `key`"),
    "no CSV": (lambda folder: (folder / "jobs.csv").unlink(), "jobs.csv: no such file"),
    "empty CSV": (break_csv(""), "jobs.csv: the file is empty"),
    "no rows": (
        break_csv("point,/jobs/count,system,seed,jct_us,status\n"), "jobs.csv: no rows"),
    "columns": (
        break_csv("point,/jobs/count,system\n0,1,dsa\n"),
        "jobs.csv: missing column seed, jct_us, status"),
    "no number": (
        break_csv(
            "point,/jobs/count,system,seed,jct_us,status\n0,1,dsa,1,,killed\n0,1,dsa,1,,finished\n"),
        "jct_us of row 2: '' is not a number"),
    "no job finished": (
        break_csv("point,/jobs/count,system,seed,jct_us,status\n0,1,dsa,1,5,killed\n"),
        "jobs.csv: no job finished"),
}


@pytest.mark.parametrize(("defect", "message"), DEFECTS.values(), ids=DEFECTS)
def test_defects_give_one_line_and_status_2(result_folder, capsys, defect, message):
    folder = result_folder()
    defect(folder)
    assert main(["plot", str(folder)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("ina: ")
    assert message in error
    assert error.count("\n") == 1


def test_jobs_that_failed_enter_no_average(result_folder):
    folder = result_folder()
    before = curves.jct_points(results.read(folder))
    rows = (folder / "jobs.csv").read_text().splitlines()
    failed = [row.replace("finished", "worker_lost") for row in rows[1:]]
    (folder / "jobs.csv").write_text("\n".join([*rows, *failed]))
    after = curves.jct_points(results.read(folder))
    assert after.equals(before)


@pytest.mark.parametrize("arguments", [["compare", "one"], ["plot", "--jsn"], []])
def test_bad_arguments_give_one_line_and_status_2(capsys, arguments):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("ina: ")
    assert error.count("\n") == 1

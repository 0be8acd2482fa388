# SPDX-License-Identifier: BSD-3-Clause
"""`plot` and `breakdown` on synthetic result folders: content of the figures, and their numbers."""

import itertools
import json

import numpy
import pytest
from matplotlib import pyplot

from analysis import curves, layout, quantities, results
from analysis.__main__ import main
from analysis.kinds import breakdown, jct, loss, ratio, style

PNG = b"\x89PNG"
PDF = b"%PDF"

LAYOUTS = {
    "curves": {"/jobs/count": [1, 2, 4, 8]},
    "quantities": {"/switch/memory_bytes": ["500kB", "1MB", "50MB"]},
    "facets": {"/jobs/count": [1, 8], "/jobs/0/profile": ["dnn-a", "mix"], "/dsa/x": [1, 2]},
    "bars": {},
    "groups": {"/jobs/profile": ["dnn-a", "dnn-b", "an-unusually-long-name"]},
    "long titles": {
        "/jobs/count": [1, 8], "/switch/ecn_threshold_bytes": ["10kB", "60kB"],
        "/topology/uplink/framing_bytes": [0, 24], "/switch/memory_bytes": ["1MB", "5MB"],
    },
    "narrow bars": {"/jobs/profile": [f"model-{number}" for number in range(20)]},
    "odd names": {"/$a_{": ["$x$", "\u202e", "\n", "\u4e2d"]},
}
VARIANTS = {
    "SwitchML": "switchml", "SwitchML (starved)": "switchml", "ATP": "atp", "DSA": "dsa",
}  # fmt: skip
LOSS = {"/faults/links/0/loss": [0.00001, 0.001, 0.1]}


def run(command, folder, *options):
    assert main([command, str(folder), *map(str, options)]) == 0


def numbers_of(command, folder, tmp_path, *options):
    numbers = tmp_path / "numbers.json"
    run(command, folder, "--json", numbers, *options)
    return json.loads(numbers.read_text())


def points_of(folder, **choice):
    """curves.points() of a folder, and their Layout."""
    read = results.read(folder)
    jobs = read.jobs()
    shape = layout.layout(read.with_system(jobs), read.seeds, layout.Choice(**choice))
    return curves.points(jobs, shape), shape


def drawn(folder, measure=curves.JCT, **choice):
    """The only page of a figure."""
    points, shape = points_of(folder, **choice)
    (figure,) = jct.draw_measure(shape, points, measure)
    return figure


@pytest.mark.parametrize("axes", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize(("command", "stem"), [("plot", "jct"), ("breakdown", "breakdown")])
def test_figures_are_png_and_pdf_and_the_path_is_printed(
    result_folder, capsys, axes, command, stem
):
    folder = result_folder(axes=axes)
    run(command, folder)
    printed, said = capsys.readouterr()
    assert (printed.splitlines()[0], said) == (f"{folder}/{stem}.png", "")
    assert (folder / f"{stem}.png").read_bytes().startswith(PNG)
    assert (folder / f"{stem}.pdf").read_bytes().startswith(PDF)


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_only_the_chosen_format_is_written(result_folder, capsys, suffix):
    folder = result_folder(axes={})
    run("plot", folder, "--format", suffix)
    assert capsys.readouterr().out == f"{folder}/jct.{suffix}\n"
    assert [path.name for path in folder.glob("jct*")] == [f"jct.{suffix}"]


@pytest.mark.parametrize(("command", "stem"), [("plot", "jct"), ("breakdown", "breakdown")])
def test_figures_may_go_to_another_folder_and_leave_that_of_the_results_alone(
    result_folder, tmp_path, capsys, command, stem
):
    folder, elsewhere = result_folder(axes={}), tmp_path / "figures"
    before = sorted(folder.iterdir())
    (tmp_path / "file").write_text("mine")
    assert main([command, str(folder), "--out", str(tmp_path / "file")]) == 2
    assert "file: a file is in the way" in capsys.readouterr().err
    run(command, folder, "--out", elsewhere)
    assert capsys.readouterr().out == f"{elsewhere}/{stem}.png\n"
    assert sorted(path.name for path in elsewhere.iterdir()) == [f"{stem}.pdf", f"{stem}.png"]
    assert sorted(folder.iterdir()) == before


def test_the_jct_is_the_job_and_a_figure_beside_it_the_iteration(result_folder, tmp_path, capsys):
    folder = result_folder(iterations=5)
    content = numbers_of("plot", folder, tmp_path)
    assert capsys.readouterr().out == f"{folder}/jct.png\n{folder}/iteration.png\n"
    assert len(content["points"]) == 12
    for point in content["points"]:
        assert point["jct_ms"] == pytest.approx(5 * point["iteration_ms"])
        assert point["jct_ratio"] == pytest.approx(point["iteration_ratio"])


def test_jobs_of_one_iteration_have_no_figure_of_it(result_folder):
    folder = result_folder()
    run("plot", folder)
    assert not (folder / "iteration.png").exists()


def test_json_holds_means_over_jobs_then_seeds_with_their_spread(result_folder, tmp_path):
    folder = result_folder(systems=("atp", "dsa"))
    content = numbers_of("plot", folder, tmp_path)
    assert content["written_by"] == "ina plot --json"
    assert (content["name"], content["baseline"]) == ("synthetic", "dsa")
    point = next(p for p in content["points"] if p["/jobs/count"] == "4" and p["system"] == "atp")
    assert point["jct_ms"] == pytest.approx(1.25 * 2.0)
    half = 4.303 * 0.03 / 3**0.5  # Student's t with 2 degrees of freedom
    assert point["jct_low_ms"] == pytest.approx(1.25 * 2.0 * (1 - half), rel=1e-3)
    assert point["jct_high_ms"] == pytest.approx(1.25 * 2.0 * (1 + half), rel=1e-3)
    assert (point["seeds"], point["jobs"], point["failed_jobs"]) == (3, 6, 0)
    assert point["jct_ratio"] == pytest.approx(1.25)


def test_percentiles_are_over_the_finished_jobs_of_all_seeds(result_folder, tmp_path):
    folder = result_folder(axes={}, systems=("dsa",))
    (point,) = numbers_of("plot", folder, tmp_path)["points"]
    jcts = [seed * 1000 + job for seed in (0.97, 1, 1.03) for job in (-50, 50)]
    for percent in (50, 95, 99):
        expected = numpy.percentile(jcts, percent) / 1000
        assert point[f"jct_p{percent}_ms"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("axes", [LOSS, {**LOSS, "/jobs/count": [1, 2]}], ids=["one", "facets"])
def test_a_sweep_over_loss_has_a_figure_of_jct_and_goodput(result_folder, capsys, axes):
    folder = result_folder(axes=axes)
    run("plot", folder)
    assert capsys.readouterr().out == f"{folder}/jct.png\n{folder}/loss.png\n"
    assert (folder / "loss.png").read_bytes().startswith(PNG)
    assert (folder / "loss.pdf").read_bytes().startswith(PDF)


def test_goodput_is_the_values_of_an_iteration_over_its_time(result_folder):
    points, _ = points_of(result_folder(axes=LOSS, seeds=(2,), systems=("dsa",)))
    # Iterations of 1025 us -/+ 50 us and 32 Mbit.
    expected = (32e6 / 975.1e-6 + 32e6 / 1075.1e-6) / 2 / 1e9
    assert points["goodput_gbps"].iloc[-1] == pytest.approx(expected, rel=1e-2)
    assert points[["goodput_low_gbps", "goodput_high_gbps"]].isna().all(axis=None)


def test_the_jct_against_loss_is_logarithmic_in_both(result_folder):
    points, shape = points_of(result_folder(axes=LOSS))
    (figure,) = loss.draw(shape, points)
    jct, goodput = figure.axes
    assert (jct.get_xscale(), jct.get_yscale()) == ("log", "log")
    assert (goodput.get_xscale(), goodput.get_yscale()) == ("log", "linear")
    assert goodput.get_ylim()[0] == 0
    assert goodput.get_ylabel() == "Goodput of a worker (Gbps)"
    assert jct.get_xlabel() == "Probability of loss"


def test_without_dsa_there_is_no_ratio_unless_another_is_chosen(result_folder, tmp_path):
    folder = result_folder(systems=("atp", "switchml"), axes={})
    content = numbers_of("plot", folder, tmp_path)
    assert [point["jct_ratio"] for point in content["points"]] == [None, None]
    content = numbers_of("plot", folder, tmp_path, "--baseline", "atp")
    assert [point["jct_ratio"] for point in content["points"]] == [1, pytest.approx(1.4 / 1.25)]


def test_systems_keep_the_order_of_the_sweep(result_folder):
    order = ("switchml", "dsa", "atp")
    read = results.read(result_folder(systems=order))
    assert read.with_system(read.jobs().iloc[::-1])[0].values == order


def test_jct_axis_starts_at_zero_and_names_its_unit(result_folder):
    figure = drawn(result_folder())
    main_axes, ratio_axes = figure.axes
    assert main_axes.get_ylim()[0] == 0
    assert main_axes.get_ylabel() == "Average JCT (ms)"
    assert ratio_axes.get_ylabel() == "JCT / DSA"
    assert ratio_axes.get_xlabel() == "Number of jobs"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "SwitchML", "ATP", "DSA",
    ]  # fmt: skip
    assert figure.texts[0].get_text() == "error bars: 95 % intervals over 3 seeds"


def test_bars_carry_the_jct_and_the_ratio_to_the_baseline(result_folder):
    figure = drawn(result_folder(axes={}))
    labels = [text.get_text() for text in figure.axes[0].texts]
    assert labels == ["1.40\n1.40×", "1.25\n1.25×", "1.00"]


def test_a_long_legend_leaves_the_curves_their_room(result_folder):
    names = [f"ATP, a window of {number} packets at first" for number in range(8)]
    folder = result_folder(axes={"/jobs/count": [1, 8]}, variants=dict.fromkeys(names, "atp"))
    with pyplot.rc_context(style.PAPER):
        figure = drawn(folder)
        figure.draw_without_rendering()
        assert figure.axes[0].get_window_extent().height / figure.dpi > 1.2
        check_texts(figure)


def test_seeds_that_all_give_the_same_have_error_bars_of_no_length(result_folder, edit):
    folder = result_folder(axes={}, systems=("dsa",))
    rows = (folder / "jobs.csv").read_text().splitlines()
    column = rows[0].split(",").index("jct_us")
    edit(folder, "jobs.csv", {f",{row.split(',')[column]},": ",100.1," for row in rows[1:]})
    (bars,) = drawn(folder).axes[0].collections
    (segment,) = bars.get_segments()
    assert segment.tolist() == pytest.approx(numpy.array([[0, 0.1001], [0, 0.1001]]))


def test_numbers_below_the_x_axis_that_would_run_into_each_other_are_left_out(result_folder):
    sizes = ["3MB", "4063232B", "5MB", "8MB", "16MB"]
    axes = {"/switch/memory_bytes": sizes, "/p": [1, 2, 3]}
    with pyplot.rc_context(style.PAPER):
        figure = drawn(result_folder(axes=axes), x="/switch/memory_bytes")
        figure.draw_without_rendering()
        labels = figure.axes[1].get_xticklabels()
        assert [label.get_text() for label in labels] == ["3", "", "5", "8", "16"]
        extents = [label.get_window_extent() for label in labels if label.get_text()]
        assert all(one.x1 < two.x0 for one, two in itertools.pairwise(extents))


def test_bars_too_narrow_for_a_label_have_their_ratios_in_a_panel_below(result_folder):
    axes = {"/jobs/profile": [f"model-{number}" for number in range(8)], "/p": [1, 2]}
    folder = result_folder(axes=axes, variants=VARIANTS)
    main, ratio, *_ = drawn(folder, x="/jobs/profile").axes
    assert len(main.patches) == 8 * len(VARIANTS)
    assert not main.texts
    points, _ = points_of(folder, x="/jobs/profile")
    atp = points[(points["variant"] == "ATP") & (points["/p"] == "1")]
    assert list(ratio.lines[2].get_ydata()) == pytest.approx(list(atp["jct_ratio"]))


MANY = {
    "numbers": list(range(1, 101)),
    "names": [f"model-{number}" for number in range(100)],
}


@pytest.mark.parametrize("values", MANY.values(), ids=MANY)
@pytest.mark.parametrize("kind", ["breakdown", "bars"])
def test_labels_of_a_hundred_values_do_not_run_into_each_other(result_folder, kind, values):
    folder = result_folder(axes={"/jobs/profile": values}, systems=("dsa", "atp"), seeds=(1,))
    with pyplot.rc_context(style.PAPER):
        if kind == "breakdown":
            (figure,) = breakdown.draw_rows(
                *breakdown.means(results.read(folder), layout.Choice())
            )
        else:
            figure = drawn(folder)
        figure.draw_without_rendering()
    for axes in figure.axes:
        labels = [text for text in axes.get_xticklabels() if text.get_visible() and text.get_text()]
        extents = [text.get_window_extent() for text in labels]
        assert not any(one.overlaps(other) for one, other in itertools.pairwise(extents))
    assert len(labels) >= 3 and labels[0].get_text() == str(values[0])


def check_texts(figure):
    """Checks that every text is within the image, that labels of bars are within their panels, and
    that titles do not overlap."""
    figure.draw_without_rendering()
    for axes in figure.axes:
        for text in axes.texts:
            assert text.get_window_extent().y1 <= axes.get_window_extent().y1 + 1
    titles = [axes.title.get_window_extent() for axes in figure.axes if axes.title.get_text()]
    for one, other in itertools.combinations(titles, 2):
        assert not one.overlaps(other)
    legends = [text for legend in figure.legends for text in legend.get_texts()]
    for extent in [*titles, *(text.get_window_extent() for text in [*figure.texts, *legends])]:
        assert figure.bbox.x0 <= extent.x0
        assert extent.x1 <= figure.bbox.x1


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
@pytest.mark.parametrize("axes", LAYOUTS.values(), ids=LAYOUTS)
def test_no_text_is_cut_or_runs_into_another(result_folder, axes):
    folder = result_folder(
        axes=axes, variants=VARIANTS, seeds=(1,), fails=lambda values, system: "dnn-a" in values
    )
    with pyplot.rc_context(style.PAPER):
        check_texts(drawn(folder))
        rows, shape = breakdown.means(results.read(folder), layout.Choice())
        for page in breakdown.draw_rows(rows, shape):
            check_texts(page)


def test_thirteen_panels_are_two_pages(result_folder, capsys):
    folder = result_folder(
        axes={"/jobs/count": [1, 2], "/p": [f"p{number}" for number in range(13)]},
        systems=("dsa", "atp"), seeds=(1,),
    )  # fmt: skip
    run("plot", folder)
    assert capsys.readouterr().out == f"{folder}/jct.png\n{folder}/jct-2.png\n"
    assert (folder / "jct.pdf").read_bytes().count(b"/Type /Page ") == 2
    assert not (folder / "jct-2.pdf").exists()


@pytest.mark.parametrize("systems", [("dsa", "atp"), ("dsa",)], ids=["ratios", "no ratios"])
def test_no_page_is_taller_than_paper(result_folder, systems):
    folder = result_folder(
        axes={"/jobs/count": [1, 2], "/p": [f"p{number}" for number in range(13)]},
        systems=systems, seeds=(1,),
    )  # fmt: skip
    points, shape = points_of(folder, lines="system")
    pages = list(jct.draw_measure(shape, points, curves.JCT))
    per_page = [9, 4] if len(systems) > 1 else [12, 1]
    assert [len(page.axes) // len(systems) for page in pages] == per_page
    assert all(page.get_size_inches()[1] <= 9.5 for page in pages)


def test_titles_of_lower_rows_stand_clear_of_the_ticks_above(result_folder):
    folder = result_folder(
        axes={"/jobs/count": [1, 2], "/p": [f"p{number}" for number in range(9)]},
        systems=("dsa", "atp"), seeds=(1,),
    )  # fmt: skip
    with pyplot.rc_context(style.PAPER):
        figure = drawn(folder)
        figure.draw_without_rendering()
        mains, ratios = figure.axes[::2], figure.axes[1::2]
        line = style.PAPER["axes.titlesize"] / 72 * figure.dpi
        for upper, below in zip(ratios, mains[3:]):
            ticks = min(tick.get_window_extent().y0 for tick in upper.get_xticklabels())
            assert ticks - below.title.get_window_extent().y1 >= 0.6 * line


def test_panels_of_all_pages_have_the_same_scale(result_folder):
    folder = result_folder(
        axes={"/jobs/count": [1, 2], "/p": [f"p{number}" for number in range(13)], "/q": [1, 2]},
        systems=("dsa",), seeds=(1,),
    )  # fmt: skip
    points, shape = points_of(folder, lines="system", x="/q")
    pages = list(jct.draw_measure(shape, points, curves.JCT))
    assert [len(page.axes) for page in pages] == [12, 12, 2]
    assert len({axes.get_ylim() for page in pages for axes in page.axes}) == 1


def killed(values, system):
    return True


@pytest.mark.parametrize(("command", "words"), [
    ("plot", "no job finished, so the figures are empty"),
    ("breakdown", "no job finished, so the figure is empty"),
])  # fmt: skip
@pytest.mark.parametrize("axes", [{}, LOSS, LAYOUTS["curves"], LAYOUTS["groups"]])
def test_where_all_jobs_were_killed_the_figures_say_so(
    result_folder, capsys, command, words, axes
):
    folder = result_folder(axes=axes, fails=killed)
    run(command, folder)
    assert capsys.readouterr().err == f"ina: {folder}: {words}\n"
    assert len(list(folder.glob("*.png"))) > 0


def test_a_panel_without_points_says_so(result_folder):
    (axes,) = drawn(result_folder(fails=killed)).axes
    assert [text.get_text() for text in axes.texts] == ["no job finished"]


def test_points_where_no_job_finished_are_null_and_counted(result_folder, tmp_path):
    folder = result_folder(fails=lambda values, system: system == "dsa" and values[0] > 2)
    content = numbers_of("plot", folder, tmp_path)
    missing = [one for one in content["points"] if one["jct_ms"] is None]
    assert [(one["system"], one["/jobs/count"]) for one in missing] == [("dsa", "4"), ("dsa", "8")]
    assert {(one["failed_jobs"], one["jobs"], one["seeds"]) for one in missing} == {(6, 6, 0)}
    others = [one for one in content["points"] if one["/jobs/count"] in ("4", "8")]
    assert {one["jct_ratio"] for one in others} == {None}
    note = drawn(folder).texts[0].get_text().replace("\n", " ")
    assert note.endswith("3 seeds 12 of 72 jobs failed and are left out")


def test_jobs_that_failed_enter_no_average(result_folder, edit):
    folder = result_folder()
    before, _ = points_of(folder)
    rows = (folder / "jobs.csv").read_text().splitlines()
    failed = [row.replace(",1,dnn-a", ",2,dnn-a").replace("finished", "worker_lost")
              for row in rows[1:] if ",1,dnn-a" in row]
    edit(folder, "jobs.csv", {rows[-1] + "\n": "\n".join([rows[-1], *failed, ""])})
    after, _ = points_of(folder)
    counted = ["jobs", "failed_jobs"]
    assert after.drop(columns=counted).equals(before.drop(columns=counted))
    assert set(after["failed_jobs"]) == {3}


def test_parts_writes_the_plotted_numbers(result_folder, tmp_path):
    folder = result_folder()
    content = numbers_of("breakdown", folder, tmp_path)
    assert content["written_by"] == "ina breakdown --json"
    assert len(content["rows"]) == 12
    for row in content["rows"]:
        assert sum(row[part] for part in breakdown.PART_COLUMNS) == (
            pytest.approx(row["period_us"])
        )


def test_parts_are_means_over_iterations_jobs_and_seeds(result_folder, tmp_path):
    content = numbers_of("breakdown", result_folder(axes={}, systems=("dsa",)), tmp_path)
    (row,) = content["rows"]
    assert row["serialisation_us"] == pytest.approx(400)
    assert row["period_us"] == pytest.approx(1000)


def test_a_part_without_a_number_is_refused(result_folder, edit, capsys):
    folder = result_folder(axes={}, systems=("dsa",), seeds=(2,))
    row = (folder / "iterations.csv").read_text().splitlines()[-1]
    edit(folder, "iterations.csv", {row: ",".join([*row.split(",")[:-1], ""])})
    assert main(["breakdown", str(folder)]) == 2
    assert "recovery_us of row" in capsys.readouterr().err


def test_parts_take_their_axes_as_plot_does(result_folder):
    folder = result_folder(axes={"/jobs/count": [1, 2], "/dsa/x": [3, 4]}, systems=("dsa", "atp"))
    choice = layout.Choice(x="/dsa/x", panels="/jobs/count")
    rows, shape = breakdown.means(results.read(folder), choice)
    (figure,) = breakdown.draw_rows(rows, shape)
    assert [axes.get_title() for axes in figure.axes] == [
        "DSA\nNumber of jobs: 1", "ATP\nNumber of jobs: 1",
        "DSA\nNumber of jobs: 2", "ATP\nNumber of jobs: 2",
    ]  # fmt: skip
    assert figure.axes[2].get_xlabel() == "DSA x"


# Matrices from linear sRGB to the colours that dichromats see (Machado, Oliveira, Fernandes, 2009).
EYES = {
    "all cones": numpy.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                 [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
WHITE = [0.9505, 1, 1.089]
LEAST_DISTANCE = 15  # in CIELAB; neighbours in Okabe and Ito's palette have 16


def lab(colour, eye):
    steps = numpy.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = numpy.where(steps <= 0.04045, steps / 12.92, ((steps + 0.055) / 1.055) ** 2.4)
    x, y, z = TO_XYZ @ numpy.clip(eye @ linear, 0, 1) / WHITE
    x, y, z = (
        numpy.cbrt(one) if one > 0.008856 else 7.787 * one + 16 / 116 for one in (x, y, z)
    )
    return numpy.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


PALETTES = {
    "breakdown": [colour for _, _, colour in breakdown.PARTS] + ["#000000"],  # and the line
    "lines": [look.colour for look in style.looks_of("abcdefgh", {}).values()],
}


@pytest.mark.parametrize("eye", EYES.values(), ids=EYES)
@pytest.mark.parametrize("colours", PALETTES.values(), ids=PALETTES)
def test_colours_differ_to_every_eye(colours, eye):
    assert len(set(colours)) == len(colours)
    for one, other in itertools.combinations(colours, 2):
        distance = numpy.linalg.norm(lab(one, numpy.array(eye)) - lab(other, numpy.array(eye)))
        assert distance >= LEAST_DISTANCE, (one, other)


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


@pytest.mark.parametrize("arguments", [["compare", "one"], ["plot", "--jsn"], []])
def test_bad_arguments_give_one_line_and_status_2(capsys, arguments):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("ina: ")
    assert error.count("\n") == 1


RATIOS = {
    "/switch/memory_bytes": ["3MB", "4063232B", "5MB"], "/jobs/count": [1, 8], "/h": ["a", "b"],
}
OF_RATIOS = ("--ratio", "atp/dsa", "--lines", "/jobs/count")


def test_a_ratio_is_of_the_average_jcts_with_the_range_of_the_seeds(result_folder, edit, tmp_path, capsys):
    folder = result_folder(axes={"/jobs/count": [1, 2]}, seeds=(1, 2))
    # Seed 1: jobs of 2000 and 2100 us under ATP, of 1162.5 and 1262.5 us under DSA.
    edit(folder, "jobs.csv", {"1465.625": "2000.0", "1565.625": "2100.0"})
    content = numbers_of("plot", folder, tmp_path, "--ratio", "atp/dsa", "--spread", "range")
    assert capsys.readouterr().out == f"{folder}/ratio.png\n"
    one, two = content["points"]
    assert (content["ratio"], content["x"], content["lines"]) == ("atp/dsa", "/jobs/count", None)
    jobs = results.read(folder).jobs()
    atp, dsa = (jobs[(jobs["system"] == one) & (jobs["/jobs/count"] == "1")] for one in ("atp", "dsa"))
    ratio = atp["jct_us"].mean() / dsa["jct_us"].mean()
    assert one["jct_high_quotient"] == pytest.approx(2050 / 1212.5)
    assert one["jct_low_quotient"] == pytest.approx(1.25)
    assert one["jct_quotient"] == pytest.approx(ratio)
    assert two["jct_low_quotient"] == two["jct_high_quotient"] == pytest.approx(1.25)
    assert (one["seeds"], one["jobs"], one["failed_jobs"]) == (2, 8, 0)


def test_panels_of_ratios_have_one_scale_and_a_line_at_one(result_folder):
    folder = result_folder(axes=RATIOS)
    read = results.read(folder)
    jobs = read.jobs()
    choice = layout.Choice(lines="/jobs/count")
    axes = read.with_system(jobs)
    compared, pair, shape = layout.pair_layout(axes, read.seeds, choice, "switchml/dsa")
    points = curves.quotients(jobs, shape, compared.key, pair)
    with pyplot.rc_context(style.PAPER):
        (figure,) = ratio.draw_points(shape, points, compared, pair, "interval")
        check_texts(figure)
    left, right = figure.axes
    assert left.get_ylim() == right.get_ylim()
    assert left.get_ylim()[0] < 1 < 1.4 < left.get_ylim()[1]
    assert left.get_ylabel() == "JCT, SwitchML / DSA"
    assert left.get_xlabel() == "Switch memory (MB)"
    assert [text.get_text() for text in left.get_xticklabels()] == ["3", "4.06", "5"]
    assert figure.legends[0].get_title().get_text() == "Number of jobs"


def test_a_ratio_may_be_of_two_variants(result_folder, tmp_path, capsys):
    folder = result_folder(variants=VARIANTS, axes={"/jobs/count": [1, 2]})
    numbers = numbers_of("plot", folder, tmp_path, "--ratio", "SwitchML (starved)/DSA")
    assert numbers["ratio"] == "SwitchML (starved)/DSA"
    assert [list(point)[0] for point in numbers["points"]] == ["/jobs/count"] * 2
    assert [point["jct_quotient"] for point in numbers["points"]] == pytest.approx([1.4, 1.4])
    assert main(["plot", str(folder), "--ratio", "atp/dsa"]) == 2
    allowed = "allowed: two of SwitchML, SwitchML (starved), ATP, DSA as A/B"
    assert allowed in capsys.readouterr().err


def test_variants_are_named_in_legend_and_numbers(result_folder, tmp_path):
    folder = result_folder(variants=VARIANTS, axes={"/jobs/count": [1, 2]})
    legend = drawn(folder).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == list(VARIANTS)
    content = numbers_of("plot", folder, tmp_path)
    assert (content["lines"], content["baseline"]) == ("variant", "DSA")
    assert {point["variant"] for point in content["points"]} == set(VARIANTS)
    (tmp_path / "numbers.json").unlink()
    rows = numbers_of("breakdown", folder, tmp_path)["rows"]
    assert {row["variant"] for row in rows} == set(VARIANTS)


def test_a_ratio_leaves_out_seeds_without_both_systems(result_folder, tmp_path, capsys):
    folder = result_folder(
        axes={"/jobs/count": [1, 2]},
        fails=lambda values, system: system == "atp" and values == [2],
    )  # fmt: skip
    one, two = numbers_of("plot", folder, tmp_path, "--ratio", "atp/dsa")["points"]
    assert (one["seeds"], two["seeds"], two["jct_quotient"]) == (3, 0, None)
    assert (two["jobs"], two["failed_jobs"]) == (12, 6)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ratio", "atp"), '--ratio: found "atp"; allowed: two of switchml, atp, dsa as A/B'),
        (("--ratio", "atp/atp"), '--ratio: found "atp/atp"; allowed: two of'),
        (("--ratio", "atp/esa"), '--ratio: found "atp/esa"; allowed: two of'),
        (("--ratio", "atp/dsa", "--x", "/h"), "--ratio: no swept key of numbers for the x axis"),
        (("--ratio", "atp/dsa", "--lines", "system"), '--lines: found "system"; allowed: '),
        ((*OF_RATIOS, "--baseline", "1"), "--baseline: found with --ratio"),
    ],
)  # fmt: skip
def test_a_ratio_that_cannot_be_drawn_is_refused(result_folder, capsys, options, message):
    assert main(["plot", str(result_folder(axes=RATIOS)), *options]) == 2
    assert message in capsys.readouterr().err

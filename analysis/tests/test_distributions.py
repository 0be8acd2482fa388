# SPDX-License-Identifier: BSD-3-Clause
"""`plot --kind cdf|occupancy`: content of the figures, and rejected options."""

import pytest

from analysis import kinds, layout, results
from analysis.kinds import cdf, occupancy
from plots import numbers_of, refusal

SYSTEMS = ("atp", "dsa")


# ---- cdf


@pytest.fixture
def folder(result_folder):
    return result_folder(axes={"/jobs/count": [1, 2]}, systems=SYSTEMS, iterations=2)


def test_a_line_has_the_jct_of_each_job_of_all_seeds(folder):
    lines = numbers_of(folder, "cdf")["jct"]
    assert [(line["/jobs/count"], line["system"], line["count"]) for line in lines] == [
        (count, system, 6) for count in "12" for system in SYSTEMS
    ]
    table = results.read(folder).jobs()
    of_line = table[(table["/jobs/count"] == "2") & (table["system"] == "dsa")]
    assert lines[3]["times_ms"] == pytest.approx(sorted(of_line["jct_us"] / 1000))
    assert lines[3]["p50_ms"] == pytest.approx((of_line["jct_us"] / 1000).median())


def test_iterations_are_a_figure_of_their_own_where_jobs_have_several(folder, result_folder):
    lines = numbers_of(folder, "cdf")["iteration"]
    assert {line["count"] for line in lines} == {12}
    assert (folder / "iteration_cdf.png").exists()
    once = result_folder("once", axes={})
    assert "iteration" not in numbers_of(once, "cdf")
    assert not (once / "iteration_cdf.png").exists()


def test_a_line_rises_by_a_jobs_share_at_its_time_and_ends_at_1(folder):
    rows, shape = cdf.of_jobs(
        results.read(folder), layout.Choice(), ["system=dsa", "/jobs/count=1"]
    )
    (figure,) = cdf.draw_rows(rows, shape, "JCT (ms)")
    (line,) = figure.axes[0].lines
    times = sorted(rows[cdf.VALUE])
    assert list(line.get_xdata()) == pytest.approx([times[0], *times])
    assert list(line.get_ydata()) == pytest.approx([index / 6 for index in range(7)])
    assert line.get_drawstyle() == "steps-post"


def test_all_panels_have_one_scale(folder):
    rows, shape = cdf.of_jobs(results.read(folder), layout.Choice(), [])
    (figure,) = cdf.draw_rows(rows, shape, "JCT (ms)")
    assert len(figure.axes) == 2
    (ends,) = {axes.get_xlim() for axes in figure.axes}
    assert ends[0] < rows[cdf.VALUE].min() and rows[cdf.VALUE].max() < ends[1]


def test_failed_jobs_are_in_no_line_and_counted_below(result_folder):
    folder = result_folder(systems=SYSTEMS, axes={}, fails=lambda _, system: system == "atp")
    drawn = cdf.draw(results.read(folder), kinds.Wanted())
    atp, dsa = drawn.numbers["jct"]
    assert (atp["count"], atp["left_out"], atp["p50_ms"]) == (0, 6, None)
    assert (dsa["count"], dsa["left_out"]) == (6, 0)
    (figure,) = drawn.pages["cdf"]
    assert any("left out because their jobs failed: 6 of 12" in text.get_text() for text in figure.texts)


def test_models_are_lines_if_they_are_asked_to_be(folder):
    lines = numbers_of(folder, "cdf", "--lines", "profile", "--panels", "system")["jct"]
    assert {line["profile"] for line in lines} == {"dnn-a"}


# ---- occupancy


HEADER = "point,system,seed,time_us,switch,job,occupied_aggregators\n"


def occupancy_folder(result_folder, edit, rows, **arguments):
    """`rows` of each run: [(time in us, switch, job, aggregators)]."""
    folder = result_folder(axes={}, systems=SYSTEMS, seeds=(1, 2), **arguments)
    text = "".join(
        f"{point},{system},{seed},{','.join(map(str, row))}\n"
        for point, system in enumerate(SYSTEMS) for seed in (1, 2) for row in rows(system, seed)
    )
    edit(folder, "switch.csv", {(folder / "switch.csv").read_text(): HEADER + text})
    return folder


def two_jobs(system, seed):
    for time_us, held in ((0.0, 0), (100.0, 10), (200.0, 30)):
        yield time_us, "leaf0", 0, held * seed
        yield time_us, "leaf0", 1, 2 * held if system == "dsa" else 0
        yield time_us, "spine0", 1, 1


def test_an_area_is_what_a_job_holds_at_all_switches_of_the_first_seed(result_folder, edit):
    folder = occupancy_folder(result_folder, edit, two_jobs)
    numbers = numbers_of(folder, "occupancy")
    assert numbers["seed"] == 1
    dsa = [row for row in numbers["jobs"] if row["system"] == "dsa"]
    assert [(row["job"], row["most_aggregators"]) for row in dsa] == [("0 (dnn-a)", 30), ("1 (dnn-a)", 61)]
    assert dsa[0]["mean_aggregators"] == pytest.approx((0 + 10) / 2)


def test_what_is_left_out_is_as_before(result_folder, edit):
    folder = occupancy_folder(result_folder, edit, two_jobs)
    whole = numbers_of(folder, "occupancy")
    text = (folder / "switch.csv").read_text()
    changes = [line for line in text.splitlines() if "spine0" not in line or ",0.0,spine0" in line]
    assert len(changes) < len(text.splitlines())
    edit(folder, "switch.csv", {text: "\n".join([*changes, ""])})
    assert numbers_of(folder, "occupancy") == whole


def test_another_seed_or_system_is_drawn_if_it_is_asked_for(result_folder, edit):
    folder = occupancy_folder(result_folder, edit, two_jobs)
    numbers = numbers_of(folder, "occupancy", "--only", "seed=2", "--only", "system=atp")
    assert [row["most_aggregators"] for row in numbers["jobs"]] == [60, 1]


def test_switches_are_panels_if_they_are_asked_to_be(result_folder, edit):
    folder = occupancy_folder(result_folder, edit, two_jobs)
    numbers = numbers_of(folder, "occupancy", "--panels", "switch", "--only", "system=dsa")
    assert [(row["switch"], row["job"][0], row["most_aggregators"]) for row in numbers["jobs"]] == [
        ("leaf0", "0", 30), ("leaf0", "1", 60), ("spine0", "1", 1),
    ]  # fmt: skip


def test_areas_stand_on_one_another(result_folder, edit):
    folder = occupancy_folder(result_folder, edit, two_jobs)
    rows, axes, names, seed = occupancy.read(results.read(folder), layout.Choice(), ["system=dsa"])
    (figure,) = occupancy.draw_rows(rows, axes, names, seed)
    lower, upper = figure.axes[0].collections
    tops = [max(y for _, y in area.get_paths()[0].vertices) for area in (lower, upper)]
    assert tops == [30, 91]


def test_panels_have_one_scale_and_those_without_aggregators_are_left_out(result_folder, edit):
    folder = occupancy_folder(
        result_folder, edit,
        lambda system, _: [(time, "leaf0", 0, 90_000 * (system == "dsa")) for time in (1, 2)],
    )  # fmt: skip
    rows, axes, names, seed = occupancy.read(results.read(folder), layout.Choice(), [])
    (figure,) = occupancy.draw_rows(rows, axes, names, seed)
    (dsa,) = figure.axes
    assert dsa.get_title() == "DSA"
    assert "without any aggregator in use: ATP" in figure.texts[0].get_text()
    assert dsa.get_ylabel() == "Aggregators in use (thousands)"
    assert [text.get_text() for text in dsa.get_yticklabels()][:3] == ["0", "20", "40"]


def test_panels_that_use_little_have_the_scale_of_those_that_use_much(result_folder, edit):
    folder = occupancy_folder(
        result_folder, edit,
        lambda system, _: [(time, "leaf0", 0, 1 + 800 * (system == "dsa")) for time in
                           (1, 2 + 9 * (system == "dsa"))],
    )  # fmt: skip
    rows, axes, names, seed = occupancy.read(results.read(folder), layout.Choice(), [])
    (figure,) = occupancy.draw_rows(rows, axes, names, seed)
    atp, dsa = figure.axes
    assert atp.get_ylim() == dsa.get_ylim()
    assert atp.get_xlim() == dsa.get_xlim() == (0, 0.011)


def test_of_many_jobs_those_that_hold_most_have_colours_of_their_own(result_folder, edit):
    many = 12
    folder = occupancy_folder(result_folder, edit, two_jobs)
    rows, *_ = occupancy.read(results.read(folder), layout.Choice(), [])
    one = rows.iloc[[0]]
    rows = [one.assign(job=f"{job} (dnn-a)", occupied_aggregators=job) for job in range(many)]
    shown, names = occupancy.with_few_jobs(occupancy.pandas.concat(rows))
    assert names == [*(f"{job} (dnn-a)" for job in range(5, 12)), occupancy.OTHERS]
    assert occupancy.held(shown, names).iloc[0].tolist() == [5, 6, 7, 8, 9, 10, 11, 10]


def test_that_no_job_held_an_aggregator_is_said(result_folder, edit, capsys):
    folder = occupancy_folder(result_folder, edit, lambda *_: [(0, "switch", 0, 0)])
    assert "no job held an aggregator at any sample; allowed: runs of" in refusal(
        folder, capsys, "--kind", "occupancy"
    )


@pytest.mark.parametrize(
    ("kind", "option"), [("cdf", "--x"), ("cdf", "--baseline"), ("occupancy", "--lines"), ("cdf", "--links")]
)
def test_options_that_a_kind_has_no_use_for_are_refused(folder, capsys, kind, option):
    assert f"{option}: found with --kind {kind}" in refusal(folder, capsys, "--kind", kind, option, "system")

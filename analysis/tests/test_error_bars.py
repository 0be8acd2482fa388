# SPDX-License-Identifier: BSD-3-Clause
"""Error bars and ratios of `plot`, derived from values of seeds."""

import json
import statistics

import pytest
from plots import refusal

from analysis import curves, equivalence, error_bars, layout, results
from analysis.__main__ import main
from analysis.kinds import jct, loss

COUNTS = {"/jobs/count": [1, 2]}
LOSS = {"/faults/links/0/loss": [0.0001, 0.1]}


@pytest.fixture
def folder(result_folder, edit):
    """A folder in which ATP's ratio to DSA differs between seeds."""
    folder = result_folder(axes=COUNTS, systems=("atp", "dsa"))
    edit(folder, "jobs.csv", {"1465.625": "2000.0", "1565.625": "2100.0"})
    return folder


def numbers_of(folder, *options):
    file = folder.parent / "numbers.json"
    assert main(["plot", str(folder), "--json", str(file), *options]) == 0
    return json.loads(file.read_text())


def seeds_of(folder, system, count):
    """{seed: mean JCT in ms}"""
    jobs = results.read(folder).jobs()
    jobs = jobs[(jobs["system"] == system) & (jobs["/jobs/count"] == count)]
    return (jobs.groupby("seed")["jct_us"].mean() / 1000).to_dict()


def drawn(folder, spread, figure_of=jct.draw_measure, measure=(curves.JCT,)):
    read = results.read(folder)
    jobs = read.jobs()
    shape = layout.layout(read.with_system(jobs), read.seeds)
    (figure,) = figure_of(shape, curves.points(jobs, shape, spread), *measure, spread)
    return figure


def ends_of_bars(axes):
    """(low, high) of each error bar of a panel of curves."""
    lines = [one for one in axes.collections if len(one.get_segments()) > 1]
    return [(segment[0][1], segment[1][1]) for one in lines for segment in one.get_segments()]


def test_an_interval_is_that_of_students_t(folder):
    content = numbers_of(folder)
    assert content["spread"] == "interval"
    for point in content["points"]:
        found = list(seeds_of(folder, point["system"], point["/jobs/count"]).values())
        half = 4.303 * statistics.stdev(found) / 3**0.5
        ends = statistics.mean(found) - half, statistics.mean(found) + half
        assert (point["jct_low_ms"], point["jct_high_ms"]) == pytest.approx(ends, rel=1e-3)


def test_a_range_is_the_smallest_and_the_largest_seed(folder):
    content = numbers_of(folder, "--spread", "range")
    assert content["spread"] == "range"
    for point in content["points"]:
        found = seeds_of(folder, point["system"], point["/jobs/count"]).values()
        assert (point["jct_low_ms"], point["jct_high_ms"]) == pytest.approx((min(found), max(found)))


def test_a_ratio_has_its_own_interval_or_range(folder):
    base, over = (seeds_of(folder, system, "1") for system in ("dsa", "atp"))
    ratio = equivalence.ratio(base, over)
    quotients = [over[seed] / base[seed] for seed in base]
    ends = {"interval": (ratio.low, ratio.high), "range": (min(quotients), max(quotients))}
    for spread, expected in ends.items():
        atp, *_ = numbers_of(folder, "--spread", spread)["points"]
        assert atp["jct_ratio"] == pytest.approx(ratio.value)
        assert (atp["jct_ratio_low"], atp["jct_ratio_high"]) == pytest.approx(expected)


def test_the_baseline_has_no_error_bar_of_its_ratio(folder):
    dsa = [point for point in numbers_of(folder)["points"] if point["system"] == "dsa"]
    assert {(point["jct_ratio"], point["jct_ratio_low"]) for point in dsa} == {(1, None)}


@pytest.mark.parametrize("spread", error_bars.SPREADS)
def test_both_panels_draw_what_the_numbers_say(folder, spread):
    main_axes, ratio_axes = drawn(folder, spread).axes
    points = numbers_of(folder, "--spread", spread)["points"]
    by_line = sorted(points, key=lambda point: point["system"])
    assert ends_of_bars(main_axes) == pytest.approx(
        [(point["jct_low_ms"], point["jct_high_ms"]) for point in by_line]
    )
    atp = [point for point in by_line if point["system"] == "atp"]
    assert ends_of_bars(ratio_axes)[:2] == pytest.approx(
        [(point["jct_ratio_low"], point["jct_ratio_high"]) for point in atp]
    )


@pytest.mark.parametrize(
    ("spread", "words"), [("interval", "95 % intervals over"), ("range", "smallest and largest of")]
)
@pytest.mark.parametrize("kind", ["jct", "loss"])
def test_the_note_says_which_they_are(result_folder, spread, words, kind):
    folder = result_folder(axes=LOSS)
    how = {"loss": (loss.draw, ()), "jct": (jct.draw_measure, (curves.JCT,))}[kind]
    assert drawn(folder, spread, *how).texts[0].get_text() == f"error bars: {words} 3 seeds"


@pytest.mark.parametrize("spread", error_bars.SPREADS)
@pytest.mark.parametrize("axes", [COUNTS, {}], ids=["curves", "bars"])
def test_one_seed_has_no_error_bars(result_folder, spread, axes):
    folder = result_folder(axes=axes, seeds=(1,))
    figure = drawn(folder, spread)
    assert not any(segments for axes in figure.axes for segments in ends_of_bars(axes))
    for point in numbers_of(folder, "--spread", spread)["points"]:
        assert point["jct_low_ms"] is point["jct_ratio_high"] is None


def test_the_ratios_axis_shows_a_tenth_at_either_side_of_1(result_folder):
    folder = result_folder(axes=COUNTS, variants={"DSA": "dsa", "the same": "dsa"})
    low, high = drawn(folder, "interval").axes[1].get_ylim()
    assert low <= 0.9 and 1.1 <= high < 1.2


def test_an_interval_below_0_ends_at_the_foot_of_a_logarithmic_axis(result_folder, edit):
    folder = result_folder(axes=LOSS, seeds=(1, 2), systems=("dsa",))
    edit(folder, "jobs.csv", {",dsa,2,0,dnn-a,1,": ",dsa,2,0,dnn-a,1,9"})  # tenfold JCTs for one seed
    assert min(point["jct_low_ms"] for point in numbers_of(folder)["points"]) < 0
    jct, _ = drawn(folder, "interval", loss.draw, ()).axes
    least, most = jct.get_ylim()
    means = [y for line in jct.lines for y in line.get_ydata()]
    assert 0 < least < min(means) < 3 * least and max(means) < most


def test_the_spread_of_a_ratio_figure_follows_the_option(folder):
    low, high = (
        [numbers_of(folder, "--ratio", "atp/dsa", "--spread", spread)["points"][0][f"jct_{end}_quotient"]
         for spread in ("interval", "range")] for end in ("low", "high")
    )  # fmt: skip
    assert low[0] < low[1] < high[1] < high[0]


def test_kinds_without_error_bars_refuse_the_option(folder, capsys):
    line = refusal(folder, capsys, "--kind", "cdf", "--spread", "range")
    assert "--spread: found with --kind cdf; allowed: with jct" in line

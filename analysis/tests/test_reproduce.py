# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of published and simulated results: measures, intervals, verdicts, and the page."""

import html.parser
import itertools
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time

import pandas
import pytest

from analysis import estimates, results
from analysis.__main__ import main
from analysis.reproduce import markdown_table, measures, published, reproduction, summary, verdicts
from analysis.results import AnalysisError
from hw.files import output

ROOT = published.FOLDER.parents[2]
SCENARIOS = ROOT / "scenarios" / "papers"


@pytest.fixture
def folders(result_folder, tmp_path):
    """Folders of a synthetic scenario, "made/up.json", with the JCTs of conftest's ResultFolder."""
    result_folder("up", axes={"/jobs/count": [1, 8]})
    return reproduction.Folders(tmp_path)


def values(folders, measure):
    return measures.values(measure, folders.table, "made/up.json")


def mean_of(system, count, column="jobs.jct_us"):
    return {"mean": column, "of": {"system": system, "/jobs/count": count}}


def test_a_mean_is_one_of_each_seed(folders):
    assert values(folders, mean_of("dsa", 1)) == pytest.approx({1: 1212.5, 2: 1250, 3: 1287.5})


def test_a_sum_is_over_rows_by_a_pattern_of_links(folders):
    every = {"sum": "links.frames_sent", "of": {"system": "dsa", "/jobs/count": 1}}
    one = {"sum": "links.frames_sent", "of": {**every["of"], "link": "*>switch"}}
    assert values(folders, every) == {1: 14, 2: 14, 3: 14}
    assert values(folders, one) == {1: 7, 2: 7, 3: 7}


def test_a_ratio_is_taken_seed_by_seed(folders):
    found = values(folders, {"ratio": [mean_of("atp", 1), mean_of("dsa", 1)]})
    assert found == pytest.approx({1: 1.25, 2: 1.25, 3: 1.25})
    found = values(folders, {"ratio": [1250, mean_of("dsa", 1)]})
    assert found[2] == pytest.approx(1)


def test_the_share_that_is_lost_is_of_the_speed(folders):
    found = values(folders, {"share_lost": [mean_of("dsa", 1), mean_of("atp", 1)]})
    assert found[1] == pytest.approx(0.2)


def test_the_least_of_several_measures_is_taken_seed_by_seed(folders):
    measured = [mean_of("atp", 1), mean_of("dsa", 1), 1.5 * values(folders, mean_of("dsa", 1))[2]]
    alone = values(folders, mean_of("dsa", 1))
    assert values(folders, {"least": measured}) == {
        seed: min(alone[seed], measured[2]) for seed in alone
    }
    assert measures.scenarios_of({"least": [mean_of("atp", 1) | {"in": "a"}, 1.0]}, "b") == ["a"]


def test_a_measure_may_be_an_expression_of_each_row(folders):
    found = values(folders, mean_of("dsa", 1, "jobs.2 * jct_us / iteration_mean_us"))
    assert found == pytest.approx({1: 2, 2: 2, 3: 2})


def test_a_median_is_the_value_below_which_half_of_what_is_counted_lies():
    rows = pandas.DataFrame({measures.VALUE: [7.0, 1.0, 3.0], "count": [1, 5, 5]})
    assert measures.median(rows, "count") == 3
    assert measures.median(rows.assign(count=[1, 6, 5]), "count") == 1
    with pytest.raises(measures.NoValue, match="no weight"):
        measures.median(rows, "weight")


def test_a_spread_is_over_the_means_of_a_swept_key(folders):
    found = values(folders, {"spread": "jobs.jct_us", "over": "/jobs/count", "of": {"system": "dsa"}})
    assert found[2] == pytest.approx(3000 / 1250 - 1)


def test_a_ratio_is_of_the_seeds_that_both_scenarios_have(result_folder, tmp_path):
    for name, seeds in (("up", (1, 2)), ("other", (2, 3)), ("third", (3,))):
        result_folder(name, axes={}, seeds=seeds)
    folders = reproduction.Folders(tmp_path)
    mine, other, third = (
        {"mean": "jobs.jct_us", "of": {"system": "dsa"}, "in": f"made/{name}.json"}
        for name in ("up", "other", "third")
    )
    assert values(folders, {"ratio": [mine, other]}) == {2: 1}
    with pytest.raises(measures.NoValue, match="no seed in common"):
        values(folders, {"ratio": [mine, third]})


def test_jobs_that_failed_are_left_out(result_folder, tmp_path):
    result_folder("up", axes={}, fails=lambda values, system: system == "atp")
    with pytest.raises(measures.NoValue, match="no jct_us of system atp"):
        values(reproduction.Folders(tmp_path), {"mean": "jobs.jct_us", "of": {"system": "atp"}})


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (mean_of("dsa", 4), "no jct_us of system dsa, /jobs/count 4"),
        ({"mean": "jobs.jct_us", "of": {"variant": "ATP"}}, "no variant"),
        ({"mean": "jobs.speed"}, "no column speed"),
        ({"mean": "jobs.1 / speed"}, "no column 1 / speed: name 'speed' is not defined"),
        ({"ratio": [1, 0]}, "divides by 0"),
        ({"mean": "jobs.jct_us", "in": "made/gone.json"}, "made/gone.json has not been run"),
    ],
)
def test_what_has_no_value_says_why(folders, measure, words):
    with pytest.raises(measures.NoValue, match=words):
        values(folders, measure)


# Student's t for 95 % from published tables: the half width for 1, 2, 3 is 4.303 / sqrt(3).
@pytest.mark.parametrize(
    ("sample", "mean", "half"),
    [
        ([5.0], 5, None),
        ([1, 3], 2, 12.706),
        ([1, 2, 3], 2, 2.4843),
        ([1, 2, 3, 4, 5], 3, 1.9634),
        ([7, 7, 7], 7, 0),
        ([0, 1] * 50, 0.5, 0.0997),
    ],
)
def test_intervals_are_those_of_students_t(sample, mean, half):
    found = estimates.estimate(sample)
    assert (found.mean, found.seeds) == (mean, len(sample))
    assert found.half_width == (None if half is None else pytest.approx(half, abs=6e-4))


def test_an_interval_holds_the_true_mean_19_times_in_20():
    import random

    draw = random.Random(7)
    samples = ([draw.gauss(3, 2) for _ in range(5)] for _ in range(4000))
    hits = sum(found.low <= 3 <= found.high for found in map(estimates.estimate, samples))
    assert 0.94 < hits / 4000 < 0.96


CLOSE = {"published": 2, "bound": 1.5, "accept": {"of": "published", "within": 0.1}}
WORDS = {"stated": "matches", "reads_as": 2, "accept": {"of": "reads_as", "within": 0.1}}
OF_BOUND = {"bound": 1.5, "accept": {"of": "bound", "within": 0.1}}


@pytest.mark.parametrize(
    ("row", "value", "expected"),
    [
        (CLOSE, 2.2, verdicts.REPRODUCED),
        (CLOSE, 2.21, verdicts.NOT_REPRODUCED),
        (CLOSE, 1.79, verdicts.NOT_REPRODUCED),
        (CLOSE | {"trend": {"above": 1}}, 1.2, verdicts.TREND),
        (CLOSE | {"trend": {"above": 1}}, 0.9, verdicts.NOT_REPRODUCED),
        (CLOSE | OF_BOUND, 1.4, verdicts.CONTRADICTS),
        (CLOSE | OF_BOUND, 1.3, verdicts.NOT_REPRODUCED),
        (CLOSE | {"accept": {"of": "bound", "within": 0.2}}, 1.7, verdicts.REPRODUCED),
        (OF_BOUND, 1.5, verdicts.AGREES),
        (OF_BOUND, 1.7, verdicts.BOUND_MISSED),
        (OF_BOUND | {"agrees": {"above": 1}}, 1.5, verdicts.AS_STATED),
        (OF_BOUND | {"agrees": {"at_most": 1.1}}, 1.5, verdicts.CONTRADICTS),
        (OF_BOUND | {"agrees": {"at_most": 1.1}}, 1.7, verdicts.NOT_AS_STATED),
        (WORDS, 2.2, verdicts.AS_STATED),
        (WORDS, 2.3, verdicts.NOT_AS_STATED),
        (WORDS | OF_BOUND, 1.5, verdicts.CONTRADICTS),
        (CLOSE | {"accept": {"of": "published", "factor": 1.5}}, 1.4, verdicts.REPRODUCED),
        (CLOSE | {"accept": {"of": "published", "factor": 1.5}}, 3.1, verdicts.NOT_REPRODUCED),
        ({"published": [0.05, 0.1], "accept": {"of": "published", "points": 0.1}}, 0.2,
         verdicts.REPRODUCED),
        ({"published": [0.05, 0.1], "accept": {"of": "published", "points": 0.1}}, 0.21,
         verdicts.NOT_REPRODUCED),
        ({"accept": {"at_least": 2.5}}, 2.5, verdicts.AS_STATED),
        ({"accept": {"at_least": 2.5}}, 2.4, verdicts.NOT_AS_STATED),
        ({"accept": {"at_most": 0.02}}, 0.02, verdicts.AS_STATED),
        ({"accept": {"at_most": 0.02}}, 0.03, verdicts.NOT_AS_STATED),
        (CLOSE | {"tuned": "166 slots"}, 2.0, verdicts.TUNED),
        (CLOSE | {"tuned": "166 slots", "trend": {"above": 1}}, 1.2, verdicts.TUNED),
        (WORDS | {"tuned": "166 slots"}, 2.0, verdicts.TUNED),
        (CLOSE | {"tuned": "166 slots"}, 1.0, verdicts.NOT_REPRODUCED),
        ({}, 1, verdicts.COMPARED),
    ],
)  # fmt: skip
def test_a_verdict_follows_from_what_is_accepted(row, value, expected):
    assert verdicts.verdict(estimates.estimate([value]), row) == expected


def test_an_order_counts_only_if_the_whole_interval_has_it():
    row = {"accept": {"above": 1}}
    assert verdicts.verdict(estimates.estimate([1.1, 1.11, 1.12]), row) == verdicts.AS_STATED
    assert verdicts.verdict(estimates.estimate([0.88, 0.89, 0.9]), row) == verdicts.NOT_AS_STATED


@pytest.mark.parametrize("sample", [[0.9, 1.2, 1.5], [0.5, 0.8, 1.1]])
def test_an_order_is_undecided_if_the_interval_includes_both_sides(sample):
    row = {"accept": {"above": 1}}
    assert verdicts.verdict(estimates.estimate(sample), row) == verdicts.UNDECIDED
    assert verdicts.is_certain(estimates.estimate(sample), row)


def test_an_interval_that_hardly_exceeds_the_limit_has_no_gain():
    row = {"accept": {"above": 1}}
    assert verdicts.verdict(estimates.estimate([0.9999, 1, 1.0001]), row) == verdicts.NOT_AS_STATED
    assert verdicts.verdict(estimates.estimate([1, 1, 1]), row) == verdicts.NOT_AS_STATED


def test_a_number_is_never_undecided():
    row = CLOSE | {"trend": {"above": 1}}
    assert verdicts.verdict(estimates.estimate([0.9, 1.2, 1.5]), row) == verdicts.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("of_lines", "expected"),
    [
        ([verdicts.REPRODUCED, verdicts.REPRODUCED], verdicts.REPRODUCED),
        ([verdicts.REPRODUCED, verdicts.NOT_REPRODUCED], verdicts.DEPENDS),
        ([verdicts.TREND, verdicts.REPRODUCED], verdicts.DEPENDS),
        ([verdicts.AS_STATED, verdicts.NOT_AS_STATED], verdicts.DEPENDS),
        ([verdicts.NOT_REPRODUCED, verdicts.TREND], verdicts.TREND),
        ([verdicts.NOT_REPRODUCED, verdicts.NOT_REPRODUCED], verdicts.NOT_REPRODUCED),
        ([verdicts.NOT_AS_STATED, verdicts.AS_STATED], verdicts.DEPENDS),
        ([verdicts.CONTRADICTS, verdicts.REPRODUCED], verdicts.DEPENDS),
        ([verdicts.CONTRADICTS, verdicts.NOT_REPRODUCED], verdicts.CONTRADICTS),
        ([verdicts.TUNED, verdicts.NOT_REPRODUCED], verdicts.TUNED),
        ([verdicts.AS_STATED, verdicts.UNDECIDED], verdicts.UNDECIDED),
        ([verdicts.UNDECIDED, verdicts.NOT_AS_STATED], verdicts.UNDECIDED),
        ([verdicts.AS_STATED, verdicts.UNDECIDED, verdicts.NOT_AS_STATED], verdicts.DEPENDS),
        ([verdicts.AS_STATED, verdicts.COMPARED], verdicts.AS_STATED),
        ([verdicts.NOT_REPRODUCED, verdicts.COMPARED], verdicts.NOT_REPRODUCED),
        ([verdicts.COMPARED, verdicts.COMPARED], verdicts.COMPARED),
        ([verdicts.NOT_RUN, verdicts.REPRODUCED], verdicts.REPRODUCED),
        ([verdicts.NOT_RUN, verdicts.NOT_RUN], verdicts.NOT_RUN),
        ([reproduction.OTHER_SETUP, verdicts.NOT_RUN], reproduction.OTHER_SETUP),
    ],
)
def test_the_lines_of_a_row_have_one_verdict(of_lines, expected):
    assert verdicts.of_lines(of_lines) == expected


def test_an_interval_that_reaches_over_the_edge_is_not_certain():
    assert verdicts.is_certain(estimates.estimate([2.0, 2.01, 2.02]), CLOSE)
    assert not verdicts.is_certain(estimates.estimate([1.9, 2.1, 2.3]), CLOSE)


def test_an_interval_around_all_that_is_accepted_is_not_certain():
    found = estimates.estimate([1, 2, 5])
    assert found.low < 1.8 and found.high > 2.2 < found.mean
    assert verdicts.verdict(found, CLOSE) == verdicts.NOT_REPRODUCED
    assert not verdicts.is_certain(found, CLOSE)


def row(**keys):
    return {"what": "ATP / DSA", "in": "made/up.json", "unit": ""} | keys


@pytest.mark.parametrize(
    ("keys", "verdict", "why"),
    [
        ({"cannot": "nothing is learnt"}, verdicts.NOT_SIMULATED, "nothing is learnt"),
        ({"missing": "no scenario"}, verdicts.NOT_RUN, "no scenario"),
        ({"in": "made/gone.json", "measure": mean_of("dsa", 1)}, verdicts.NOT_RUN, "has not been run"),
        ({"measure": mean_of("dsa", 5)}, verdicts.NOT_RUN, "its results have no"),
        ({"measure": mean_of("dsa", 1)}, verdicts.COMPARED, ""),
    ],
)
def test_every_row_has_a_verdict_and_without_a_value_a_reason(folders, keys, verdict, why):
    judged = reproduction.judge_row(row(**keys), folders)
    assert judged.verdict == verdict
    assert why in judged.why
    assert (judged.found is None) == bool(why)


def test_the_files_say_of_every_number_where_it_stands_and_of_every_row_how_it_is_judged():
    found = published.read()
    assert {result.paper for result in found.values()} == {"switchml", "atp", "dsa"}
    for result in found.values():
        for scenario in result.scenarios:
            assert (SCENARIOS / scenario).is_file()
    names = [name for result in found.values() for name in result.scenarios]
    stems = {name: name.rpartition("/")[2] for name in names}
    assert len(set(stems.values())) == len(stems)  # one result folder each


def test_what_a_measure_names_is_in_its_scenario():
    """Swept values and variants in measures exist in the scenario files."""
    for result in published.read().values():
        for one in result.rows:
            for part in published.measured_in(one):
                for scenario, where in named_by(part["measure"], part.get("in")):
                    text = scenario_text(SCENARIOS / scenario)
                    for key, value in where.items():
                        if key in ("variant", "system") or key.startswith("/"):
                            assert results.text_of(value) in text, (result.id, key, value)


# Job ids are drawn, and determine collisions by hash.
DRAWN = r'"uniform"|/loss"|"coin-flip"|"arrivals"|"on_off"|addressing": (\[[^]]*)?"hash"|"/atp/overflow"'


def test_scenarios_that_draw_have_five_seeds_or_two_if_they_are_long():
    """Other scenarios have a single seed: their results do not depend on it, since their links are equal."""
    for scenario in {name for result in published.read().values() for name in result.scenarios}:
        text = scenario_text(SCENARIOS / scenario)
        equal_links = '"delay_spread": "0s"' in text
        draws = re.search(DRAWN, text) or not equal_links
        assert bool(draws) == bool(re.search(r'"seeds": "1-[25]"', text)), scenario


def readings_of(*jobs_and_choices):
    """Choices for a mean JCT of DSA, which is 1250 us with one job and 3000 us with eight."""
    return [{"choice": choice, "measure": mean_of("dsa", jobs)} for jobs, choice in jobs_and_choices]


NEAR_1250 = {"published": 1250, "source": "", "accept": {"of": "published", "within": 0.15}}


def test_readings_are_one_row_that_depends_on_the_choice_if_one_of_them_fails(folders):
    readings = readings_of((1, "nothing computed"), (8, "all computed"))
    judged = reproduction.judge_row(row(readings=readings) | NEAR_1250, folders)
    assert judged.verdict == verdicts.DEPENDS
    assert judged.found is None
    assert [(one.row["choice"], one.verdict) for one in judged.choices] == [
        ("nothing computed", verdicts.REPRODUCED), ("all computed", verdicts.NOT_REPRODUCED),
    ]  # fmt: skip


@pytest.mark.parametrize(("own", "other"), [(1, 8), (8, 1)])
def test_a_choice_with_another_verdict_makes_the_row_depend_on_it_in_both_directions(folders, own, other):
    also = readings_of((own, "the same"), (other, "hosts of 1990"))
    keys = {"measure": mean_of("dsa", own), "also": also, "reason": "hosts", "bound": 7, "bound_from": "counting"}
    judged = reproduction.judge_row(row(**keys) | NEAR_1250, folders)
    assert judged.verdict == verdicts.DEPENDS
    assert judged.found is None
    assert not {"reason", "bound"} & set(judged.row)
    reached = {1: (1250, verdicts.REPRODUCED), 8: (3000, verdicts.NOT_REPRODUCED)}
    assert [(one.choice, one.found.mean, one.verdict) for one in judged.choices] == [
        (reproduction.DEFAULT, pytest.approx(reached[own][0]), reached[own][1]),
        ("hosts of 1990", pytest.approx(reached[other][0]), reached[other][1]),
    ]
    assert reproduction.reason_of(judged.choices[0]) == "hosts"
    assert reproduction.reason_of(judged.choices[1]) == ""


def test_a_row_whose_choices_have_its_verdict_is_one_line(folders):
    also = readings_of((1, "the same"))
    judged = reproduction.judge_row(row(measure=mean_of("dsa", 1), also=also) | NEAR_1250, folders)
    assert (judged.verdict, judged.choices) == (verdicts.REPRODUCED, ())
    assert judged.found.mean == pytest.approx(1250)


CONTRARY = {"contrary": "Both papers state a hash."}


def test_a_line_that_is_contrary_to_the_paper_is_shown_but_decides_nothing(folders):
    also = [one | CONTRARY for one in readings_of((8, "by table"))]
    judged = reproduction.judge_row(row(measure=mean_of("dsa", 1), also=also) | NEAR_1250, folders)
    assert judged.verdict == verdicts.REPRODUCED
    assert [(one.choice, one.verdict) for one in judged.choices] == [
        (reproduction.DEFAULT, verdicts.REPRODUCED), ("by table", verdicts.COMPARED),
    ]  # fmt: skip
    assert reproduction.reason_of(judged.choices[1]) == "Both papers state a hash."


def test_a_contrary_line_that_agrees_with_the_default_is_not_shown(folders):
    also = [one | CONTRARY for one in readings_of((1, "by table"))]
    judged = reproduction.judge_row(row(measure=mean_of("dsa", 1), also=also) | NEAR_1250, folders)
    assert (judged.verdict, judged.choices) == (verdicts.REPRODUCED, ())


def test_a_row_is_not_reproduced_by_a_contrary_line_alone(folders):
    hashed, table = readings_of((8, "by hash"), (1, "by table"))
    judged = reproduction.judge_row(row(readings=[hashed, table | CONTRARY]) | NEAR_1250, folders)
    assert judged.verdict == verdicts.NOT_REPRODUCED


def test_lines_by_table_have_no_say_where_the_papers_simulate_a_hash():
    of_simulations = [
        line
        for name in ("D1", "D1-choices", "D1-memory", "D2", "D3", "D4")
        for row in published.read()[name].rows
        if "accept" in row
        for line in (*row.get("readings", []), *row.get("also", []))
    ]
    by_table = [line for line in of_simulations if "by table" in line["choice"]]
    assert by_table
    assert all("contrary" in line for line in by_table)


def test_a_setting_may_be_tuned_in_one_line_alone(folders):
    own, other = readings_of((8, "no time"), (1, "time from this number"))
    judged = reproduction.judge_row(row(readings=[own, other | {"tuned": "60 Gbps"}]) | NEAR_1250, folders)
    assert judged.verdict == verdicts.TUNED
    assert [one.verdict for one in judged.choices] == [verdicts.NOT_REPRODUCED, verdicts.TUNED]
    assert [reproduction.reason_of(one) for one in (judged, *judged.choices)] == ["", "", "60 Gbps"]


def test_choices_never_make_a_tuned_setting_count(folders):
    also = readings_of((8, "all computed"))
    keys = {"measure": mean_of("dsa", 1), "also": also, "tuned": "166 slots"}
    judged = reproduction.judge_row(row(**keys) | NEAR_1250, folders)
    assert judged.verdict == verdicts.TUNED
    assert [reproduction.reason_of(one) for one in (judged, *judged.choices)] == ["166 slots", "", ""]


def test_the_scenarios_of_choices_are_needed_too():
    elsewhere = [{"choice": "a", "in": "made/a.json", "measure": mean_of("dsa", 1)}]
    rows = (row(measure=mean_of("dsa", 1), also=elsewhere), row(readings=elsewhere * 2))
    result = published.Result("X1", "made", "", "", (), (), rows)
    assert result.scenarios == ["made/up.json", "made/a.json"]


def test_a_number_counts_once_where_another_result_explores_it():
    one = reproduction.Row(row(), None, verdicts.REPRODUCED, "", True)
    first = published.Result("X1", "made", "", "", (), (), ())
    again = published.Result("X1-choices", "made", "", "", (), (), (), explores="X1")
    both = [reproduction.Judged(first, (one,)), reproduction.Judged(again, (one, one))]
    assert len(reproduction.counted(both)) == 1
    assert len(reproduction.counted(both[1:])) == 2


def judged_rows(*verdicts_and_keys):
    return [
        reproduction.Row(row(accept={"at_least": 1}) | keys, None, verdict, "", True)
        for verdict, keys in verdicts_and_keys
    ]


def test_the_summary_counts_numbers_apart_from_words():
    rows = judged_rows(
        (verdicts.REPRODUCED, {"published": 1}), (verdicts.DEPENDS, {"published": 1}),
        (verdicts.AS_STATED, {"stated": "all"}), (verdicts.AGREES, OF_BOUND),
        (verdicts.TUNED, {"published": 1, "tuned": "166 slots"}), (verdicts.TUNED, {"published": 1}),
        (verdicts.UNDECIDED, {"stated": "faster"}),
    )  # fmt: skip
    assert list(summary.counted_texts(rows)) == [
        "2 published numbers: 1 reproduced, 1 depends on a choice.",
        "2 published statements without a number: 1 as stated, 1 undecided.",
        "1 further rows agree with arithmetic, but nothing was published about them. 2 rows need a setting "
        "that was chosen because it fits, and therefore confirm nothing.",
    ]


def test_every_number_in_the_summary_is_of_a_row_in_the_files():
    found = published.read()
    for _, places in summary.FINDINGS:
        for name, what, choice in places.values():
            rows = [one for one in found[name].rows if one["what"] == what]
            choices = {
                part.get("choice", reproduction.DEFAULT)
                for one in rows
                for part in published.measured_in(one)
            }
            assert choice in choices, (name, what, choice)


def test_every_verdict_is_explained():
    assert tuple(summary.VERDICTS) == reproduction.VERDICTS


def test_no_setting_that_was_chosen_because_it_fits_is_without_its_mark():
    """The setting is 166 slots per job."""
    for result in published.read().values():
        for one in result.rows:
            starved = "starved" in json.dumps(one) or "166 slots" in json.dumps(one.get("measure"))
            assert not starved or "tuned" in one, (result.id, one["what"])


def named_by(measure, default):
    if isinstance(measure, (int, float)):
        return
    for kind in measures.OF_MEASURES:
        for part in measure.get(kind, []):
            yield from named_by(part, default)
    if "of" in measure:
        yield measure.get("in", default), measure["of"]


def scenario_text(path):
    content = json.loads(path.read_text())
    below = scenario_text(path.parent / content["extends"]) if "extends" in content else ""
    numbers = {str(float(number)) for number in re.findall(r"\b0\.\d+", path.read_text())}
    return path.read_text() + below + " ".join(numbers)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"published": 3}, "`published` without its `source`"),
        ({"bound": 3}, "`bound` without `bound_from`"),
        ({"measure": {"largest": "jobs.jct_us"}}, "no measure"),
        ({"measure": {"median": "jobs.jct_us"}}, "a column that counts"),
        ({"measure": 7}, "a number measures nothing"),
        ({"measure": {"mean": "speed"}}, "TABLE.COLUMN"),
        ({"measure": {"ratio": [1]}}, "allowed: two measures"),
        ({"measure": {"least": []}}, "allowed: a list of measures"),
        ({"cannot": "and it has a measure"}, "allowed: `measure` or `readings`, or why there is none"),
        ({"published": 1, "source": "text", "stated": "matches"}, "`stated` without a number; allowed: `reads_as`"),
        ({"reads_as": 1}, "allowed: `reads_as`, a number for words, with `stated` alone"),
        ({"stated": "matches", "accept": {"at_least": 1}, "trend": {"above": 0}}, "`trend` without `published`"),
        ({"accept": {"at_least": 1}, "agrees": {"above": 0}}, "allowed: `agrees` where `accept` is of the bound"),
        ({"also": []}, "/also: allowed: at least 1"),
        ({"also": [{"choice": "b"}]}, "/also/0: allowed: with `choice` and `measure`"),
        ({"also": [{"choice": "b", "measure": 7}]}, "/b: a number measures nothing"),
        ({"also": [{"choice": "b", "measure": 7, "accept": {}}]}, "found accept; allowed: "),
        ({"accept": {"of": "published", "within": 0.1}}, "allowed: `of`, what the row has"),
        ({"accept": {"within": 0.1}}, "allowed: `of`, what the row has"),
        ({"accept": {"nearly": 1}}, "allowed: one of within"),
        ({"verdict": "reproduced"}, "found verdict; allowed: "),
        ({"accept": {"of": "published", "within": 0.1}, "bound": 1, "bound_from": "counting"}, "what the row has"),
    ],
)
def test_a_file_that_lacks_something_is_refused_with_its_place(tmp_path, change, words):
    content = {"title": "made up", "assumptions": [], "rows": [row(measure={"mean": "jobs.jct_us"}) | change]}
    (tmp_path / "made.json").write_text(json.dumps({"cite": "", "results": {"X1": content}}))
    with pytest.raises(AnalysisError, match=re.escape(words)) as error:
        published.read(tmp_path)
    assert "made.json: /results/X1/rows/0" in str(error.value)


def test_names_are_ids_papers_or_all():
    found = published.read()
    assert [one.id for one in published.chosen(found, ["D1", "A2", "D1"])] == ["D1", "A2"]
    assert len(published.chosen(found, ["all"])) == len(found)
    assert {one.paper for one in published.chosen(found, ["atp"])} == {"atp"}
    assert published.names_of(found, ["d1", "DSA", "a-fig14"]) == ["D1", "dsa", "A-fig14"]
    with pytest.raises(AnalysisError, match='found "X9"; allowed: all, atp, dsa, switchml, A1'):
        published.names_of(found, ["X9"])


def test_without_a_name_the_ids_are_listed_with_their_titles(capsys):
    assert main(["reproduce"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(published.read())
    assert "A-fig14     atp: Beside other traffic" in lines


@pytest.fixture
def made_up(tmp_path, monkeypatch, result_folder):
    """Two results that need the same synthetic scenario; returns the folder for the page."""
    out = tmp_path / "out"
    out.mkdir()
    result_folder("out/up", axes={"/jobs/count": [1, 8]})
    ratio = {"ratio": [mean_of("atp", 8), mean_of("dsa", 8)]}
    rows = [
        row(measure=ratio, published=1.25, source="section 7", accept={"of": "published", "within": 0.1}),
        row(what="<b>&\"", measure=ratio, published=2, source="figure 8", bound=1.3, bound_from="counting",
            accept={"of": "published", "within": 0.1}, trend={"above": 1}, reason="tables <differ>"),
        row(what="accuracy", cannot="nothing is learnt"),
    ]  # fmt: skip
    data = tmp_path / "published"
    data.mkdir()
    figures = [{"in": "made/up.json", "title": "over jobs", "x": "/jobs/count"}]
    content = {"title": "made up", "assumptions": ["hosts take no time"], "figures": figures, "rows": rows}
    others = {"title": "gone", "assumptions": [], "rows": [row(measure=mean_of("dsa", 1)) | {"in": "made/gone.json"}]}
    (data / "made.json").write_text(
        json.dumps({"cite": "Somebody, 2020", "results": {"X1": content, "X2": others}})
    )
    (tmp_path / "papers" / "made").mkdir(parents=True)
    for name in ("up", "gone"):
        scenario = {"description": f"a scenario named {name}"}
        (tmp_path / "papers" / "made" / f"{name}.json").write_text(json.dumps(scenario))
    monkeypatch.setattr(published, "FOLDER", data)
    monkeypatch.setattr(published, "SCENARIOS", str(tmp_path / "papers"))
    return out


class Page(html.parser.HTMLParser):
    """Collects the resources that a page loads or opens, and its cells."""

    def __init__(self, text):
        super().__init__()
        self.links, self.open, self.cells = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("src", "href", "data")]
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open:
            self.cells[-1] += data


def test_the_page_needs_nothing_else_and_has_every_row(made_up, capsys):
    assert main(["reproduce", "X1", "X2", "--out", str(made_up)]) == 0
    assert sorted(path.name for path in made_up.iterdir()) == [
        "X1-X2.html", "X1-X2.pdf", "X1-X2.png", "X1-up.pdf", "X1-up.png", "up",
    ]
    text = (made_up / "X1-X2.html").read_text()
    page = Page(text)
    assert page.open == []
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in page.links)
    assert not re.search(r"<script|@import|url\(|https?:", text)
    assert len(text) < 5e6
    assert '<b>&"' in page.cells
    assert {"reproduced", "trend only", "not simulated", "not run"} <= set(page.cells)
    assert "1.25section 7" in page.cells
    assert "1.25 ± 0 (3 seeds)" in page.cells or any(cell.startswith("1.25 ± ") for cell in page.cells)
    assert "nothing is learnt" in page.cells
    assert "tables <differ>" in page.cells
    assert "hosts take no time" in text
    assert "a scenario named up" in text
    assert "over jobs" in text
    assert len([link for link in page.links if link.startswith("data:")]) == 2
    assert "has not been run to its end" in text
    assert capsys.readouterr().out.endswith(f"{made_up}/X1-X2.html\n")


def changed(made_up, *arguments):
    """The page and the numbers of X1 with options for runs."""
    file = made_up / "numbers.json"
    assert main(["reproduce", "X1", *arguments, "--out", str(made_up), "--json", str(file)]) == 0
    return (made_up / "X1.html").read_text(), json.loads(file.read_text())


def test_a_set_up_that_was_changed_has_no_verdicts_and_the_page_says_so_at_its_top(made_up):
    text, numbers = changed(made_up, "--set", "/payload=none", "--set", "/a b=1")
    verdicts_of = [row["verdict"] for row in numbers["results"][0]["rows"]]
    assert verdicts_of == ["other set-up", "other set-up", "not simulated"]
    assert numbers["set"] == ["/payload=none", "/a b=1"]
    assert "<code>./ina reproduce X1 --set /payload=none --set &#x27;/a b=1&#x27;</code>" in text
    assert text.index("Other set-up than that of the papers: --set /payload=none, /a b=1.") < text.index("<nav>")
    assert "other set-up" in Page(text).cells
    assert not {"reproduced", "trend only"} & set(Page(text).cells)


def test_a_figure_over_a_key_that_was_set_is_left_out(made_up):
    file = published.FOLDER / "made.json"
    file.write_text(file.read_text().replace('"x": "/jobs/count"', '"x": "/jobs/workers"'))
    text, _ = changed(made_up, "--set", "/jobs/workers=2")
    assert text.count("<img") == 1 and "over jobs" not in text
    assert main(["reproduce", "X1", "--out", str(made_up)]) == 2


def test_other_seeds_are_named_and_keep_the_verdicts(made_up):
    text, numbers = changed(made_up, "--seeds", "1-3")
    verdicts_of = [row["verdict"] for row in numbers["results"][0]["rows"]]
    assert verdicts_of == ["reproduced", "trend only", "not simulated"]
    assert numbers["seeds"] == ["1-3"]
    assert "<code>./ina reproduce X1 --seeds 1-3</code>" in text
    assert text.index("Other seeds than those of the scenarios: 1-3.") < text.index("<nav>")


def test_without_options_the_page_has_no_notice(made_up):
    text, numbers = changed(made_up)
    assert "<code>./ina reproduce X1</code>" in text
    assert '<ul class="warnings">' not in text
    assert (numbers["set"], numbers["seeds"]) == ([], [])


def test_a_name_given_twice_is_one(made_up, capsys):
    assert main(["reproduce", "X1", "x1", "--out", str(made_up)]) == 0
    assert capsys.readouterr().out.endswith(f"{made_up}/X1.html\n")
    assert not (made_up / "X1-X1.html").exists()


def test_the_contents_list_every_result_and_every_figure_has_a_caption(made_up):
    assert main(["reproduce", "X1", "X2", "--out", str(made_up)]) == 0
    text = (made_up / "X1-X2.html").read_text()
    sections = re.findall(r'<h2 id="([^"]*)">([^<]*)</h2>', text)
    assert re.findall(r'<li><a href="#([^"]*)">([^<]*)</a>', text[: text.index("</nav>")]) == sections
    assert [name for name, _ in sections] == ["summary", "overview", "X1", "X2"]
    captions = re.findall(r"<figcaption>([^<]+)</figcaption>", text)
    assert len(captions) == text.count("<img") == 2
    assert captions[1].startswith("over jobs (")


@pytest.mark.parametrize(
    ("mean", "half_width", "text"),
    [
        (1.4061, 0.0058, "1.406 ± 0.006"), (814.52, 0.0012, "814.5 ± 0.0"), (2.4, 0.3, "2.40 ± 0.30"),
        (0.0002, 0.9876, "0.00 ± 0.99"), (-0.25, 0.0123, "-0.250 ± 0.012"), (3, 0, "3 ± 0"),
        (123456.7, 890.1, "123457 ± 890"), (14.75, 1e-15, "14.75 ± 0"),
    ],
)  # fmt: skip
def test_a_mean_has_as_many_decimals_as_its_interval(mean, half_width, text):
    found = estimates.Estimate(mean, half_width, 5)
    assert reproduction.estimate_text(found, "us") == f"{text} us (5 seeds)"


def test_a_large_number_has_no_exponent():
    assert reproduction.with_unit(123456.7, "us") == "123457 us"


def test_shares_have_no_more_than_hundredths_of_a_per_cent():
    assert reproduction.estimate_text(estimates.Estimate(1e-8, 9e-8, 2), "%") == "0.00 ± 0.00 % (2 seeds)"
    assert reproduction.with_unit(1e-8, "%") == "0 %"


def test_what_is_printed_has_units_and_shares_in_per_cent():
    found = estimates.estimate([0.25, 0.25])
    rows = [
        reproduction.Row(row(what="lost", unit="%"), found, verdicts.TREND, "", True),
        reproduction.Row(row(what="speed", unit="images/s"), found, verdicts.COMPARED, "", True),
        reproduction.Row(row(what="gone"), None, verdicts.NOT_RUN, "", True),
    ]
    result = published.Result("X1", "made", "", "", (), (), ())
    assert reproduction.text_of([reproduction.Judged(result, tuple(rows))]).splitlines() == [
        "X1  trend only               25 %  lost",
        "X1  for comparison  0.25 images/s  speed",
        "X1  not run" + " " * 24 + "gone",
    ]


def test_the_same_results_make_the_same_files(made_up):
    names = ("X1.html", "X1.png", "X1.pdf")
    before = []
    for _ in range(2):
        assert main(["reproduce", "X1", "--out", str(made_up)]) == 0
        before.append([(made_up / name).read_bytes() for name in names])
    assert before[0] == before[1]


def test_rows_go_to_markdown_on_request(made_up, capsys):
    file = made_up / "rows.md"
    assert main(["reproduce", "X1", "X2", "--out", str(made_up), "--markdown", str(file)]) == 0
    lines = file.read_text().splitlines()
    assert lines[0] == output.MARKDOWN_MARK
    assert "| id | result | reproduced | trend only | not run | not simulated |" in lines
    assert sum(line.startswith("## X") for line in lines) == 2
    (row,) = [line for line in lines if "1.25; section 7" in line]
    assert " | reproduced | " in row
    assert "\\<b\\>&" in file.read_text()
    assert len({line.count(" | ") for line in lines if line.startswith("| what")}) == 1
    file.write_text("mine")
    capsys.readouterr()
    assert main(["reproduce", "X1", "--out", str(made_up), "--markdown", str(file)]) == 2
    assert "--markdown" in capsys.readouterr().err


def test_the_table_in_the_repository_has_every_row_of_the_files():
    lines = (SCENARIOS / "README.md").read_text().splitlines()
    for result in published.read().values():
        begin = lines.index(f"## {result.id}: {result.title}")
        section = itertools.takewhile(lambda line: line.startswith("| "), lines[begin + 4 :])
        rows = [line for line in section if not line.startswith("| - ")]  # lines with "| - " are choices
        for row, line in zip(result.rows, rows, strict=True):
            assert line.startswith(f"| {markdown_table.escaped(row['what'])} | ")
            assert " | not run | " not in line


def test_numbers_go_to_a_file_on_request(made_up):
    file = made_up / "numbers.json"
    assert main(["reproduce", "X1", "--out", str(made_up), "--json", str(file)]) == 0
    content = json.loads(file.read_text())
    assert content["written_by"] == "ina reproduce --json"
    first, second, third = content["results"][0]["rows"]
    assert first["simulated"] == pytest.approx(1.25)
    assert (first["verdict"], second["verdict"], third["verdict"]) == (
        "reproduced", "trend only", "not simulated",
    )  # fmt: skip
    assert third["why"] == "nothing is learnt"


def test_a_page_of_somebody_else_is_not_replaced(made_up, capsys):
    (made_up / "X1.html").write_text("<!DOCTYPE html>\nmine")
    assert main(["reproduce", "X1", "--out", str(made_up)]) == 2
    assert "X1.html contains something" in capsys.readouterr().err
    assert (made_up / "X1.html").read_text().endswith("mine")


@pytest.mark.parametrize("below", ["", "/folder"], ids=["a file", "below a file"])
def test_an_out_where_a_file_is_in_the_way_is_refused(tmp_path, capsys, below):
    (tmp_path / "mine").write_text("mine")
    assert main(["reproduce", "S2", "--out", f"{tmp_path}/mine{below}"]) == 2
    assert capsys.readouterr().err == (
        f"ina: --out: {tmp_path}/mine{below}: a file is in the way; allowed: a folder, or where one "
        "can be made\n"
    )
    assert (tmp_path / "mine").read_text() == "mine"


def program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_it_runs_what_is_needed_with_the_options_of_runs(made_up, tmp_path, capfd):
    simulator = program(tmp_path / "sim", f'echo "$*" >>{tmp_path}/calls')
    arguments = ["X1", "X2", "--seeds", "1-2", "--set", "/payload=none", "--parallel", "1", "--replace"]
    status = main(["reproduce", *arguments, "--out", str(made_up), "--program", simulator])
    assert status == 0
    calls = (tmp_path / "calls").read_text().splitlines()
    papers = published.SCENARIOS
    assert calls == [
        f"run --out {made_up} --seeds 1-2 --set /payload=none --parallel 1 --replace {papers}/made/{name}.json"
        for name in ("up", "gone")
    ]
    assert "ina: reproduce: 2 of 2: made/gone.json" in capfd.readouterr().err


def test_a_run_that_fails_does_not_keep_the_page_from_being_written(made_up, tmp_path):
    simulator = program(tmp_path / "sim", "exit 3")
    assert main(["reproduce", "X1", "--out", str(made_up), "--program", simulator]) == 3
    assert (made_up / "X1.html").exists()


@pytest.mark.parametrize("status", [2, 130, 143])
def test_bad_input_or_an_interruption_ends_it_without_a_page(made_up, tmp_path, status):
    simulator = program(tmp_path / "sim", f"echo called >>{tmp_path}/calls; exit {status}")
    assert main(["reproduce", "X1", "X2", "--out", str(made_up), "--program", simulator]) == status
    assert (tmp_path / "calls").read_text() == "called\n"
    assert not (made_up / "X1-X2.html").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_simulator_and_then_the_command(tmp_path, number):
    simulator = program(tmp_path / "sim", f"echo $$ >{tmp_path}/started; exec sleep 600")
    command = [sys.executable, "-P", "-m", "analysis", "reproduce", "S2", "--out", str(tmp_path / "out")]
    with subprocess.Popen(
        [*command, "--program", simulator], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
    ) as started:
        while not (tmp_path / "started").exists() or not (tmp_path / "started").read_text():
            time.sleep(0.01)
        started.send_signal(number)
        assert started.wait() == 143
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "started").read_text()), 0)
    assert not (tmp_path / "out" / "S2.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--workflow", "nowhere"], '--workflow: found "nowhere"; allowed: local, slurm, or the folder'),
        (["--workflow", "--parallel", "0"], '--parallel: found "0"; allowed: a number from 1'),
    ],
)
def test_what_no_workflow_can_do_is_refused(made_up, tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    program(tmp_path / "snakemake", f"touch {tmp_path}/called")
    simulator = program(tmp_path / "sim", f"touch {tmp_path}/called")
    assert main(["reproduce", "X1", *arguments, "--out", str(made_up), "--program", simulator]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "called").exists()


def test_a_workflow_without_snakemake_is_refused(made_up, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["reproduce", "X1", "--workflow", "--out", str(made_up), "--program", "sim"]) == 2
    assert "--workflow: no snakemake; allowed: after apt-get install" in capsys.readouterr().err


def test_a_page_is_known_by_its_mark(made_up):
    main(["reproduce", "X1", "--out", str(made_up)])
    assert output.own_mark(made_up / "X1.html") == output.HTML

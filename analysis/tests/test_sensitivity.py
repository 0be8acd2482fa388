# SPDX-License-Identifier: BSD-3-Clause
"""Ranges, screening, elasticities and reversed orders."""

import json
import math
import random

import pytest

from analysis import scenario_keys
from analysis.__main__ import main
from analysis.report import page as report_page
from analysis.results import AnalysisError, read
from analysis.sensitivity import findings, morris, noted, outcomes, page, ranges, scenario, settings, tornado
from analysis.tests.test_json import validator_of

AT_POINT = settings.AT_POINT


def change_of(key, *values):
    """A Change with a setting for each value, named like the value."""
    return settings.Change(
        ranges.Range(key, values, "a test"),
        tuple(settings.Setting(ranges.text_of(value), {key: value}) for value in values),
    )


def jcts_of(**by_variant):
    """{variant: {seed: ms}} from lists of JCTs, for the seeds 1, 2, ..."""
    return {name: {str(seed): jct for seed, jct in enumerate(jcts, 1)} for name, jcts in by_variant.items()}


# Ranges


def test_every_range_is_of_a_key_that_scenarios_have_and_names_its_source():
    table = ranges.table()
    unknown = [key for one in table.values() for key in (one.key, *one.also) if not scenario_keys.is_key(key)]
    assert unknown == []
    assert all(len(one.source) > 10 for one in table.values())


def test_the_values_of_a_range_differ_and_a_range_of_numbers_ascends():
    for one in ranges.table().values():
        assert len(set(map(ranges.text_of, one.values))) == len(one.values) >= 2
        assert one.ends is None or one.ends[0] < one.ends[1], one.key


def test_levels_begin_and_end_with_the_ends_and_are_whole_numbers_of_the_least_unit():
    memory = ranges.Range("/switch/memory_bytes", ("1MB", "8MB"), "")
    assert [memory.level(index, 4) for index in range(4)] == ["1MB", "3333333B", "5666667B", "8MB"]
    jobs = ranges.Range("/jobs/iterations", (1, 5), "")
    assert [jobs.level(index, 4) for index in range(4)] == [1, 2, 4, 5]


def test_levels_of_a_wide_range_are_equally_spaced_by_their_logarithms():
    timeout = ranges.Range("/dsa/min_rto", ("1us", "1ms"), "")
    assert [timeout.level(index, 4) for index in range(4)] == ["1us", "10000000ps", "100000000ps", "1ms"]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_each_step_of_the_screening_changes_an_alternative(count):
    one = ranges.Range("/switch/hash", tuple("abcd"[:count]), "")
    for level in range(morris.STEP):
        assert one.level(level, morris.LEVELS) != one.level(level + morris.STEP, morris.LEVELS)


def test_a_range_on_the_command_line_takes_precedence_and_has_the_values_of_set():
    chosen = ranges.chosen(["/switch/memory_bytes=2MB..4MB,/atp/rehash=false..true", "/switch/hash"])
    assert chosen["/switch/memory_bytes"].values == ("2MB", "4MB")
    assert chosen["/atp/rehash"].values == (False, True)
    assert chosen["/switch/hash"] == ranges.table()["/switch/hash"]
    assert list(chosen) == ["/switch/memory_bytes", "/atp/rehash", "/switch/hash"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/switch/memory", 'found "/switch/memory"; allowed: a key of scenarios'),
        ("/nothing=1..2", 'found "/nothing"; allowed: a key of scenarios'),
        ("/topology/hosts", "/topology/hosts has no range; allowed: /topology/hosts=LOW..HIGH"),
        ("/topology/hosts=8", 'found "8"; allowed: two values'),
        ("/topology/hosts=8..8", 'found "8..8"; allowed: two values'),
    ],
)
def test_a_key_that_cannot_be_changed_is_refused_with_what_is_allowed(text, said):
    with pytest.raises(AnalysisError) as error:
        ranges.chosen([text])
    assert said in str(error.value)


# Screening


def linear(point):
    shares = [level / (morris.LEVELS - 1) for level in point.values()]
    return 3.0 + sum(coefficient * share for coefficient, share in zip((5, -2, 0), shares))


def test_a_linear_function_has_its_coefficients_as_effects_with_no_deviation():
    steps = [step for steps in morris.trajectories("abc", 6, seed=3) for step in steps]
    found = morris.effects(steps, lambda point: linear(dict(sorted(point.items()))))
    for factor, coefficient in zip("abc", (5, -2, 0)):
        assert found[factor].mean == pytest.approx(coefficient)
        assert found[factor].mean_absolute == pytest.approx(abs(coefficient))
        assert found[factor].deviation == pytest.approx(0, abs=1e-12)
        assert found[factor].count == 6


def test_the_effects_of_a_product_depend_on_the_other_factor():
    steps = [step for steps in morris.trajectories("ab", 40, seed=1) for step in steps]
    found = morris.effects(steps, lambda point: point["a"] * point["b"])
    assert min(one.deviation for one in found.values()) > 0.1


def test_effects_that_cancel_out_count_by_their_size():
    assert morris.summary([1.0, -1.0]) == morris.Effects(0.0, 1.0, math.sqrt(2), 2)


def test_a_trajectory_changes_each_factor_once_by_half_of_the_levels():
    for steps in morris.trajectories("abcd", 25, seed=7):
        assert sorted(step.factor for step in steps) == list("abcd")
        for step in steps:
            moves = {key: step.after[key] - step.before[key] for key in step.before}
            assert {key: abs(move) for key, move in moves.items() if move} == {step.factor: morris.STEP}
            assert all(level in range(morris.LEVELS) for level in step.after.values())


def test_the_seed_draws_the_trajectories():
    assert morris.trajectories("abc", 4, 1) == morris.trajectories("abc", 4, 1) != morris.trajectories("abc", 4, 2)


def test_steps_without_a_result_are_left_out():
    steps = [step for steps in morris.trajectories("ab", 5, seed=1) for step in steps]
    lost = steps[0].before
    found = morris.effects(steps, lambda point: None if point == lost else 1.0)
    kept = [step for step in steps if lost not in (step.before, step.after)]
    assert sum(one.count for one in found.values()) == len(kept) < len(steps)


# Elasticities and reversed orders


def test_a_power_of_a_key_has_its_exponent_as_elasticity():
    change = change_of("/topology/link/rate", "10Gbps", "40Gbps")
    jcts = {"point": jcts_of(A=[4.0]), "10Gbps": jcts_of(A=[8.0]), "40Gbps": jcts_of(A=[2.0])}
    (row,) = outcomes.Outcomes(jcts, [outcomes.Subject("A")]).rows([change])
    assert row.elasticity == pytest.approx(-1)
    assert row.change == pytest.approx(-1.5)


@pytest.mark.parametrize("values", [("0ns", "200ns"), (False, True), ("hash", "table")])
def test_without_numbers_above_0_at_both_ends_there_is_a_relative_change_only(values):
    change = change_of("/a", *values)
    low, high = (setting.name for setting in change.settings)
    jcts = {"point": jcts_of(A=[2.0]), low: jcts_of(A=[2.0]), high: jcts_of(A=[3.0])}
    (row,) = outcomes.Outcomes(jcts, [outcomes.Subject("A")]).rows([change])
    assert (row.elasticity, row.change) == (None, 0.5)


def test_of_several_alternatives_a_row_has_those_with_the_least_and_the_largest_result():
    change = change_of("/switch/hash", "crc16", "crc32", "ideal")
    of_settings = {"point": 2.0, "crc16": 2.5, "crc32": 4.0, "ideal": 1.0}
    jcts = {name: jcts_of(A=[jct]) for name, jct in of_settings.items()}
    (row,) = outcomes.Outcomes(jcts, [outcomes.Subject("A")]).rows([change])
    assert (row.low, row.at_low, row.high, row.at_high) == ("ideal", 1.0, "crc32", 4.0)


def test_ratios_are_to_the_baseline_or_of_all_pairs():
    names = [one.name for one in outcomes.subjects_of("ABC", "B")]
    assert names == ["A / B", "C / B", "A", "B", "C"]
    names = [one.name for one in outcomes.subjects_of("ABC", None)]
    assert names == ["B / A", "C / A", "C / B", "A", "B", "C"]


RATIO = outcomes.Subject("ATP", "DSA")


def turns_of(by_setting, *changes):
    jcts = {name: jcts_of(ATP=atp, DSA=dsa) for name, (atp, dsa) in by_setting.items()}
    return outcomes.Outcomes(jcts, [RATIO]).turns(changes, lambda key: "own")


def test_a_key_that_turns_the_order_of_two_variants_around_is_named():
    change = change_of("/switch/memory_bytes", "1MB", "20MB")
    jcts = {"point": ([1.1], [1.0]), "1MB": ([2.0], [1.0]), "20MB": ([1.0], [1.25])}
    (turn,) = turns_of(jcts, change)
    assert turn.text == (
        "ATP is faster than DSA with /switch/memory_bytes = 20MB (1.25 times), slower with 1MB (2.00 times)"
    )


def test_the_point_may_be_one_side_of_a_turned_order():
    jcts = {"point": ([3.0], [1.0]), "a": ([2.0], [1.0]), "b": ([1.0], [2.0])}
    (turn,) = turns_of(jcts, change_of("/k", "a", "b"))
    assert (turn.first_at, turn.second_at) == ("b", "own")


def test_an_order_that_stays_is_not_named():
    jcts = {"point": ([2.0], [1.0]), "a": ([1.5], [1.0]), "b": ([9.0], [1.0])}
    assert turns_of(jcts, change_of("/k", "a", "b")) == []


def test_a_side_whose_interval_over_seeds_contains_1_does_not_count():
    certain, uncertain = ([0.80, 0.81, 0.79], [1.0, 1.0, 1.0]), ([0.80, 1.30, 0.70], [1.0, 1.0, 1.0])
    others = {"point": ([2.0, 2.1, 1.9], [1.0, 1.0, 1.0]), "a": ([2.0, 2.1, 1.9], [1.0, 1.0, 1.0])}
    change = change_of("/k", "a", "b")
    assert len(turns_of({**others, "b": certain}, change)) == 1
    assert turns_of({**others, "b": uncertain}, change) == []


def test_at_most_three_keys_are_named_the_most_decided_first():
    chance = random.Random(1)
    changes = [change_of(f"/k{index}", f"a{index}", f"b{index}") for index in range(5)]
    jcts = {"point": ([2.0], [1.0])}
    factors = [1.1, 1.9, 1.3, 1.7, 1.5]
    for index, factor in enumerate(factors):
        jcts |= {f"a{index}": ([2.0 + chance.random()], [1.0]), f"b{index}": ([1.0], [factor])}
    assert [turn.key for turn in turns_of(jcts, *changes)] == ["/k1", "/k3", "/k4"]


# Scenarios


@pytest.fixture
def scenario_file(tmp_path):
    def write(content, name="one.json"):
        path = tmp_path / name
        path.write_text(json.dumps(content))
        return path

    return write


VARIANTS = {"A": {"system": "atp"}, "B": {"system": "dsa"}}


def test_a_scenario_has_the_systems_of_its_variants_or_of_its_sweep(scenario_file):
    assert scenario.read(scenario_file({"variants": VARIANTS}), []).systems == {"A": "atp", "B": "dsa"}
    assert scenario.read(scenario_file({"variants": {"A": {}}}), []).systems == {"A": "dsa"}
    swept = scenario.read(scenario_file({"sweep": {"/system": ["atp", "dsa"]}}), [])
    assert swept.systems == {"ATP": "atp", "DSA": "dsa"}


def test_a_value_is_that_of_set_of_the_file_of_what_it_extends_or_the_default(scenario_file):
    scenario_file({"switch": {"memory_bytes": "1MB", "hash": "crc16"}, "jobs": [{"iterations": 3}]}, "below.json")
    path = scenario_file({"extends": "below.json", "switch": {"memory_bytes": "2MB"}})
    one = scenario.read(path, ["/switch/buffer_bytes=3MB"])
    keys = ["/switch/buffer_bytes", "/switch/memory_bytes", "/switch/hash", "/jobs/0/iterations"]
    assert [one.value(key) for key in keys] == ["3MB", "2MB", "crc16", 3]
    assert one.value("/switch/passes") == "free"
    assert one.value("/atp/max_window_packets") is None


def test_several_points_are_refused_unless_set_chooses_one(scenario_file):
    path = scenario_file({"variants": VARIANTS, "sweep": {"/jobs/count": [1, 2]}})
    with pytest.raises(AnalysisError, match=r"/sweep: 2 values of /jobs/count; allowed: one point, chosen by --set"):
        scenario.read(path, []).check_point()
    scenario.read(path, ["/jobs/count=2"]).check_point()


def test_one_variant_is_refused(scenario_file):
    with pytest.raises(AnalysisError, match="only A; allowed: two variants or more, or swept systems"):
        scenario.read(scenario_file({"variants": {"A": {"system": "atp"}}}), []).check_point()


def test_keys_of_systems_that_do_not_run_and_of_links_that_are_not_there_are_unused(scenario_file):
    one = scenario.read(scenario_file({"variants": VARIANTS}), [])
    assert one.why_unused("/ring/min_rto") == "no variant has the system ring"
    assert one.why_unused("/topology/uplink/framing_bytes") == "there is one switch"
    assert one.why_unused("/dsa/min_rto") == one.why_unused("/topology/link/delay") == ""
    racks = scenario.read(scenario_file({"topology": {"racks": 2}}), [])
    assert racks.why_unused("/topology/uplink/framing_bytes") == ""


def test_a_value_that_the_scenario_has_is_its_point_and_does_not_run_again(scenario_file):
    one = scenario.read(scenario_file({"dsa": {"min_rto": "1000us"}}), [])
    table = ranges.table()
    at = [setting is AT_POINT for setting in settings.change_of(table["/dsa/min_rto"], one).settings]
    assert at == [False, True]
    at = [setting is AT_POINT for setting in settings.change_of(table["/switch/passes"], one).settings]
    assert at == [True, False, False]


def test_keys_that_move_together_get_the_same_value():
    one = ranges.table()["/dsa/max_window_packets"]
    setting = settings.setting_of(one, 100)
    assert setting.values == {"/dsa/max_window_packets": 100, "/dsa/initial_window_packets": 100}
    assert setting.name == "dsa-max_window_packets-100"


# Page, figure, and output of other commands


@pytest.fixture
def found():
    changes = [change_of("/switch/memory_bytes", "1MB", "20MB"), change_of("/switch/passes", "free", "charged")]
    jcts = {
        "point": jcts_of(ATP=[1.1, 1.2], DSA=[1.0, 1.1]), "1MB": jcts_of(ATP=[2.0, 2.1], DSA=[1.0, 1.1]),
        "20MB": jcts_of(ATP=[1.0, 1.1], DSA=[2.0, 2.2]), "free": jcts_of(ATP=[1.1, 1.2], DSA=[1.0, 1.1]),
        "charged": jcts_of(ATP=[1.3, 1.4], DSA=[1.0, 1.1]),
    }  # fmt: skip
    screening = settings.screening_of({one.range.key: one.range for one in changes}, 2, 1)
    jcts |= {one.name: jcts["point"] for one in screening.settings.values()}
    return findings.of(
        "example", {"file": "example.json", "set": ["/jobs/count=8"], "seeds": [1, 2]}, {}, changes,
        {"/ring/min_rto": "no variant has the system ring"}, [], (screening, 1, 2), jcts,
        outcomes.subjects_of(["ATP", "DSA"], "DSA"), lambda key: "5MB",
    )  # fmt: skip


def test_the_page_names_what_turns_the_order_ranges_sources_and_what_was_skipped(found):
    text = page.page(found, [])
    for part in ("ATP is faster than DSA with /switch/memory_bytes = 20MB", "1MB to 20MB", "a test",
                 "/ring/min_rto was skipped: no variant has the system ring", "seed 1", "/jobs/count=8"):
        assert part in text


def test_bars_lead_from_the_point_to_both_ends_the_longest_first(found):
    (figure,) = tornado.draw(found.rows)
    panel = figure.axes[0]
    assert panel.get_title() == "ATP / DSA"
    assert [tick.get_text() for tick in panel.get_yticklabels()] == ["Switch memory", "Switch passes"]
    row = found.rows[0]
    bars = [bar for container in panel.containers[:2] for bar in container.patches]
    assert [bar.get_x() for bar in bars] == pytest.approx([row.at_point] * 2)
    assert sorted(bar.get_x() + bar.get_width() for bar in bars) == pytest.approx(sorted([row.at_low, row.at_high]))


def test_its_json_is_as_the_schema_says(found):
    validator_of("sensitivity").validate({"written_by": noted.WRITER, **found.to_json()})


@pytest.fixture
def examined(result_folder, found):
    """A result folder for which the command has been run."""
    folder = result_folder()
    (folder / noted.FOLDER).mkdir()
    content = {"written_by": noted.WRITER, **found.to_json()}
    (folder / noted.FOLDER / noted.FILE).write_text(json.dumps(content))
    return folder


def test_report_and_compare_mention_what_turned_the_order_of_their_folder(examined, result_folder, capsys):
    sentence = "ATP is faster than DSA with /switch/memory_bytes = 20MB"
    assert sentence in report_page.page(read(examined))
    assert main(["compare", str(examined), str(examined)]) == 0
    assert sentence in capsys.readouterr().out
    other = result_folder("other")
    assert "Sensitivity" not in report_page.page(read(other))
    main(["compare", str(other), str(other)])
    assert "Sensitivity" not in capsys.readouterr().out


def test_a_file_that_the_command_did_not_write_is_named(examined):
    (examined / noted.FOLDER / noted.FILE).write_text("{}")
    with pytest.raises(AnalysisError, match="not a page of ina sensitivity"):
        noted.noted(examined)


# Wrong input, rejected without a simulator


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "FILE"),
        (["a.json", "--keys", "/nothing"], 'found "/nothing"'),
        (["a.json", "--trajectories", "-1"], 'found "-1"; allowed: a whole number'),
    ],
)
def test_wrong_arguments_end_with_one_line_and_status_2(arguments, said, capsys):
    assert main(["sensitivity", "--program", "/nowhere", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1

# SPDX-License-Identifier: BSD-3-Clause
"""The comparison over seeds: intervals of ratios, verdicts on a margin, and required seeds."""

import math
import random

import pytest

from analysis import equivalence, estimates
from analysis.__main__ import main

MARGIN = 0.015
DRAWS = 2000


def statistical(*arguments, capsys):
    status = main(["compare", "--statistical", *map(str, arguments)])
    return status, capsys.readouterr()


def test_a_common_factor_is_certain_with_the_same_seeds():
    before = {"1": 1.0, "2": 2.0, "3": 4.0}
    found = equivalence.ratio(before, {seed: 1.03 * value for seed, value in before.items()})
    assert (found.value, found.low, found.high) == pytest.approx((1.03, 1.03, 1.03))


# By hand: means of 10, variances of 1, and 3 seeds each give 4 degrees of freedom and t = 2.776.
def test_other_seeds_have_welchs_interval():
    found = equivalence.ratio({"1": 9, "2": 10, "3": 11}, {"4": 9, "5": 10, "6": 11})
    half = 2.776 * math.sqrt(2 / 3) / 10
    assert (found.value, found.low, found.high) == pytest.approx((1, 1 - half, 1 + half), rel=1e-4)


def test_one_seed_has_no_interval():
    found = equivalence.ratio({"1": 10.0}, {"2": 10.0, "3": 10.0})
    assert (found.value, found.low, found.high) == (1, None, None)
    assert not found.is_within(MARGIN)
    assert not found.is_outside(MARGIN)


@pytest.mark.parametrize("spread", [0.005, 0.01])
def test_as_many_seeds_as_needed_tell_twice_the_margin_from_nothing(spread):
    draw = random.Random(1)
    exact = [1 - spread, 1 + spread, 1 - spread, 1 + spread]  # their standard deviation is 1.15 * spread
    spread = math.sqrt(estimates.variance(exact))
    seeds = equivalence.seeds_needed(exact, MARGIN)

    def sample(mean):
        return {str(draw.random()): draw.gauss(mean, mean * spread) for _ in range(seeds)}

    def share(mean, holds):
        found = [equivalence.ratio(sample(1), sample(mean)) for _ in range(DRAWS)]
        return sum(holds(one) for one in found) / DRAWS

    assert share(1, lambda one: one.is_within(MARGIN)) > 0.995
    assert share(1 + 2 * MARGIN, lambda one: one.is_outside(MARGIN)) > 0.995


def test_equivalence_is_wrong_in_few_cases_at_the_margin_itself():
    draw = random.Random(2)

    def sample(mean):
        return {str(draw.random()): draw.gauss(mean, 0.01 * mean) for _ in range(12)}

    found = [equivalence.ratio(sample(1), sample(1 + MARGIN)) for _ in range(DRAWS)]
    assert sum(one.is_within(MARGIN) for one in found) / DRAWS < 0.04


def test_a_spread_that_no_seeds_make_up_for_says_so():
    assert equivalence.seeds_needed([1, 10], MARGIN) is None


def test_the_same_seeds_pass_and_a_slowdown_of_3_percent_does_not(result_folder, capsys):
    before = result_folder("a")
    margin = ("--tolerance", MARGIN)
    status, output = statistical(before, result_folder("b"), *margin, capsys=capsys)
    assert status == 0
    assert output.out.endswith("12 points at a tolerance of 1.5%: 12 same\n")
    status, output = statistical(before, result_folder("c", scale=1.03), *margin, capsys=capsys)
    assert status == 1
    assert output.out.endswith("12 points at a tolerance of 1.5%: 12 different\n")


def test_too_few_seeds_are_inconclusive_and_it_says_how_many_would_decide(result_folder, capsys):
    pair = result_folder("a"), result_folder("b", seeds=(4, 5), scale=0.96)
    status, output = statistical(*pair, capsys=capsys)
    assert status == 5
    assert "12 inconclusive" in output.out
    assert " seeds of each would decide)" in output.out
    pair = result_folder("c"), result_folder("d", seeds=(4,))
    status, output = statistical(*pair, capsys=capsys)
    assert status == 5
    assert output.out.count("inconclusive (at least 2 seeds of each would decide)") == 12


@pytest.mark.parametrize("is_paired", [True, False])
def test_as_many_seeds_as_would_decide_do_if_ratio_and_spread_stay(is_paired):
    def ratio_of(seeds):
        """The ratio of samples whose deviation is 2 % for any even number of seeds."""
        signs = [1 - 2 * (seed % 2) for seed in range(seeds)]
        scale = 0.02 * math.sqrt((seeds - 1) / seeds)
        before = {str(seed): 1.0 + (0 if is_paired else scale * sign) for seed, sign in enumerate(signs)}
        other = 0 if is_paired else seeds
        after = {str(seed + other): 1.005 + scale * sign for seed, sign in enumerate(signs)}
        return equivalence.ratio(before, after)

    needed = ratio_of(4).seeds_to_decide(MARGIN)
    assert needed % 2 == 1 or not ratio_of(needed - 2).is_within(MARGIN)
    assert not ratio_of(4).is_within(MARGIN)
    assert ratio_of(needed + needed % 2).is_within(MARGIN)
    assert not ratio_of(needed - 2 - needed % 2).is_within(MARGIN)


def test_a_ratio_at_the_margin_is_decided_by_no_number_of_seeds():
    assert equivalence.Ratio(1 + MARGIN, 0.02, 0.01).seeds_to_decide(MARGIN) is None
    assert equivalence.Ratio(1.0149, 0.1, 0.5).seeds_to_decide(MARGIN) is None


def test_no_interval_reaches_below_0():
    found = equivalence.ratio({"1": 1.0, "2": 9.0}, {"1": 9.0, "2": 1.0})
    assert found.low == 0
    assert found.high > 2


def test_seeds_of_both_are_paired_if_each_has_others_besides():
    before = {str(seed): 10.0 + seed for seed in range(1, 9)}
    after = {seed: 1.01 * value for seed, value in before.items() if seed != "1"} | {"9": 40.0}
    found = equivalence.ratio(before, after)
    assert (found.value, found.low, found.high) == pytest.approx((1.01, 1.01, 1.01))


def test_students_t_is_exact_beyond_tables():
    assert estimates.t_975(1) == pytest.approx(12.7062, abs=1e-4)
    assert estimates.t_975(30) == pytest.approx(2.0423, abs=1e-4)
    assert estimates.t_975(120) == pytest.approx(1.9799, abs=1e-4)
    assert estimates.t_975(2.5) > estimates.t_975(3)


def test_more_jobs_that_fail_are_a_difference(result_folder, capsys):
    def fails(values, system):
        return system == "atp"

    pair = result_folder("a"), result_folder("b", fails=fails)
    status, output = statistical(*pair, capsys=capsys)
    assert status == 1
    assert "4 other failures" in output.out

# SPDX-License-Identifier: BSD-3-Clause
"""`compare`: the verdict on two result folders."""

import json

import pytest

from analysis.__main__ import main


def compared(*arguments, capsys):
    status = main(["compare", *map(str, arguments)])
    return status, capsys.readouterr()


def test_equal_folders_pass(result_folder, capsys):
    status, output = compared(result_folder("a"), result_folder("b"), capsys=capsys)
    assert status == 0
    assert output.out.endswith("12 points at a tolerance of 2.0%: 12 same\n")


@pytest.mark.parametrize(("scale", "status"), [(1.019, 0), (1.021, 1), (0.981, 0), (0.979, 1)])
def test_a_curve_may_move_within_the_tolerance(result_folder, capsys, scale, status):
    pair = result_folder("a"), result_folder("b", scale=scale)
    assert compared(*pair, capsys=capsys)[0] == status


def test_tolerance_can_be_chosen(result_folder, capsys):
    pair = result_folder("a"), result_folder("b", scale=1.05)
    assert compared(*pair, "--tolerance", "0.06", capsys=capsys)[0] == 0
    assert compared(*pair, "--tolerance", "0", capsys=capsys)[0] == 1


@pytest.mark.parametrize("tolerance", ["-0.1", "nan", "much"])
def test_tolerance_is_a_share(result_folder, capsys, tolerance):
    pair = result_folder("a"), result_folder("b")
    assert compared(*pair, "--tolerance", tolerance, capsys=capsys)[0] == 2


def test_variants_are_joined_by_name(result_folder, capsys):
    one = result_folder("a", variants={"A": "dsa", "B": "dsa"})
    two = result_folder("b", variants={"B": "dsa", "C": "dsa"})
    assert compared(one, one, capsys=capsys)[0] == 0
    status, output = compared(one, two, capsys=capsys)
    assert status == 1
    assert "12 points" in output.out
    for count in ("4 only in A", "4 same", "4 only in B"):
        assert count in output.out
    status, output = compared(one, result_folder("c", systems=("dsa",)), capsys=capsys)
    assert status == 2
    assert "sweeps variant, /jobs/count" in output.err


def test_missing_points_fail_on_either_side(result_folder, capsys):
    many = result_folder("many", systems=("atp", "dsa"))
    few = result_folder("few", systems=("dsa",))
    for pair, verdict in (((many, few), "4 only in A"), ((few, many), "4 only in B")):
        status, output = compared(*pair, capsys=capsys)
        assert status == 1
        assert verdict in output.out


@pytest.mark.parametrize("options", [(), ("--statistical",)])
def test_seeds_that_both_have_are_compared_and_found_identical(result_folder, capsys, options):
    pair = result_folder("a"), result_folder("b", seeds=(1, 3, 4))
    status, output = compared(*pair, *options, capsys=capsys)
    assert status == 0
    assert output.out.endswith(": 12 identical where seeds are common\n")


def test_means_are_those_over_common_seeds(result_folder, capsys):
    pair = result_folder("a"), result_folder("b", seeds=(1, 3, 40), scale=1.01)
    assert compared(*pair, capsys=capsys)[0] == 0
    assert compared(*pair, "--tolerance", "0.009", capsys=capsys)[0] == 1


def test_means_and_ratio_of_a_row_agree_and_seeds_are_named(result_folder, tmp_path, capsys):
    pair = result_folder("a", seeds=(1, 2, 3, 4)), result_folder("b", seeds=(3, 4, 5, 6), scale=1.3)
    file = tmp_path / "table.json"
    for options in ((), ("--statistical",)):
        _, output = compared(*pair, *options, "--json", file, capsys=capsys)
        assert " seeds A  seeds B  common " in output.out
        for point in json.loads(file.read_text())["points"]:
            assert point["ratio"] == pytest.approx(point["jct_ms_b"] / point["jct_ms_a"])


@pytest.mark.parametrize("seeds", [(1,), (1, 2, 3)])
@pytest.mark.parametrize("options", [(), ("--statistical",)])
def test_what_is_identical_is_the_same_whatever_the_number_of_seeds(result_folder, capsys, options, seeds):
    pair = result_folder("a", seeds=seeds), result_folder("b", seeds=seeds)
    status, output = compared(*pair, *options, capsys=capsys)
    assert (status, output.out.splitlines()[-1].partition(": ")[2]) == (0, "12 same")


def test_one_common_seed_of_many_decides_nothing(result_folder, capsys):
    pair = result_folder("a", seeds=(1, 2, 3)), result_folder("b", seeds=(3, 4, 5))
    status, output = compared(*pair, "--statistical", "--tolerance", "0.01", capsys=capsys)
    assert status == 5
    assert "12 inconclusive" in output.out


def test_failures_that_both_have_are_shown(result_folder, capsys):
    folder = result_folder("a", fails=lambda values, system: system == "atp")
    status, output = compared(folder, folder, capsys=capsys)
    assert status == 0
    assert " failed A  failed B " in output.out


def test_folders_without_a_common_seed_have_no_exact_comparison(result_folder, capsys):
    pair = result_folder("a"), result_folder("b", seeds=(4, 5))
    status, output = compared(*pair, capsys=capsys)
    assert status == 1
    assert output.out.endswith(": 12 no common seed\n")


@pytest.mark.parametrize("options", [(), ("--statistical",)])
@pytest.mark.parametrize("many", [False, True], ids=["some jobs", "all jobs"])
def test_jobs_that_fail_are_a_difference(result_folder, tmp_path, capsys, options, many):
    def fails(values, system):
        return many or system == "atp"

    pair = result_folder("a"), result_folder("b", fails=fails)
    file = tmp_path / "table.json"
    for one, two, column in ((*pair, "failed_jobs_b"), (*pair[::-1], "failed_jobs_a")):
        status, output = compared(one, two, *options, "--json", file, capsys=capsys)
        assert status == 1
        assert f"{12 if many else 4} other failures" in output.out
        content = json.loads(file.read_text())
        assert content["passes"] is False
        failed = [row for row in content["points"] if row[column]]
        assert {row["verdict"] for row in failed} == {"other failures"}
        assert {row[column] for row in failed} == {6}  # two jobs, three seeds
    assert compared(pair[1], pair[1], *options, capsys=capsys)[0] == 0


def test_the_order_of_variants_and_one_more_value_do_not_matter(result_folder, capsys):
    one = result_folder("a", variants={"A": "dsa", "B": "atp"})
    two = result_folder("b", variants={"B": "atp", "A": "dsa"}, axes={"/jobs/count": [8, 4, 2, 1, 16]})
    status, output = compared(one, two, capsys=capsys)
    assert status == 1
    assert output.out.endswith(": 8 same, 2 only in B\n")


def test_short_times_have_four_digits(result_folder, capsys):
    pair = result_folder("a", scale=0.1), result_folder("b", scale=0.101)
    lines = compared(*pair, capsys=capsys)[1].out.splitlines()
    assert lines[1].split()[2:4] == ["0.1750", "0.1767"]


def test_different_sweeps_cannot_be_compared(result_folder, capsys):
    pair = result_folder("a"), result_folder("b", axes={"/jobs/workers": [8]})
    status, output = compared(*pair, capsys=capsys)
    assert status == 2
    assert "sweeps /jobs/count" in output.err


@pytest.mark.parametrize("options", [(), ("--statistical",)])
def test_other_systems_cannot_be_compared_and_it_says_what_can(result_folder, capsys, options):
    pair = result_folder("a", systems=("atp",)), result_folder("b", systems=("dsa",))
    status, output = compared(*pair, *options, capsys=capsys)
    assert (status, output.out) == (2, "")
    assert "has atp, " in output.err
    assert "plot DIR --ratio A/B" in output.err


def test_json_of_a_former_call_does_not_outlive_a_failure(result_folder, tmp_path, capsys):
    file = tmp_path / "table.json"
    one = result_folder("a")
    assert compared(one, one, "--json", file, capsys=capsys)[0] == 0
    assert json.loads(file.read_text())["passes"] is True
    assert compared(one, tmp_path / "gone", "--json", file, capsys=capsys)[0] == 2
    assert not file.exists()


@pytest.mark.parametrize("options", [("--json", "-"), ("--quiet", "--json", "-")])
def test_json_may_be_all_that_standard_output_gets(result_folder, capfd, options):
    one = result_folder("a")
    status = main(["compare", str(one), str(one), *options])
    assert status == 0
    assert json.loads(capfd.readouterr().out)["written_by"] == "ina compare --json"


def test_quiet_leaves_the_status(result_folder, capsys):
    status, output = compared(result_folder("a"), result_folder("b", scale=2), "--quiet", capsys=capsys)
    assert (status, output.out) == (1, "")


def test_json_holds_the_table(result_folder, tmp_path, capsys):
    file = tmp_path / "table.json"
    pair = result_folder("a"), result_folder("b", systems=("dsa",), scale=2)
    assert compared(*pair, "--json", file, capsys=capsys)[0] == 1
    content = json.loads(file.read_text())
    assert content["passes"] is False
    by_key = {(row["/jobs/count"], row["system"]): row for row in content["points"]}
    assert by_key["1", "dsa"]["ratio"] == pytest.approx(2)
    assert by_key["1", "dsa"]["verdict"] == "different"
    assert by_key["1", "atp"]["jct_ms_b"] is None
    assert by_key["1", "atp"]["verdict"] == "only in A"

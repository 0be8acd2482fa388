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


def test_missing_seeds_fail(result_folder, capsys):
    pair = result_folder("a"), result_folder("b", seeds=(1, 3))
    status, output = compared(*pair, capsys=capsys)
    assert status == 1
    assert "12 other seeds" in output.out


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


def test_json_holds_the_table(result_folder, tmp_path, capsys):
    file = tmp_path / "table.json"
    pair = result_folder("a"), result_folder("b", systems=("dsa",), scale=2)
    assert compared(*pair, "--json", file, capsys=capsys)[0] == 1
    content = json.loads(file.read_text())
    assert content["passes"] is False
    by_key = {(row["/jobs/count"], row["system"]): row for row in content["points"]}
    assert by_key["1", "dsa"]["ratio"] == pytest.approx(2)
    assert by_key["1", "dsa"]["status"] == "moved"
    assert by_key["1", "atp"]["jct_ms_b"] is None
    assert by_key["1", "atp"]["status"] == "only in A"

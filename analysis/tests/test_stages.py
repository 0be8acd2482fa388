# SPDX-License-Identifier: BSD-3-Clause
"""Output of ina-switch-report, whose path is in the environment variable INA_SWITCH_REPORT, and its figure."""

import json
import os
import subprocess

import pytest

from analysis import __main__ as commands


def report(*arguments):
    command = [os.environ["INA_SWITCH_REPORT"], "report", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def numbers(tmp_path):
    file = tmp_path / "numbers.json"
    assert report("--system", "dsa", "--json", file).returncode == 0
    return file


def test_a_stage_has_one_number_of_each_resource(numbers):
    resources = json.loads(numbers.read_text())["resources"]
    assert {len(resource["used"]) for resource in resources} == {12}
    for resource in resources:
        assert max(resource["used"]) <= resource["budget"], resource["name"]


def test_the_figure_is_the_same_for_the_same_report(numbers, tmp_path, capsys):
    figures = [tmp_path / "one.png", tmp_path / "two.png"]
    for figure in figures:
        assert commands.main(["stages", str(numbers), str(figure)]) == 0
    assert capsys.readouterr().out.split() == [str(figure) for figure in figures]
    assert figures[0].read_bytes() == figures[1].read_bytes()


REPORTS = {
    "no object": [],
    "nothing": {},
    "no list": {"title": "a", "resources": 3},
    "no resource": {"title": "a", "resources": []},
    "no text": {"title": 3, "resources": [{"name": "map RAMs", "used": [1], "budget": 4}]},
    "no stage": {"title": "a", "resources": [{"name": "map RAMs", "used": [], "budget": 4}]},
    "no number": {"title": "a", "resources": [{"name": "map RAMs", "used": ["1"], "budget": 4}]},
    "negative": {"title": "a", "resources": [{"name": "map RAMs", "used": [-1], "budget": 4}]},
}


@pytest.mark.parametrize("content", REPORTS.values(), ids=REPORTS)
def test_odd_json_gives_one_line_and_status_2(tmp_path, capsys, content):
    file = tmp_path / "odd.json"
    file.write_text(json.dumps(content))
    assert commands.main(["stages", str(file), str(tmp_path / "x.png")]) == 2
    assert "not a file of switch report --json" in capsys.readouterr().err


@pytest.mark.parametrize("file", ["missing.json", ".", "pipe"])
def test_what_is_no_report_gives_one_line_and_status_2(tmp_path, capsys, file):
    os.mkfifo(tmp_path / "pipe")
    assert commands.main(["stages", str(tmp_path / file), str(tmp_path / "x.png")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_figure_of_no_known_kind_gives_one_line_and_status_2(numbers, tmp_path, capsys):
    for name in ("x.pgn", "x", "."):
        assert commands.main(["stages", str(numbers), str(tmp_path / name)]) == 2
        error = capsys.readouterr().err
        assert len(error.splitlines()) == 1
        assert error.endswith("allowed: a file whose name ends in .png or .pdf\n")
    assert [path.name for path in tmp_path.iterdir()] == ["numbers.json"]


def test_the_figure_replaces_only_its_like(numbers, tmp_path, capsys):
    figure = tmp_path / "x.pdf"
    for _ in range(2):
        assert commands.main(["stages", str(numbers), str(figure)]) == 0
    figure.write_bytes(b"mine")
    assert commands.main(["stages", str(numbers), str(figure)]) == 2
    assert "contains something" in capsys.readouterr().err
    assert figure.read_bytes() == b"mine"


def test_the_report_is_written_again_but_over_nothing_else(numbers, tmp_path):
    assert json.loads(numbers.read_text())["written_by"] == "ina switch report --json"
    assert report("--system", "atp", "--json", numbers).returncode == 0
    scenario = tmp_path / "scenario.json"
    for path in (scenario, tmp_path):
        scenario.write_text("{}")
        done = report("--system", "atp", "--json", path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"ina: switch report: --json: {path}")
        assert scenario.read_text() == "{}"


def test_a_full_standard_output_gives_one_line_and_the_status_of_trouble():
    program = os.environ["INA_SWITCH_REPORT"]
    for arguments in (["report", "--system", "dsa"], ["--help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [program, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert done.returncode == 4
        assert done.stderr == "ina: switch report: standard output cannot be written\n"


def compiled_stage(meters=0):
    """A stage of a compiler's resources.json, with a number of stateful ALUs in use."""
    units = {"rams": "srams", "map_rams": "maprams", "meter_alus": "meters", "tcams": "tcams", "logical_tables": "ids",
             "hash_distribution_units": "units"}
    stage = {resource: {unit: []} for resource, unit in units.items()}
    stage["meter_alus"]["meters"] = [{}] * meters
    return stage


def compiled_folder(tmp_path, text):
    file = tmp_path / "pipe" / "logs" / "resources.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return tmp_path


def test_what_the_compiler_says_stands_beside_the_model(tmp_path):
    stages = [compiled_stage() for _ in range(11)] + [compiled_stage(meters=2)]
    folder = compiled_folder(tmp_path, json.dumps({"resources": {"mau": {"mau_stages": stages}}}))
    done = report("--system", "dsa", "--compiled", folder, "--json", tmp_path / "numbers.json")
    assert "   11           3 2/4" in done.stdout
    resources = json.loads((tmp_path / "numbers.json").read_text())["resources"]
    assert resources[0]["compiled"] == [0] * 11 + [2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["resources.json", "parse error"]),
        ("{}", ["resources.json", "resources"]),
        (json.dumps({"resources": {"mau": {"mau_stages": [compiled_stage()] * 13}}}), ["13 stages", "tofino1 has 12"]),
        (json.dumps({"resources": {"mau": {"mau_stages": [{"rams": {"srams": 1}}] * 12}}}), ["resources.json"]),
    ],
)
def test_what_no_compiler_wrote_is_refused(tmp_path, text, words):
    done = report("--system", "dsa", "--compiled", compiled_folder(tmp_path, text))
    assert (done.returncode, done.stdout) == (2, "")
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--system", "ato"], ["ato", "switchml"]),
        (["--system", "dsa", "--chip", "tofino9"], ["tofino9", "tofino2"]),
        (["--system", "dsa", "--memory", "6MB"], ["values", "map RAMs", "5586944"]),
        (["--system", "dsa", "--memory", "100B"], ["no aggregator", "248"]),
        (["--system", "dsa", "--memory", "-1"], ["--memory"]),
        (["--system", "switchml", "--values", "33"], ["33", "64"]),
        (["--system", "atp", "--workers", "33"], ["33", "32"]),
        (["--system", "atp", "--compiled", "nowhere"], ["nowhere", "p4c-barefoot"]),
        (["--system", "atp", "--policy", "fcfs"], ["--policy", "dsa", "atp"]),
        (["--system", "dsa", "--values", "2240"], ["--values", "dsa", "2239"]),
        ([], ["--system"]),
    ],
)
def test_what_does_not_fit_or_exist_is_refused_with_what_is_allowed(arguments, words):
    done = report(*arguments)
    assert done.returncode == 2
    assert not done.stdout
    assert len(done.stderr.splitlines()) == 1
    for word in words:
        assert word in done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""The keys and builds that `compare` and `diff` print before rows."""

import json

import pytest

from analysis import provenance, results
from analysis.__main__ import main

BUILD = {"ina": "0.1.0", "commit": "aaaaaaaaaaaa", "ns3": "3.37", "compiler": "g++ 12.2.0", "flags": "-O3"}


@pytest.fixture
def made(result_folder):
    """made(name, root, given, build, **arguments): a folder with the resolved scenario in each run."""

    def make(name, root, given=None, build=BUILD, **arguments):
        folder = result_folder(name, **arguments)
        manifest = json.loads((folder / "manifest.json").read_text())
        if given is not None:
            manifest["given"] = given
        manifest["build"] = build
        for run in manifest["points"]:
            jobs = [{"workers": run["point"] + 1}]
            run["swept"] = {"/jobs/count": run["point"]}
            run["scenario"] = {"name": name, "topology": {"root": root}, "jobs": jobs, "seeds": [run["seed"]]}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        return folder

    return make


def lines_of(one, two):
    return provenance.of(results.read(one), results.read(two)).lines()


def test_what_is_alike_but_for_names_and_seeds_has_no_line(made):
    assert lines_of(made("a", "spine"), made("b", "spine", seeds=(7,))) == ()


def test_a_key_is_named_with_both_values(made):
    pair = made("a", "spine"), made("b", "server_leaf")
    assert lines_of(*pair) == ('/topology/root: "spine" in A, "server_leaf" in B',)


def test_a_default_that_changed_is_called_so_and_a_given_value_is_not(made):
    line = '/topology/root: "spine" in A, "auto" in B'
    nothing, root = {"jobs": {"count": 1}}, {"variants": {"X": {"topology": {"root": "spine"}}}}
    pair = made("a", "spine", nothing), made("b", "auto", nothing)
    assert lines_of(*pair) == (f"{line} (default changed)",)
    for key, given in enumerate((root, {"sweep": {"/topology/root": ["spine"]}}, {"topology": "file.json"})):
        pair = made(f"a{key}", "spine", given), made(f"b{key}", "auto", nothing)
        assert lines_of(*pair) == (line,)


def test_elements_of_lists_are_given_by_the_key_of_the_list(made):
    one, two = made("a", "spine", {"jobs": {"workers": 1}}), made("b", "spine", {"jobs": {"workers": 1}})
    manifest = json.loads((two / "manifest.json").read_text())
    manifest["points"][0]["scenario"]["jobs"][0]["workers"] = 9
    for run in manifest["points"]:
        run["scenario"]["jobs"][0]["workers"] += run["swept"] == {"/jobs/count": 1}
    (two / "manifest.json").write_text(json.dumps(manifest))
    assert lines_of(one, two) == ("/jobs/0/workers: 2 in A, 3 in B (1 of 12 runs)",)


def test_both_builds_are_named_if_they_differ(made):
    other = BUILD | {"commit": "bbbbbbbbbbbb"}
    assert lines_of(made("a", "spine"), made("b", "spine", build=other)) == (
        "by ina 0.1.0, commit aaaaaaaaaaaa, ns-3 3.37, g++ 12.2.0, flags -O3 in A",
        "by ina 0.1.0, commit bbbbbbbbbbbb, ns-3 3.37, g++ 12.2.0, flags -O3 in B",
    )


def test_many_keys_are_counted(made):
    one, two = made("a", "spine"), made("b", "spine")
    manifest = json.loads((two / "manifest.json").read_text())
    for run in manifest["points"]:
        run["scenario"]["faults"] = {f"key{number}": number for number in range(20)}
    (two / "manifest.json").write_text(json.dumps(manifest))
    lines = lines_of(one, two)
    assert lines[0] == "/faults/key0: nothing in A, 0 in B"
    assert lines[-1] == "8 other keys differ"


@pytest.mark.parametrize("command", ["compare", "diff"])
def test_commands_say_it_first_and_as_data(made, tmp_path, capsys, command):
    pair = made("a", "spine"), made("b", "auto", scale=2)
    file = tmp_path / "found.json"
    assert main([command, *map(str, pair), "--json", str(file)]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first == '/topology/root: "spine" in A, "auto" in B'
    (key,) = json.loads(file.read_text())["changed_keys"]
    assert key == {"key": "/topology/root", "a": '"spine"', "b": '"auto"', "runs": 12, "default": False}

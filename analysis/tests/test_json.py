# SPDX-License-Identifier: BSD-3-Clause
"""Each command writes --json according to analysis/json.schema.json."""

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

from analysis.__main__ import main
from analysis.regress import compare

SIMULATED = {
    "name": "simulated",
    "topology": {"hosts": 6, "parameter_servers": 2},
    "jobs": {
        "workers": 2, "iterations": 2,
        "profile": {"name": "tiny", "partition_bytes": "10kB", "layers": [{"parameters": 50000}]},
    },
    "traffic": {"flows": [{"kind": "incast", "from": ["host4"], "to": "host5", "bytes": "2kB", "interval": "5us"}]},
    "outputs": {"link_interval": "10us", "switch_interval": "1us", "occupation": True},
    "variants": {"ATP": {"system": "atp"}, "DSA": {"system": "dsa"}},
    "sweep": {"/jobs/count": [1, 2]},
    "seeds": "1-2",
}  # fmt: skip
SCHEMA = json.loads((Path(__file__).resolve().parents[1] / "json.schema.json").read_text())


def validator_of(command):
    return jsonschema.Draft202012Validator(SCHEMA | {"oneOf": [{"$ref": f"#/$defs/{command}"}]})


@pytest.fixture
def written(tmp_path, capsys):
    """written(command, ...): output of the command, checked against the schema."""

    def run(command, *arguments):
        file = tmp_path / f"{command}.json"
        status = main([command, *map(str, arguments), "--json", str(file)])
        assert status in (0, 1, 5), capsys.readouterr().err
        content = json.loads(file.read_text())
        validator_of(command).validate(content)
        jsonschema.Draft202012Validator(SCHEMA).validate(content)
        return content

    return run


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """(result folder, --json output of ina run)"""
    folder = tmp_path_factory.mktemp("simulated")
    scenario, table = folder / "simulated.json", folder / "table.json"
    scenario.write_text(json.dumps(SIMULATED))
    command = [os.environ["INA_SIM"], "run", scenario, "--out", folder, "--json", table]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "simulated", json.loads(table.read_text())


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    verdicts = SCHEMA["$defs"]["point"]["properties"]["verdict"]["enum"]
    assert verdicts == list(compare.VERDICTS)


@pytest.mark.parametrize("options", [(), ("--statistical",), ("--statistical", "--tolerance", "0.5")])
@pytest.mark.parametrize(
    "other",
    [
        {},
        {"scale": 1.01},
        {"seeds": (2, 3, 4)},
        {"seeds": (7,)},
        {"systems": ("dsa",)},
        {"fails": lambda values, system: True},
        {"axes": {"/jobs/count": [8, 4, 16]}},
    ],
    ids=["same", "other times", "common seeds", "other seeds", "one system", "no job", "other values"],
)
def test_compare(result_folder, written, options, other):
    content = written("compare", result_folder("a"), result_folder("b", **other), *options)
    assert content["mode"] == ("statistical" if options else "exact")
    assert content["passes"] == (content["verdict"] == "same")


def test_diff_of_folders(result_folder, written):
    one = result_folder("a")
    assert written("diff", one, one)["passes"]
    found = written("diff", one, result_folder("b", scale=2))
    assert 0 < found["different"] <= found["compared"]


def test_diff_of_time_lines(tmp_path, written):
    line = tmp_path / "a.trace.json"
    event = {"name": "x", "ph": "i", "ts": 1, "pid": 1, "tid": 1}
    line.write_text(json.dumps({"written_by": "ina trace", "traceEvents": [event]}))
    assert written("diff", line, line)["a"] is None


def test_run(simulated):
    validator_of("run").validate(simulated[1])


@pytest.mark.parametrize(
    "options",
    [
        ("--kind", "jct"),
        ("--kind", "jct", "--spread", "range", "--lines", "seed"),
        ("--ratio", "ATP/DSA"),
        *(("--kind", kind) for kind in ("cdf", "occupancy", "links", "series", "occupation", "flows")),
    ],
    ids=" ".join,
)
def test_plot(simulated, written, tmp_path, options):
    written("plot", simulated[0], "--out", tmp_path, *options)


def test_plot_of_two_folders(result_folder, written, tmp_path):
    pair = result_folder("a"), result_folder("b", scale=1.1)
    content = written("plot", *pair, "--out", tmp_path)
    assert {point["folder"] for point in content["points"]} == {"a", "b"}
    written("plot", *pair, "--out", tmp_path, "--kind", "cdf")


def test_breakdown_and_report(simulated, written, tmp_path):
    written("breakdown", simulated[0], "--out", tmp_path)
    written("report", simulated[0])


def test_reproduce(written, tmp_path):
    written("reproduce", "S1", "--out", tmp_path)  # no runs exist
    assert written("reproduce", "S1", "--set", "/jobs/iterations=2", "--out", tmp_path)["set"]

# SPDX-License-Identifier: BSD-3-Clause
"""What --json of each command writes is as analysis/json.schema.json says."""

import json
from pathlib import Path

import jsonschema
import pytest

from analysis.__main__ import main

SCHEMA = json.loads((Path(__file__).resolve().parents[1] / "json.schema.json").read_text())


def validator_of(command):
    return jsonschema.Draft202012Validator(SCHEMA | {"oneOf": [{"$ref": f"#/$defs/{command}"}]})


@pytest.fixture
def written(tmp_path, capsys):
    """written(command, ...): what that writes, which is as the schema says."""

    def run(command, *arguments):
        file = tmp_path / "written.json"
        status = main([command, *map(str, arguments), "--json", str(file)])
        assert status in (0, 1, 5), capsys.readouterr().err
        content = json.loads(file.read_text())
        validator_of(command).validate(content)
        jsonschema.Draft202012Validator(SCHEMA).validate(content)
        return content

    return run


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


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

# SPDX-License-Identifier: BSD-3-Clause
"""Checks that scenarios/scenario.schema.json and the reader of scenario files agree.

The program prints the schema (tests/cli/test_arguments.py) from the reader's fields. In bad.json
(described in bad_scenarios_test.cpp), semantic-* are errors that a schema cannot detect, and
syntax-* are texts that JSON readers treat differently. Schema and reader reject all other entries.
PRINT_SCENARIO is the reader as a program.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

HERE = Path(__file__).resolve().parent
SCENARIOS = HERE.parents[1] / "scenarios"
SCHEMA = json.loads((SCENARIOS / "scenario.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
MINIMAL = {"jobs": {"profile": {"layers": [{"parameters": 1000}]}}}
BAD = {entry["name"]: entry for entry in json.loads((HERE / "bad.json").read_text())}
SEMANTIC = [name for name in BAD if name.startswith("semantic-")]
STRUCTURAL = [name for name in BAD if not name.startswith(("semantic-", "syntax-"))]
GOOD = sorted((HERE / "good").glob("*.json"))


def accepted(scenario) -> bool:
    return VALIDATOR.is_valid(scenario)


def run_reader(path):
    return subprocess.run(
        [os.environ["PRINT_SCENARIO"], str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "INA_TRACES": str(HERE / "traces")},
    )


def read(path):
    """The points of a scenario file with every default filled in."""
    done = run_reader(path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refusal(scenario, folder) -> str:
    """The reader's error message about a scenario. Empty if the reader accepts it."""
    path = folder / "scenario.json"
    path.write_text(json.dumps(scenario))
    done = run_reader(path)
    assert done.returncode in (0, 2)
    return done.stderr.strip()


def resolve(node):
    while "$ref" in node:
        target = SCHEMA
        for key in node["$ref"].removeprefix("#/").split("/"):
            target = target[key]
        node = {**target, **{k: v for k, v in node.items() if k != "$ref"}}
    return node


def object_form(node):
    """The node. If it is a choice of several forms (jobs, profile, jitter), the form of an object."""
    node = resolve(node)
    for choice in node.get("oneOf", []):
        choice = resolve(choice)
        if choice.get("type") == "object":
            return {**choice, **{key: value for key, value in node.items() if key != "oneOf"}}
    return node


def schema_nodes(node=SCHEMA, path=()):
    """Everything that the schema describes, as (path, node). Only the first element of an array of layers."""
    node = object_form(node)
    yield path, node
    for key, child in node.get("properties", {}).items():
        yield from schema_nodes(child, (*path, key))
    if path[-1:] == ("layers",):
        yield from schema_nodes(node["items"], (*path, 0))


NODES = dict(schema_nodes())


POLICY = ("dsa", "policy")


def policy_with(parameter):
    """Name of a policy with the parameter. If there is none, name of a policy without parameters."""
    only = NODES[POLICY].get("dependentSchemas", {}).get(parameter)
    return only["properties"]["name"]["enum"][0] if only else "priority"


def types_without(path):
    """Types of the parent object that do not have the key at the end of the path."""
    key = path[-1]
    for condition in NODES[path[:-1]].get("allOf", ()):
        if condition.get("then", {}).get("properties", {}).get(key) is False:
            return condition["if"]["properties"]["type"]["enum"]
    return []


def is_of_default_type(path):
    """Whether the parent object has the key if its type is the default."""
    others = types_without(path)
    return not others or NODES[(*path[:-1], "type")]["default"] not in others


def placed(path, value):
    """A scenario with the value at the path, and with all other keys that the value requires."""
    scenario = json.loads(json.dumps(MINIMAL))
    place = scenario
    for depth, key in enumerate(path[:-1], start=1):
        place = place.setdefault(key, {}) if isinstance(place, dict) else place[key]
        if "uniform" in NODES[path[:depth]].get("properties", {}):
            place["uniform"] = ["0s", "1ms"]
        if path[:depth] == POLICY:
            place["name"] = policy_with(path[-1])
        if others := types_without(path[: depth + 1]):
            types = NODES[(*path[:depth], "type")]["enum"]
            place["type"] = next(name for name in types if name not in others)
    place[path[-1]] = value
    if value == "graph":
        place["switches"] = [{"name": "a", "hosts": 64}]
    return scenario


def pointer(path):
    return "".join(f"/{key}" for key in path)


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_key_is_described_in_sentences():
    for path, node in NODES.items():
        if path and path[-1] != 0:
            assert re.fullmatch(r"[A-Z\[].*[^.]\.", node["description"]), pointer(path)


@pytest.mark.parametrize("path", GOOD, ids=lambda p: p.stem)
def test_good_file(path):
    VALIDATOR.validate(json.loads(path.read_text()))
    for point in read(path):
        # The output of the reader is a scenario, too.
        VALIDATOR.validate(point["scenario"])


@pytest.fixture
def bad_folder(tmp_path):
    return shutil.copytree(HERE / "bad", tmp_path / "bad")


@pytest.mark.parametrize("name", STRUCTURAL)
def test_structural_fault_is_refused_by_both(name, bad_folder):
    assert not accepted(BAD[name]["scenario"])
    assert refusal(BAD[name]["scenario"], bad_folder) != ""


@pytest.mark.parametrize("name", SEMANTIC)
def test_semantic_fault_is_beyond_the_schema(name, bad_folder):
    VALIDATOR.validate(BAD[name]["scenario"])
    assert refusal(BAD[name]["scenario"], bad_folder) != ""


SYSTEMS = SCHEMA["properties"]["system"]["enum"]


def test_everything_good_uses_every_key_but_those_of_systems():
    """For keys of systems, round_trip_test.cpp reads random values of all fields."""
    files = [(HERE / "good" / f"{name}.json").read_text() for name in ("everything", "topologies")]
    used = set(re.findall(r'"([^"]+)":', "".join(files)))
    keys = {path[-1] for path in NODES if path and path[-1] != 0 and path[0] not in SYSTEMS}
    assert keys - used <= {"extends"}


REFERENCE = sorted((SCENARIOS.parent / "docs" / "reference" / "scenario").glob("*.md"))


@pytest.mark.parametrize("page", REFERENCE, ids=lambda page: page.stem)
def test_tables_of_the_reference_are_those_of_the_schema(page):
    sys.path.insert(0, str(SCENARIOS))
    import key_tables

    text = page.read_text()
    assert text == key_tables.with_tables(text), "renew them: python3 scenarios/key_tables.py"


def reference():
    return "".join(page.read_text() for page in REFERENCE)


def test_the_reference_says_which_keys_each_kind_of_flow_has():
    flows = SCHEMA["properties"]["traffic"]["properties"]["flows"]["items"]
    rules = [(rule["if"]["properties"]["kind"]["enum"], rule) for rule in flows["allOf"]]
    text = reference()
    for kind in flows["properties"]["kind"]["enum"]:
        required = {key for kinds, rule in rules if kind in kinds for key in rule.get("then", {}).get("required", ())}
        others = {key for kinds, rule in rules if kind not in kinds for key in rule.get("else", {}).get("properties", ())}
        allowed = set(flows["properties"]) - others - required - {"kind", "start"}
        (row,) = re.findall(rf"^\| `{kind}` \|.*\| (.*) \| (.*) \|$", text, re.MULTILINE)
        assert [set(re.findall("`([a-z_]+)`", cell)) for cell in row] == [required, allowed], kind


def test_the_reference_has_every_key():
    text = reference()
    for path in NODES:
        if path and path[-1] != 0:
            assert re.search(rf"[`/\"]{re.escape(path[-1])}[`/\"]", text), pointer(path)


def test_the_reference_has_every_choice():
    text = reference()
    for path, node in NODES.items():
        for name in node.get("enum", []):
            assert re.search(rf"(?<![\w-]){re.escape(str(name))}(?![\w-])", text), (pointer(path), name)


def reader_defaults():
    return read(HERE / "good" / "minimal.json")[0]["scenario"]


def at(value, path):
    """The value at the path of a scenario that the reader wrote. None if there is none."""
    for key in path:
        if isinstance(value, list) and isinstance(key, str):
            value = value[0]
        if isinstance(value, dict) and key not in value:
            return None
        value = value[key] if not isinstance(value, str) else None
        if value is None:
            return None
    return value


# The reader writes resolved values of these keys, instead of "auto" or values that follow round trips.
RESOLVED = {"root", "rto", "request_timeout", "reminder_min_timeout", "aggregator_expiry"}


def test_defaults_of_the_schema_are_those_of_the_reader():
    scenario = reader_defaults()
    compared = 0
    for path, node in NODES.items():
        if "default" not in node or path[-1] in {"count", "per", *RESOLVED} or path[:-1] == POLICY:
            continue  # the reader writes single jobs, and omits default values of the others
        if not all(map(is_of_default_type, (path[:depth] for depth in range(1, len(path) + 1)))):
            continue
        assert at(scenario, path) == node["default"], pointer(path)
        compared += 1
    assert compared >= 35


def test_defaults_of_the_reader_are_in_the_schema():
    # These values depend on the file, its name, the position in it, or its other values.
    given = {"name", "layers", "parameters", "time_limit", "max_window_packets", "table_entries"}

    def leaves(value, path=()):
        if isinstance(value, dict):
            for key, child in value.items():
                yield from leaves(child, (*path, key))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from leaves(value[0], (*path, 0) if path[-1] == "layers" else path)
        else:
            yield path, value

    for path, value in leaves(reader_defaults()):
        if path[-1] not in given | RESOLVED:
            assert NODES[path]["default"] == value, pointer(path)


def test_a_variant_has_the_keys_of_a_scenario_that_runs_may_differ_in():
    message = BAD["variants-seeds"]["error"]
    same_for_all = set(message.strip().split("any key except ")[1].split(", "))
    keys = set(SCHEMA["properties"]["variants"]["additionalProperties"]["properties"])
    assert keys == set(SCHEMA["properties"]) - same_for_all
    pattern = SCHEMA["properties"]["sweep"]["propertyNames"]["pattern"]
    assert all(not re.search(pattern, f"/{key}") for key in same_for_all)
    assert all(re.search(pattern, f"/{key}") for key in keys)


def test_default_jitter_is_per_partition(tmp_path):
    times = ["0s", "1ms"]
    path = tmp_path / "jitter.json"
    path.write_text(json.dumps(placed(("jobs", "jitter", "uniform"), times)))
    without = read(path)
    per = ("jobs", "jitter", "per")
    path.write_text(json.dumps(placed(per, NODES[per]["default"])))
    assert read(path) == without


@pytest.mark.parametrize("name", NODES[POLICY]["properties"]["name"]["enum"])
def test_a_policy_has_the_same_parameters_by_its_name_and_as_an_object(name, tmp_path):
    path = tmp_path / "policy.json"
    read_as = []
    for policy in (name, {"name": name}):
        scenario = placed(POLICY, policy)
        assert accepted(scenario)
        path.write_text(json.dumps(scenario))
        read_as.append(at(read(path)[0]["scenario"], POLICY))
    assert read_as[0] == read_as[1]
    node = NODES[POLICY]
    owners = node["dependentSchemas"]
    own = [key for key in owners if name in owners[key]["properties"]["name"]["enum"]]
    defaults = {key: node["properties"][key]["default"] for key in own}
    assert read_as[0] == ({"name": name, **defaults} if own else name)


def test_a_policy_has_no_parameter_of_another(tmp_path):
    for key in NODES[POLICY].get("dependentSchemas", {}):
        scenario = placed(POLICY, {"name": "priority", key: "1ms"})
        assert not accepted(scenario)
        assert f"/dsa/policy/{key}: unknown key" in refusal(scenario, tmp_path)


@pytest.mark.parametrize(
    "path", [p for p, n in NODES.items() if "properties" in n], ids=lambda p: pointer(p) or "root"
)
def test_objects_have_the_same_keys(path, tmp_path):
    node = NODES[path]
    assert node["additionalProperties"] is False
    scenario = placed((*path, "no-such-key-at-all"), 1)
    assert not accepted(scenario)
    message = refusal(scenario, tmp_path)
    assert f"{pointer(path)}/no-such-key-at-all: unknown key" in message
    # A policy does not have the parameters of other policies. A type does not have the keys of other types.
    others = set(node.get("dependentSchemas", {}))
    others |= {key for key in node["properties"] if not is_of_default_type((*path, key))}
    assert set(message.split("allowed: ")[1].split(", ")) == set(node["properties"]) - others


@pytest.mark.parametrize(
    "path", [p for p, n in NODES.items() if n.get("type") == "integer"], ids=pointer
)
def test_integers_have_the_same_bounds(path, tmp_path):
    low, high = NODES[path]["minimum"], NODES[path]["maximum"]
    for value in (low - 1, high + 1, str(high), low + 0.5, True, None):
        assert not accepted(placed(path, value))
        message = refusal(placed(path, value), tmp_path)
        assert f"{pointer(path)}: " in message
        assert message.endswith(f"an integer from {low} to {high}")
    for value in (low, high):
        assert accepted(placed(path, value))
        # A bound may be wrong together with other values, but not by itself.
        assert "an integer from" not in refusal(placed(path, value), tmp_path)


@pytest.mark.parametrize("path", [p for p, n in NODES.items() if "enum" in n], ids=pointer)
def test_choices_are_the_same(path, tmp_path):
    names = NODES[path]["enum"]
    for value in names:
        assert accepted(placed(path, value))
        assert refusal(placed(path, value), tmp_path) == ""
    for value in ("no-such-value", f"{names[0]}x", None, [names[0]]):
        assert not accepted(placed(path, value))
        listed = refusal(placed(path, value), tmp_path).split("allowed: ")[1]
        listed = re.findall(r'[^\s",]+', listed.removeprefix("one of the integers "))
        assert listed == [str(name) for name in names]


QUANTITIES = [p for p, n in NODES.items() if "[0-9]+(" in n.get("pattern", "")]


@pytest.mark.parametrize("path", QUANTITIES, ids=pointer)
def test_quantities_have_the_same_units(path, tmp_path):
    pattern = NODES[path]["pattern"]
    units = re.search(r"\(([A-Za-z|]+)\)\$$", pattern).group(1).split("|")
    zero_allowed = re.fullmatch(pattern, "0" + units[0]) is not None
    message = refusal(placed(path, 1.5), tmp_path)
    assert f"its unit ({', '.join(units)})" in message
    for unit in units:
        scenario = placed(path, "12" + unit)
        assert accepted(scenario)
        # A quantity may be too small, but its unit is known.
        assert not re.search(r", (unknown|no) unit;", refusal(scenario, tmp_path))
    unit = units[-1]
    for text in ("0", "1", f"-1{unit}", f"1 {unit}", f"1e3{unit}", f".5{unit}", "", unit, "1x"):
        assert not accepted(placed(path, text))
        assert refusal(placed(path, text), tmp_path) != ""
    assert ", unknown unit;" in refusal(placed(path, "1x"), tmp_path)
    assert ", no unit;" in refusal(placed(path, "1"), tmp_path)
    assert zero_allowed == (refusal(placed(path, "0" + units[0]), tmp_path) == "")


SIZES = [path for path in QUANTITIES if "integer" in NODES[path]["type"]]


def test_every_size_may_be_a_number_of_bytes():
    assert SIZES == [path for path in QUANTITIES if NODES[path]["title"].startswith("size ")]


@pytest.mark.parametrize("path", SIZES, ids=pointer)
def test_a_size_may_be_a_number_of_bytes(path, tmp_path):
    low, high = NODES[path]["minimum"], NODES[path]["maximum"]
    for value in (low - 1, high + 1, low + 0.5, True):
        assert not accepted(placed(path, value))
        assert "as a number of bytes or a string" in refusal(placed(path, value), tmp_path)
    for value in (low, high):
        assert accepted(placed(path, value))
        # A bound may be wrong together with other values, but not by itself.
        assert "number of bytes" not in refusal(placed(path, value), tmp_path)


def test_a_number_of_bytes_is_the_size_with_its_unit(tmp_path):
    path = tmp_path / "size.json"
    read_as = []
    for size in (4_063_232, "4063232B", "4.063232MB"):
        path.write_text(json.dumps(placed(("switch", "memory_bytes"), size)))
        read_as.append(read(path))
    assert read_as[1:] == read_as[:1] * 2


TYPES = ("boolean", "string", "object", "array")
TYPED = [p for p, n in NODES.items() if p and n.get("type") in TYPES]


@pytest.mark.parametrize("path", TYPED, ids=pointer)
def test_types_are_the_same(path, tmp_path):
    if path == ("$schema",):
        return  # the reader ignores it
    for value in (1, 1.5, True, None, "\u0000 no such thing", [], {}, [1], {"no": 1}):
        if not accepted(placed(path, value)):
            assert refusal(placed(path, value), tmp_path) != "", value

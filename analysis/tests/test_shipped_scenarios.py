# SPDX-License-Identifier: BSD-3-Clause
"""All shipped scenarios have valid pages: each is reduced, simulated by the program in INA_SIM, and
passed to `report`.

Only one of the scenarios with equal sweeps and figures is used. All keys stay swept.
"""

import json
import os
import re
import subprocess
import warnings
from pathlib import Path

import pytest

from analysis import layout, quantities, results
from analysis.__main__ import main

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
SHIPPED = sorted(
    path.relative_to(SCENARIOS) for path in SCENARIOS.rglob("*.json")
    if path.name != "scenario.schema.json"
)
MOST_ITERATIONS = 2
MOST_WORKERS = 8
MOST_VALUES = 2  # per swept key, and of variants
TINY = {"source": "made small", "layers": [{"parameters": 2000}, {"parameters": 1000}]}


def scenario(path):
    """The content of a shipped file, with that of the file that it extends."""
    content = json.loads((SCENARIOS / path).read_text())
    if "extends" not in content:
        return content
    return merged(scenario(Path(os.path.normpath(path.parent / content["extends"]))), content)


def merged(below, above):
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return below | {key: merged(below.get(key), value) for key, value in above.items()}


def kind_of(key, values):
    if key == "/system":
        return "systems"
    numbers, _ = quantities.common_scale(tuple(map(results.text_of, values)))
    return "others" if numbers is None else "numbers"


def shape_of(content):
    """The properties of a scenario that determine the layout of its tables and figures."""
    swept = sorted(kind_of(*one) for one in content.get("sweep", {}).items())
    is_star = content.get("topology", {}).get("type", "star") == "star"
    has = ("variants" in content, "traffic" in content, "faults" in content)
    return (*swept, *has, is_star, *sorted(content.get("outputs", {})))


def is_two_keys_of_one_system(content):
    swept = content.get("sweep", {})
    return len(swept) == 2 and "/system" not in swept and "variants" not in content


def chosen():
    contents = {path: scenario(path) for path in SHIPPED}
    one_of_each = {shape_of(content): path for path, content in reversed(list(contents.items()))}
    pairs = [path for path, content in contents.items() if is_two_keys_of_one_system(content)]
    return sorted({*one_of_each.values(), *pairs})


def small(key, value):
    """The value of a key in the reduced form of a scenario; other keys keep their values."""
    name = key.rpartition("/")[2]
    if isinstance(value, list):
        few = value[:MOST_VALUES] if key.startswith("/") else value
        return [small(f"{index}/{name}", one) for index, one in enumerate(few)]
    if name == "profile":
        return {"name": f"tiny{key.partition('/')[0]}", **TINY}
    if name == "iterations":
        return min(value, MOST_ITERATIONS)
    if key == "workers" and isinstance(value, int):
        return min(value, MOST_WORKERS)
    if isinstance(value, dict):
        few = list(value.items())[: MOST_VALUES if name == "variants" else None]
        return {one: small(one, content) for one, content in few}
    return value


@pytest.fixture(scope="session")
def small_scenarios(tmp_path_factory):
    """A folder with all scenarios in reduced form; `extends` still finds its files."""
    folder = tmp_path_factory.mktemp("scenarios")
    for path in SHIPPED:
        content = json.loads((SCENARIOS / path).read_text())
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(small("", content)))
    return folder


@pytest.fixture
def read(request, small_scenarios, tmp_path):
    """The results of a reduced scenario."""
    path = small_scenarios / request.param
    done = subprocess.run(
        [os.environ["INA_SIM"], "run", path, "--seeds", "1", "--out", tmp_path],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr
    return results.read(tmp_path / path.stem)


def test_every_sweep_of_two_keys_of_one_system_is_among_the_chosen():
    names = {path.stem for path in chosen()}
    assert {"a2", "a3", "a6", "s1", "s1-10gbps", "dsa-racks", "exponents"} <= names


@pytest.mark.parametrize("read", chosen(), ids=lambda path: str(path.with_suffix("")), indirect=True)
def test_a_shipped_scenario_has_a_page_with_all_points_and_its_figures(read, unrendered, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["report", str(read.folder)]) == 0
    assert capsys.readouterr().err == ""
    page = (read.folder / "report.html").read_text()
    *compared, points = re.findall(r"<table>(.*?)</table>", page, re.DOTALL)
    runs = {run["point"] for run in read.manifest["points"]}
    assert points.count("<tr") == 1 + len(runs)
    shape = layout.layout(read.with_system(read.jobs()), read.seeds)
    is_compared = shape.lines.is_varied and any(axis.is_varied for axis in (*shape.panels, shape.x) if axis)
    assert len(compared) == is_compared * (1 + ("Average iteration time" in points))
    assert page.count("<figcaption>") >= 4

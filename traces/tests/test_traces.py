# SPDX-License-Identifier: BSD-3-Clause
"""The committed profiles and traces against the published totals and the documented formats."""

import importlib.util
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pandas
import pytest

TRACES = Path(__file__).resolve().parents[1]
PS_PER_UNIT = {"us": 10**6, "ms": 10**9}


def load_script(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_profiles = load_script(TRACES / "profiles" / "make_profiles.py")
convert = load_script(TRACES / "minibatch" / "convert.py")


def profile(name):
    return json.loads((TRACES / "profiles" / f"{name}.json").read_text(encoding="utf-8"))


def picoseconds(quantity):
    value = Decimal(quantity[:-2]) * PS_PER_UNIT[quantity[-2:]]
    assert value == int(value), f"{quantity} is not a whole number of picoseconds"
    return int(value)


def total(layers, direction):
    return sum(picoseconds(layer[direction]) for layer in layers)


@pytest.mark.parametrize("expected", make_profiles.profiles(), ids=lambda made: made["name"])
def test_committed_profile_is_what_the_script_writes(expected):
    path = TRACES / "profiles" / f"{expected['name']}.json"
    assert path.read_text(encoding="utf-8") == make_profiles.text_of(expected)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("vgg16", 138_357_544), ("resnet50", 25_557_032), ("dnn-a", 4_000_000), ("dnn-b", 2_000_000)],
)
def test_parameters_add_up_to_the_published_total(name, parameters):
    assert sum(layer["parameters"] for layer in profile(name)["layers"]) == parameters


def test_vgg16_has_thirteen_convolutions_and_three_fully_connected_layers():
    names = [layer["name"] for layer in profile("vgg16")["layers"]]
    assert [sum(name.startswith(kind) for name in names) for kind in ("conv", "fc")] == [13, 3]


def test_resnet50_has_53_convolutions_each_with_its_batch_norm():
    names = [layer["name"] for layer in profile("resnet50")["layers"]]
    assert [name for name in names if name.endswith("/bn")] == [
        f"{name}/bn" for name in names if name != "fc" and not name.endswith("/bn")
    ]
    assert len(names) == 2 * 53 + 1


@pytest.mark.parametrize(("layers", "giga_macs"), [("vgg16", 15.47), ("resnet50", 3.86)])
def test_macs_match_the_published_architecture(layers, giga_macs):
    macs = sum(
        layer.macs for layer in getattr(make_profiles, layers)() if not layer.name.endswith("/bn")
    )
    assert macs / 1e9 == pytest.approx(giga_macs, abs=0.005)


@pytest.mark.parametrize(("name", "images_per_second"), [("vgg16", 1180), ("resnet50", 1838)])
def test_compute_times_give_the_single_gpu_throughput(name, images_per_second):
    layers = profile(name)["layers"]
    batch = Fraction(64 * 8 * 10**12, images_per_second)
    assert total(layers, "forward") == round(batch / 3)
    assert total(layers, "backward") == round(batch * 2 / 3)


@pytest.mark.parametrize(
    ("name", "partition", "compute_us"), [("dnn-a", 4, 320), ("dnn-b", 2, 640)]
)
def test_two_layer_dnns_follow_the_dsa_paper(name, partition, compute_us):
    dnn = profile(name)
    assert dnn["partition_bytes"] == f"{partition}MB"
    assert dnn["send_order"] == [[2, 1], [1, 1], [1, 2], [2, 2]]
    for layer in dnn["layers"]:
        assert layer["parameters"] * 4 == 2 * partition * 10**6
        assert picoseconds(layer["forward"]) == compute_us * 10**6
        assert picoseconds(layer["backward"]) == 0


@pytest.mark.parametrize(("job", "iterations"), [(1, 300), (2, 238), (3, 248)])
def test_every_worker_of_a_minibatch_file_has_every_iteration(job, iterations):
    table = pandas.read_csv(TRACES / "minibatch" / f"alibaba-2020-job{job}.csv", comment="#")
    assert list(table.columns) == ["worker", "iteration", "relative_time"]
    expected = [(worker, row) for worker in range(10) for row in range(iterations)]
    assert list(zip(table["worker"], table["iteration"])) == expected
    assert (table["relative_time"] > 0).all()
    assert table["relative_time"].median() == pytest.approx(1, abs=5e-5)


def test_conversion_leaves_out_instants_without_a_time_for_every_worker():
    raw = pandas.DataFrame(
        {
            "worker": [3, 5, 3, 5, 3, 3, 5, 3, 5],
            "time": [1, 1, 11, 11, 21, 31, 31, 31, 41],
            "batch_time_norm": [100, 300, 200, 0, 500, 200, 200, 900, 100],
        }
    )
    table = convert.relative_times(raw)
    assert table.values.tolist() == [[0, 0, 0.5], [0, 1, 1.0], [1, 0, 1.5], [1, 1, 1.0]]


@pytest.mark.parametrize(
    ("name", "jobs", "columns"),
    [
        ("philly-gavel-0e4a51", 1181, ["job_type", "total_steps", "num_workers", "arrival_s"]),
        (
            "tiresias-60-jobs",
            60,
            "job_id num_gpu submit_time iterations model_name duration interval".split(),
        ),
    ],
)
def test_job_traces_are_complete(name, jobs, columns):
    table = pandas.read_csv(TRACES / "jobs" / f"{name}.csv", comment="#")
    assert list(table.columns) == columns
    assert len(table) == jobs
    assert not table.isna().any().any()

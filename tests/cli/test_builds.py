# SPDX-License-Identifier: BSD-3-Clause
"""Builds differ by the build-ids of the program and of ns-3's libraries."""

import json
import os
import re
import shutil
import subprocess

import ina_sim
import pytest

def test_the_manifest_has_what_makes_builds_different(tiny, tmp_path):
    build = json.loads((ina_sim.run(tiny, tmp_path) / "manifest.json").read_text())["build"]
    assert list(build) == ["ina", "commit", "compiler", "flags", "ns3", "program_id", "module_ids"]
    assert all(build.values())


def build_id(path):
    printed = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    return re.search("Build ID: ([0-9a-f]+)", printed)[1]


def test_the_manifest_has_the_ids_that_the_linker_gave(tiny, tmp_path):
    build = json.loads((ina_sim.run(tiny, tmp_path) / "manifest.json").read_text())["build"]
    assert build["program_id"] == build_id(ina_sim.program())
    loaded = subprocess.run(["ldd", ina_sim.program()], capture_output=True, text=True, check=True).stdout
    modules = dict(re.findall(r"(libns3\S*) => (\S+)", loaded))
    assert len(modules) >= 4
    assert build["module_ids"] == {name: build_id(path) for name, path in modules.items()}


def module_library(folder, name, parameter, link_option="-Wl,--build-id"):
    """Builds a shared library like that of an ns-3 module, with a parameter of a model. Returns the environment in
    which programs load it."""
    source = folder / "model.cc"
    source.write_text(f"double a_models_parameter() {{ return {parameter}; }}\n", encoding="utf-8")
    library = folder / name
    subprocess.run(["c++", "-shared", "-fPIC", link_option, "-o", library, source], check=True)
    # A program with sanitizers would refuse a library that is loaded before the sanitizer's own.
    return {**os.environ, "LD_PRELOAD": str(library), "ASAN_OPTIONS": "verify_asan_link_order=0"}


def test_a_changed_model_in_the_library_of_a_module_makes_another_build(tiny, tmp_path):
    run = ["run", tiny, "--out", tmp_path / "results"]
    made = module_library(tmp_path, "libns3-model.so", 0.5)
    assert ina_sim.ina(*run, env=made).returncode == 0
    kept = ina_sim.ina(*run, env=made)
    assert kept.returncode == 0
    assert "were there already" in kept.stdout
    refused = ina_sim.ina(*run, env=module_library(tmp_path, "libns3-model.so", 0.75))
    assert refused.returncode == 2
    assert "of another build: library libns3-model.so " in refused.stderr


def test_a_library_that_only_one_of_two_builds_loads_makes_another_build(tiny, tmp_path):
    run = ["run", tiny, "--out", tmp_path / "results"]
    assert ina_sim.ina(*run).returncode == 0
    refused = ina_sim.ina(*run, env=module_library(tmp_path, "libns3-model.so", 0.5))
    assert refused.returncode == 2
    assert "of another build: library libns3-model.so unknown there, " in refused.stderr


def test_a_module_without_an_id_is_named(tiny, tmp_path):
    nameless = module_library(tmp_path, "libns3-model.so", 0.5, "-Wl,--build-id=none")
    refused = ina_sim.ina("run", tiny, "--out", tmp_path / "results", env=nameless)
    assert refused.returncode != 0
    assert "libns3-model.so: it has no GNU build-id" in refused.stderr
    assert "link it with -Wl,--build-id" in refused.stderr


def test_a_library_that_is_no_module_makes_no_other_build(tiny, tmp_path):
    run = ["run", tiny, "--out", tmp_path / "results"]
    assert ina_sim.ina(*run).returncode == 0
    kept = ina_sim.ina(*run, env=module_library(tmp_path, "libother.so", 0.5))
    assert kept.returncode == 0
    assert "were there already" in kept.stdout


@pytest.fixture
def of_a_profile(tmp_path):
    """Validates a scenario that uses a profile of traces/, from another working directory."""
    scenario = tmp_path / "scenario.json"
    scenario.write_text('{"jobs": {"profile": "dnn-a"}}')
    without_traces = {key: value for key, value in os.environ.items() if key != "INA_TRACES"}

    def validate(program, folder):
        return subprocess.run(
            [program, "validate", scenario], capture_output=True, text=True, check=False, cwd=folder, env=without_traces
        )

    return validate


def test_a_program_finds_the_traces_of_its_checkout_from_any_folder(of_a_profile, tmp_path):
    for folder in (tmp_path, "/"):
        assert of_a_profile(ina_sim.program(), folder).stdout == "scenario: valid, 1 run\n"


def test_a_copied_program_finds_the_traces_of_the_working_directory(of_a_profile, tmp_path):
    copied = shutil.copy(ina_sim.program(), tmp_path / "ina-sim")
    assert of_a_profile(copied, ina_sim.REPOSITORY).stdout == "scenario: valid, 1 run\n"
    refused = of_a_profile(copied, tmp_path)
    assert refused.returncode == 2
    assert "a profile in traces/profiles" in refused.stderr

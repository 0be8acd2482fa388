# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps in slices, and merging them."""

import json
import shutil

import ina_sim
import pytest

SEEDS = ("--seeds", "1-3")


def slice_of(scenario, out, text, *arguments):
    done = ina_sim.ina("run", scenario, "--out", out, "--slice", text, *arguments)
    assert done.returncode == 0, done.stderr
    return out / f"{scenario.stem}-slice-{text.replace('/', '-of-')}"


def merge(out, *folders):
    return ina_sim.ina("merge", *folders, "--out", out)


@pytest.fixture
def halves(tiny, tmp_path):
    return [slice_of(tiny, tmp_path, text) for text in ("1/2", "2/2")]


@pytest.mark.parametrize("of", [1, 2, 5])
def test_merged_slices_have_the_tables_and_the_points_of_one_run(tiny, tmp_path, of):
    whole = ina_sim.run(tiny, tmp_path / "whole", {}, *SEEDS)
    slices = [slice_of(tiny, tmp_path, f"{number}/{of}", *SEEDS) for number in range(1, of + 1)]
    done = merge(tmp_path / "merged", *reversed(slices))
    assert (done.returncode, done.stderr) == (0, "")
    merged = tmp_path / "merged" / "tiny"
    assert done.stdout == f"results: {merged}\n"
    assert ina_sim.tables(merged) == ina_sim.tables(whole)
    assert content_of(merged) == content_of(whole)
    assert timeless(merged) == timeless(whole)


def content_of(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*"))


def timeless(folder):
    """A manifest without the values that differ between any two runs."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for point in manifest["points"]:
        for key in ("wall_time_s", "packet_hops_per_s", "peak_resident_bytes"):
            del point[key]
    return manifest


def test_a_slice_runs_every_mth_run_and_says_so(tiny, tmp_path):
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--slice", "2/3", *SEEDS)
    folder = tmp_path / "tiny-slice-2-of-3"
    assert done.stdout == f"tiny: slice 2/3, 4 of 12 runs\nresults: {folder}\n"
    ran = [path.name for path in sorted((folder / "points").iterdir())]
    runs = [f"{point:05}-seed{seed}" for seed in (1, 2, 3) for point in range(4)]
    assert ran == sorted(runs[1::3])
    assert not (folder / "manifest.json").exists()


def test_a_slice_goes_on_where_it_stopped(tiny, tmp_path):
    folder = slice_of(tiny, tmp_path, "1/2")
    shutil.rmtree(folder / "points" / "00002-seed1")
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--slice", "1/2")
    assert "1 of 2 runs was there already" in done.stdout


def test_a_merged_folder_is_that_of_a_run(tiny, tmp_path, halves):
    assert merge(tmp_path, *halves).returncode == 0
    done = ina_sim.ina("run", tiny, "--out", tmp_path)
    assert "4 of 4 runs were there already" in done.stdout


def test_slices_of_other_tables_on_request_are_merged_too(tiny, tmp_path):
    keys = ina_sim.set_options({"/outputs": '{"occupation": true}'})
    whole = ina_sim.run(tiny, tmp_path / "whole", {}, *keys)
    slices = [slice_of(tiny, tmp_path, f"{number}/2", *keys) for number in (1, 2)]
    assert merge(tmp_path, *slices).returncode == 0
    merged = tmp_path / "tiny" / "occupation.csv"
    assert merged.read_bytes() == (whole / "occupation.csv").read_bytes()


@pytest.mark.parametrize(
    "text",
    ["", "3", "0/3", "4/3", "-1/3", "1/0", "1/3/5", "1.0/3", "a/b", "1/ 3", "1/10001", "1/99999999999"],
)
def test_what_is_no_slice_is_refused(tiny, tmp_path, text):
    done = ina_sim.ina("run", tiny, "--out", tmp_path / "out", "--slice", text)
    refused(done, f'--slice: found "{text}"; allowed: N/M with N from 1 to M')
    assert not (tmp_path / "out").exists()


def test_a_slice_has_no_table_to_print(tiny, tmp_path):
    done = ina_sim.ina("run", tiny, "--slice", "1/2", "--json", tmp_path / "table.json")
    refused(done, "--json excludes --slice")


def refused(done, words):
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


def test_a_missing_slice_is_named(tiny, tmp_path):
    slices = [slice_of(tiny, tmp_path, text) for text in ("1/3", "3/3")]
    refused(
        merge(tmp_path, *slices),
        "tiny-slice-1-of-3: found run 1 (seed 1) in none of the folders; allowed: all slices (this run "
        "belongs to slice 2/3",
    )
    assert not (tmp_path / "tiny").exists()


def test_a_slice_that_is_there_twice_is_refused(tiny, tmp_path, halves):
    shutil.copytree(halves[0], tmp_path / "copy")
    done = merge(tmp_path, *halves, tmp_path / "copy")
    refused(done, f"{tmp_path}/copy: found run 0 (seed 1), which is also in {halves[0]}")


def test_slices_that_overlap_are_refused(tiny, tmp_path, halves):
    quarter = slice_of(tiny, tmp_path, "4/4")
    refused(merge(tmp_path, *halves, quarter), "found run 3 (seed 1), which")


@pytest.mark.parametrize("damage", ["removed", "cut off", "interrupted"])
def test_a_run_that_is_not_whole_is_named(tmp_path, halves, damage):
    run = halves[1] / "points" / "00003-seed1"
    if damage == "removed":
        shutil.rmtree(run)
    elif damage == "interrupted":
        run.rename(run.with_name(f"{run.name}.tmp"))
    else:
        table = run / "jobs.csv"
        table.write_bytes(table.read_bytes()[:-5])
    refused(merge(tmp_path, *halves), "2-of-2: found no run 3 (seed 1), or a damaged one")
    assert not (tmp_path / "tiny").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--set", "/jobs/workers=1"), "another scenario"),
        (("--set", '/sweep={"/system": ["atp"]}'), "axes is "),
        (("--seeds", "2"), "seeds is [2] instead of [1]"),
    ],
)
def test_slices_of_different_scenarios_are_refused(tiny, tmp_path, halves, arguments, words):
    other = slice_of(tiny, tmp_path / "other", "2/2", *arguments)
    done = merge(tmp_path, halves[0], other)
    refused(done, words)
    assert str(other) in done.stderr and str(halves[0]) in done.stderr


def test_slices_of_experiments_of_other_names_are_refused(tiny, tmp_path, halves):
    shutil.copy(tiny, tmp_path / "other.json")
    other = slice_of(tmp_path / "other.json", tmp_path, "2/2")
    refused(merge(tmp_path, halves[0], other), 'name is "other" instead of "tiny"')


def test_slices_of_different_builds_are_refused(tmp_path, halves):
    path = halves[1] / "slice.json"
    content = json.loads(path.read_text())
    content["experiment"]["build"]["program_id"] = "00000000"
    path.write_text(json.dumps(content))
    done = merge(tmp_path, *halves)
    refused(done, "another build: program ")
    assert "00000000 here" in done.stderr


def test_slices_of_versions_before_build_ids_are_refused(tmp_path, halves):
    for half in halves:
        path = half / "slice.json"
        content = json.loads(path.read_text())
        del content["experiment"]["build"]["program_id"]
        content["experiment"]["build"]["code_crc32"] = "0badc0de"
        path.write_text(json.dumps(content))
    refused(merge(tmp_path, *halves), "another build: program unknown there, unknown here")


@pytest.mark.parametrize("content", [None, "", "{}", "[]", '{"slice": "5/2"}'])
def test_what_is_no_folder_of_a_slice_is_refused(tmp_path, halves, content):
    folder = tmp_path / "other"
    folder.mkdir()
    if content is not None:
        (folder / "slice.json").write_text(content)
    refused(merge(tmp_path, *halves, folder), f"{folder}: found no readable slice.json")


def test_a_name_that_leads_elsewhere_is_refused(tmp_path, halves):
    for folder in halves:
        path = folder / "slice.json"
        content = json.loads(path.read_text())
        content["experiment"]["name"] = "../elsewhere"
        path.write_text(json.dumps(content))
    refused(merge(tmp_path / "out", *halves), "found no readable slice.json")


def test_what_is_there_is_not_replaced(tmp_path, halves):
    (tmp_path / "tiny").mkdir()
    refused(merge(tmp_path, *halves), "tiny already exists; allowed: another --out")


def test_what_an_interrupted_merge_left_is_removed(tmp_path, halves):
    (tmp_path / "tiny.tmp" / "points" / "rest").mkdir(parents=True)
    assert merge(tmp_path, *halves).returncode == 0
    assert not (tmp_path / "tiny.tmp").exists()
    assert not (tmp_path / "tiny" / "points" / "rest").exists()

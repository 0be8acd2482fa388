# SPDX-License-Identifier: BSD-3-Clause
"""Unusual characters in names and files: blanks, byte order marks, and characters that reverse a terminal's lines."""

import json
import shutil

import ina_sim

TURNED = "\u202e"  # right-to-left override


def assert_printable(text):
    assert all(" " <= c <= "~" or c == "\n" for c in text), text


def test_a_file_with_a_blank_in_its_name_runs(tiny, tmp_path):
    named = tmp_path / "my cluster.json"
    shutil.copy(tiny, named)
    done = ina_sim.ina("run", named, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "my-cluster" / "jobs.csv").exists()
    plain = ina_sim.run(tiny, tmp_path)
    assert (tmp_path / "my-cluster" / "jobs.csv").read_text() == (plain / "jobs.csv").read_text()


def test_two_files_of_one_name_are_refused(tiny, tmp_path):
    blank, dash = tmp_path / "my cluster.json", tmp_path / "my-cluster.json"
    shutil.copy(tiny, blank)
    shutil.copy(tiny, dash)
    done = ina_sim.ina("validate", blank, dash)
    assert done.returncode == 2
    assert done.stderr == (
        f'ina: {dash}: /name: found "my-cluster", which is also the name of {blank}, so both would write to one '
        'folder; allowed: another "name" in one of them\n'
    )


def test_a_scenario_as_windows_editors_save_it_runs(tiny, tmp_path):
    text = tiny.read_text().replace("../../scenarios/", "").replace("\n", "\r\n")
    saved = tmp_path / "tiny.json"
    saved.write_text(text, encoding="utf-8-sig", newline="")
    assert ina_sim.ina("validate", saved).stdout == "tiny: valid, 4 runs\n"
    saved.write_text(text, encoding="utf-16", newline="")
    done = ina_sim.ina("validate", saved)
    assert done.returncode == 2
    assert done.stderr == f"ina: {saved}: cannot be read: found UTF-16; allowed: UTF-8\n"


def test_messages_of_a_run_are_printable(tiny, tmp_path):
    """The message names a run that fails by the values of its sweep."""
    sweep = json.dumps({"/jobs/profile/name": [f"{TURNED}\u00e4\x1b[2J"]}, ensure_ascii=False)
    keys = {"/sweep": sweep, "/time_limit": "6us"}
    done = ina_sim.ina("run", tiny, "--out", tmp_path, *ina_sim.set_options(keys))
    assert done.returncode == 3
    assert "/jobs/profile/name=\\xe2\\x80\\xae\\xc3\\xa4\\x1b[2J" in done.stderr
    assert_printable(done.stderr)


def test_the_table_of_results_is_printable(tiny, tmp_path):
    values = ["plain", f"{TURNED}\u00e4\x1b[2J"]
    sweep = json.dumps({"/jobs/profile/name": values}, ensure_ascii=False)
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--set", f"/sweep={sweep}")
    assert done.returncode == 0, done.stderr
    assert "\\xe2\\x80\\xae\\xc3\\xa4\\x1b[2J" in done.stdout
    assert_printable(done.stdout)


def test_messages_about_arguments_are_printable(tiny, tmp_path):
    file = tmp_path / TURNED
    file.touch()
    for arguments in (
        ("run", tmp_path / f"{TURNED}.json"),
        ("run", tiny, f"--{TURNED}"),
        ("run", tiny, "--set", TURNED),
        ("run", tiny, "--set", f"/system={TURNED}"),
        ("run", tiny, "--seeds", TURNED),
        ("run", tiny, "--out", file),
    ):
        done = ina_sim.ina(*arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("ina: ")
        assert "\\xe2\\x80\\xae" in done.stderr
        assert_printable(done.stderr)

# SPDX-License-Identifier: BSD-3-Clause
"""Temporary folders that cannot hold a memif socket are refused before anything starts."""

import re
import shutil
import tempfile
from pathlib import Path

import pytest

from hw.testbed.tests.support import SMALL, assert_refused, ina_testbed, needs_namespaces

VERBS = {
    "run": lambda out: (SMALL, "--out", out / "results"),
    "exec": lambda out: (SMALL, "--set", "/system=atp", "--", "touch", out / "results"),
}


@pytest.fixture
def short():
    """A folder whose path is shorter than pytest's."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


def below(folder, size):
    """A folder whose path has this length."""
    path = folder / ("x" * (size - len(str(folder)) - 1))
    path.mkdir(exist_ok=True)
    assert len(str(path)) == size
    return path


def assert_refused_before_anything_starts(verb, temporary, out, words):
    assert_refused(ina_testbed(temporary, verb, *VERBS[verb](out)), words)
    assert list(temporary.iterdir()) == []
    assert not (out / "results").exists()


@pytest.mark.parametrize("name", ["a,b", "a=b"])
@pytest.mark.parametrize("verb", VERBS)
def test_what_separates_options_of_devices_is_refused(tmp_path, verb, name):
    temporary = tmp_path / name
    temporary.mkdir()
    words = f'ina: TMPDIR: "{temporary}"; allowed: a path without commas and equals signs, '
    assert_refused_before_anything_starts(verb, temporary, tmp_path, words)


@pytest.mark.parametrize("verb", VERBS)
def test_a_path_that_is_too_long_is_refused_and_the_longest_one_is_not(short, tmp_path, verb):
    temporary = below(short, 150)
    done = ina_testbed(temporary, verb, *VERBS[verb](tmp_path))
    most = int(re.search(r"allowed: at most (\d+)", done.stderr)[1])
    words = f'TMPDIR: "{temporary}" has 150 bytes; allowed: at most {most}, because the sockets'
    assert_refused_before_anything_starts(verb, temporary, tmp_path, words)
    words = f'has {most + 1} bytes; allowed: at most {most}, '
    assert_refused_before_anything_starts(verb, below(short, most + 1), tmp_path, words)
    done = ina_testbed(below(short, most), verb, *VERBS[verb](tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "results").exists()


def test_a_path_that_breaks_lines_is_refused_in_one(tmp_path):
    temporary = tmp_path / "a,\nb"
    temporary.mkdir()
    words = f'TMPDIR: "{tmp_path}/a,?b"; allowed: '
    assert_refused_before_anything_starts("run", temporary, tmp_path, words)


@pytest.mark.parametrize("name", ["a b", "[a]", "a;b", "a'b\"", "a\\b", "%s", "a:b", "\N{EURO SIGN}"])
def test_other_names_serve_memif(short, tmp_path, name):
    temporary = short / name
    temporary.mkdir()
    done = ina_testbed(temporary, "run", *VERBS["run"](tmp_path))
    assert (done.returncode, done.stderr) == (0, "")


@needs_namespaces
def test_links_without_sockets_need_no_short_path(tmp_path, short):
    temporary = below(short, 150) / "a,b"
    temporary.mkdir()
    done = ina_testbed(temporary, "run", *VERBS["run"](tmp_path), "--links", "veth")
    assert (done.returncode, done.stderr) == (0, "")

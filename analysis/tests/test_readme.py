# SPDX-License-Identifier: BSD-3-Clause
"""Commands in READMEs and in the manual use existing keys of scenarios."""

import re
from pathlib import Path

import pytest

from analysis.scenario_keys import is_key

ROOT = Path(__file__).resolve().parents[2]
NO_KEYS = {"/json/pointer", "/dev/stdout", "/KEY"}
IN_OPTIONS = re.compile(r"--(?:x|lines|panels|set) +'?(/[A-Za-z0-9_/]+)")
QUOTED = re.compile(r"`(/[a-z][A-Za-z0-9_/]*)[=`]")


def test_a_key_is_found_wherever_the_schema_has_it():
    assert all(map(is_key, ["/jobs/count", "/jobs/0/workers", "/faults/links/N/loss", "/seeds"]))
    assert is_key("/variants/A/switchml/slots")
    assert not any(map(is_key, ["/switch/policy", "/jobs/0/0", "/nothing", "/variants/A/rate"]))


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        *((path, IN_OPTIONS) for path in sorted([*ROOT.glob("**/README.md"), *ROOT.glob("docs/**/*.md")])),
        (ROOT / "analysis" / "README.md", QUOTED),
    ],
    ids=lambda one: str(one.relative_to(ROOT)) if isinstance(one, Path) else "",
)
def test_keys_that_a_page_names_are_in_the_schema(file, pattern):
    keys = set(pattern.findall(file.read_text(encoding="utf-8"))) - NO_KEYS
    assert [key for key in sorted(keys) if not is_key(key)] == []

# SPDX-License-Identifier: BSD-3-Clause
"""`outcomes.py JUNIT_FILE`: prints a summary to follow ctest's long output.

It consists of the last lines of each failed test, and one line with the skipped tests and the
reasons.
"""

import re
import sys
from xml.etree import ElementTree

LINES = 40
# GoogleTest's format, and the format of `pytest -rs` (count, place and reason).
SKIPPED_TEST = re.compile(r": Skipped\n(.+)$", re.MULTILINE)
SKIPPED_PARTS = re.compile(r"^SKIPPED \[(\d+)\] \S+?:(?:\d+:)? (.*)$", re.MULTILINE)


def output_of(test):
    return (test.findtext("system-out") or "").rstrip()


def skips_of(test):
    """The skipped parts of a test in words, one entry per reason."""
    name = test.get("name")
    parts = SKIPPED_PARTS.findall(output_of(test))
    if (skipped := test.find("skipped")) is not None:
        named = [reason for _, reason in parts] or SKIPPED_TEST.findall(output_of(test))
        reasons = named or [skipped.get("message", "no reason named")]
        return [f"{name}: {', '.join(dict.fromkeys(reasons))}"]
    return [f"{count} of {name}: {reason}" for count, reason in parts]


tests = list(ElementTree.parse(sys.argv[1]).iter("testcase"))
for failed in tests:
    if failed.get("status") == "fail":
        lines = output_of(failed).splitlines()[-LINES:]
        print(f"\n---- {failed.get('name')}", *lines, sep="\n", file=sys.stderr)
skips = [skip for test in tests for skip in skips_of(test)]
print("ina: skipped", "; ".join(skips) or "nothing", file=sys.stderr)

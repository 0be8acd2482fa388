# SPDX-License-Identifier: BSD-3-Clause
"""`failures.py JUNIT_FILE`: the ends of what failed tests printed, which stands among a thousand others'
lines otherwise."""

import sys
from xml.etree import ElementTree

LINES = 40

for test in ElementTree.parse(sys.argv[1]).iter("testcase"):
    if test.get("status") == "fail":
        print(f"\n---- {test.get('name')}", file=sys.stderr)
        lines = (test.findtext("system-out") or "").rstrip().splitlines()
        print(*lines[-LINES:], sep="\n", file=sys.stderr)

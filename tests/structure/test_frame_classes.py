# SPDX-License-Identifier: BSD-3-Clause
"""The handwritten list of frame classes for link faults in the manual of the ns-3 module is
complete."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NETWORK = ROOT / "ns3-modules/ina-network"


def classes():
    text = (ROOT / "hw/cluster/faults/link_faults.hpp").read_text()
    return re.findall('"([a-z_]+)"', re.search("kFrameClassNames = {([^}]*)}", text)[1])


def row_of_the_manual():
    text = (NETWORK / "doc/ina-network.rst").read_text()
    return re.search(r"^InaLinkFaults +Frames +(.*?)\(all\)", text, re.DOTALL | re.MULTILINE)[1]


def test_every_class_has_its_number_in_the_manual():
    names = {"fragment_request": "request"} | {"partial": "partial aggregate"}
    text = " ".join(row_of_the_manual().split())
    found = dict(re.findall(r"\b(\d+) (?:for )?([a-z ]+?)s?(?=,|\.|$| $)", text))
    assert found == {str(1 << bit): names.get(name, name) for bit, name in enumerate(classes())}

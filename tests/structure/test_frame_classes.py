# SPDX-License-Identifier: BSD-3-Clause
"""Lists of the frames that link faults concern, written by hand for ns-3, are whole."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NETWORK = ROOT / "ns3-modules/ina-network"


def classes():
    text = (ROOT / "hw/cluster/faults/link_faults.hpp").read_text()
    return re.findall('"([a-z_]+)"', re.search("kFrameClassNames = {([^}]*)}", text)[1])


def help_of_the_attribute():
    text = (NETWORK / "model/ina-link-faults.cc").read_text()
    return re.search(r'"Classes",\s*(.*?),\s*UintegerValue', text, re.DOTALL)[1].replace('"', "")


def row_of_the_manual():
    text = (NETWORK / "doc/ina-network.rst").read_text()
    return re.search(r"^InaLinkFaults +Classes +(.*?)\(all\)", text, re.DOTALL | re.MULTILINE)[1]


@pytest.mark.parametrize("told", [help_of_the_attribute, row_of_the_manual])
def test_every_class_has_its_number_in_the_list(told):
    names = {"fragment_request": "request"} | {"partial": "partial aggregate"}
    text = " ".join(told().split())
    found = dict(re.findall(r"\b(\d+) (?:for )?([a-z ]+?)s?(?=,|\.|$| $)", text))
    assert found == {str(1 << bit): names.get(name, name) for bit, name in enumerate(classes())}

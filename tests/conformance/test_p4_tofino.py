# SPDX-License-Identifier: BSD-3-Clause
"""The P4 programs fit the twelve stages of Tofino 1, and take there what the switch models say: the open compiler's
p4c-barefoot compiles them (variable BF_P4C, or in the PATH), and its assembler, bfas (variable BFAS, or in the PATH),
accepts what comes out. The compiler's status alone says nothing about stages."""

import json
import os
import shutil
import subprocess

import p4_text
import pytest

BF_P4C = os.environ.get("BF_P4C") or shutil.which("p4c-barefoot")
BFAS = os.environ.get("BFAS") or shutil.which("bfas")
if not (BF_P4C and BFAS):
    pytest.skip("p4c-barefoot and bfas are not both installed", allow_module_level=True)

TARGET = ("--target", "tofino")
STAGES = 12
VALUES_BYTES = {"switchml": 2 * 32 * 4, "atp": 62 * 4, "dsa": 62 * 4}


def run(*command) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module", params=["switchml", "atp", "dsa"])
def compiled(request, tmp_path_factory):
    """The system, and the folder of its compiled program."""
    folder = tmp_path_factory.mktemp(request.param)
    program = p4_text.PROGRAMS / request.param / f"{request.param}.p4"
    run(BF_P4C, *TARGET, "--arch", "tna", "-D__TARGET_TOFINO__=1", "-g", "--verbose", "-o", folder, program)
    return request.param, folder


def memory_bytes(system) -> int:
    """Of the values of the program's slots or aggregators."""
    if system == "switchml":
        cells = p4_text.size(p4_text.text("switchml/types.p4"), "SLOTS")
    else:
        cells = p4_text.size(p4_text.text("shared/aggregators.p4"), "AGGREGATORS")
    return cells * VALUES_BYTES[system]


def test_assembles(compiled):
    _, folder = compiled
    (assembly,) = folder.rglob("*.bfa")
    said = run(BFAS, *TARGET, "-o", folder / "assembled", assembly)
    assert (folder / "assembled" / "tofino.bin").stat().st_size > 0
    # A compiler that loses the parser's selects leaves states of which only the first match can be taken.
    assert "Can't match parser state" not in said, said


def test_has_the_register_arrays_in_the_stages_of_the_model(compiled):
    system, folder = compiled
    numbers = folder / "numbers.json"
    memory = str(memory_bytes(system))
    report = ("report", "--system", system, "--memory", memory, "--compiled", folder, "--json", numbers)
    print(run(os.environ["INA_SWITCH_REPORT"], *report))
    resources = {one["name"]: one for one in json.loads(numbers.read_text(encoding="utf-8"))["resources"]}
    for resource in resources.values():
        assert len(resource["compiled"]) == STAGES
        assert max(resource["compiled"]) <= resource["budget"], resource["name"]
    for name in ("stateful ALUs", "map RAMs"):
        assert resources[name]["compiled"] == resources[name]["used"], name

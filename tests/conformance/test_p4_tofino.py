# SPDX-License-Identifier: BSD-3-Clause
"""The P4 programs fit the twelve stages of Tofino 1 and use the stages that the switch models
predict.

The open compiler p4c-barefoot compiles them (variable BF_P4C, or in the PATH), and its assembler
bfas (variable BFAS, or in the PATH) accepts the output. The compiler's exit status alone does not
cover stages.
"""

import json
import operator
import os
import shutil
import subprocess

import p4_tables
import p4_text
import pytest

BF_P4C = os.environ.get("BF_P4C") or shutil.which("p4c-barefoot")
BFAS = os.environ.get("BFAS") or shutil.which("bfas")
if not (BF_P4C and BFAS):
    pytest.skip("p4c-barefoot and bfas are not both installed", allow_module_level=True)

TARGET = ("--target", "tofino")
STAGES = 12
SCHEMA = "bfrt.json"
# The arguments of the report for each program, and the bytes of values per slot pair or aggregator.
MODELS = {
    "switchml": (["--system", "switchml"], 2 * 32 * 4),
    "switchml64": (["--system", "switchml", "--values", "64"], 2 * 64 * 4),
    "atp": (["--system", "atp"], 62 * 4),
    "dsa": (["--system", "dsa"], 62 * 4),
}


def run(*command) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module", params=p4_text.NAMES)
def compiled(request, tmp_path_factory):
    """The program's name, and the folder into which it is compiled."""
    folder = tmp_path_factory.mktemp(request.param)
    program = p4_text.program(request.param)
    options = ("--arch", "tna", "-D__TARGET_TOFINO__=1", "-g", "--verbose", "--bf-rt-schema", folder / SCHEMA)
    run(BF_P4C, *TARGET, *options, "-o", folder, program)
    return request.param, folder


def test_assembles(compiled):
    _, folder = compiled
    (assembly,) = folder.rglob("*.bfa")
    said = run(BFAS, *TARGET, "-o", folder / "assembled", assembly)
    assert (folder / "assembled" / "tofino.bin").stat().st_size > 0
    # A compiler that loses the parser's selects leaves states of which only the first match can be
    # taken.
    assert "Can't match parser state" not in said, said


def test_has_the_register_arrays_in_the_stages_of_the_model(compiled):
    program, folder = compiled
    model, values_bytes = MODELS[program]
    numbers = folder / "numbers.json"
    memory = ("--memory", str(p4_tables.cells(program) * values_bytes))
    print(run(os.environ["INA_SWITCH_REPORT"], "report", *model, *memory, "--compiled", folder, "--json", numbers))
    resources = {one["name"]: one for one in json.loads(numbers.read_text(encoding="utf-8"))["resources"]}
    for resource in resources.values():
        assert len(resource["compiled"]) == STAGES
        assert max(resource["compiled"]) <= resource["budget"], resource["name"]
    for name in ("stateful ALUs", "map RAMs"):
        assert resources[name]["compiled"] == resources[name]["used"], name
    hash_units = resources["hash units"]  # the compiler also assigns one to some arrays
    assert all(map(operator.le, hash_units["compiled"], hash_units["used"]))
    assert_documented(program, resources)


def assert_documented(program, resources):
    """The table in hw/p4/README.md has these numbers: three columns per program, one row per stage.
    """
    column = 1 + 3 * list(MODELS).index(program)
    lines = (p4_text.PROGRAMS / "README.md").read_text(encoding="utf-8").splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("| stage |"))
    for stage, line in enumerate(lines[head + 2 : head + 2 + STAGES]):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        used = {name: resource["used"][stage] for name, resource in resources.items()}
        compiled = {name: resource["compiled"][stage] for name, resource in resources.items()}
        assert cells[column : column + 3] == [
            f"{used['stateful ALUs']}, {used['map RAMs']}",
            f"{used['SRAM blocks']} {compiled['SRAM blocks']}",
            f"{used['TCAM blocks']} {compiled['TCAM blocks']}",
        ], f"stage {stage}"


def test_text_is_read_as_the_compiler_reads_it(compiled):
    """The names of tables and registers for a control plane."""
    name, folder = compiled
    schema = json.loads((folder / SCHEMA).read_text(encoding="utf-8"))
    assert p4_tables.from_text(name) == p4_tables.from_schema(schema)

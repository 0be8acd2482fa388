# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the P4 programs, and renews the table of stages in README.md of hw/p4 from the result.

    BF_P4C=... BFAS=... INA_SWITCH_REPORT=build/release/bin/ina-switch-report \\
        PYTHONPATH=. python3 tests/conformance/p4_compiled.py
"""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import p4_tables
import p4_text

BF_P4C = os.environ.get("BF_P4C") or shutil.which("p4c-barefoot")
BFAS = os.environ.get("BFAS") or shutil.which("bfas")
TARGET = ("--target", "tofino")
STAGES = 12
SCHEMA = "bfrt.json"
README = p4_text.PROGRAMS / "README.md"
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


def compile_into(folder, name):
    """Compiles a program. The compiler succeeds even if the program does not fit; see assemble()."""
    options = ("--arch", "tna", "-D__TARGET_TOFINO__=1", "-g", "--verbose", "--bf-rt-schema", folder / SCHEMA)
    run(BF_P4C, *TARGET, *options, "-o", folder, p4_text.program(name))


def assemble(folder) -> str:
    """Assembles the compiled program in a folder. Returns the assembler's messages."""
    (assembly,) = folder.rglob("*.bfa")
    return run(BFAS, *TARGET, "-o", folder / "assembled", assembly)


def build_in(scratch, name):
    """Compiles and assembles a program in a new folder. Returns the folder."""
    folder = Path(scratch) / name
    folder.mkdir()
    compile_into(folder, name)
    assemble(folder)
    return folder


def resources_of(name, folder):
    """The chip's resources by name, with those that the model (`used`) and the compiler (`compiled`)
    take in each stage."""
    arguments, values_bytes = MODELS[name]
    numbers = folder / "numbers.json"
    memory = ("--memory", str(p4_tables.cells(name) * values_bytes))
    print(run(os.environ["INA_SWITCH_REPORT"], "report", *arguments, *memory, "--compiled", folder, "--json", numbers))
    return {one["name"]: one for one in json.loads(numbers.read_text(encoding="utf-8"))["resources"]}


def cells_of(resources, stage):
    """A program's three cells in the table's row of a stage."""
    used = {name: resource["used"][stage] for name, resource in resources.items()}
    compiled = {name: resource["compiled"][stage] for name, resource in resources.items()}
    return [
        f"{used['stateful ALUs']}, {used['map RAMs']}",
        f"{used['SRAM blocks']} {compiled['SRAM blocks']}",
        f"{used['TCAM blocks']} {compiled['TCAM blocks']}",
    ]


def table_lines():
    """The lines of README.md, and the number of the line of stage 0."""
    lines = README.read_text(encoding="utf-8").splitlines()
    return lines, next(number for number, line in enumerate(lines) if line.startswith("| stage |")) + 2


def renew_table(resources):
    lines, first = table_lines()
    for stage in range(STAGES):
        cells = [cell for name in MODELS for cell in cells_of(resources[name], stage)]
        lines[first + stage] = f"| {stage} | {' | '.join(cells)} |"
    README.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    resources = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            resources[name] = resources_of(name, build_in(folder, name))
    renew_table(resources)


if __name__ == "__main__":
    main()

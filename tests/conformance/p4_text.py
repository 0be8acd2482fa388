# SPDX-License-Identifier: BSD-3-Clause
"""Reads declarations from the text of P4 files."""

import re
import subprocess
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "hw" / "p4"
NAMES = ("switchml", "switchml64", "atp", "dsa")


def text(path) -> str:
    """A file below hw/p4 without its comments."""
    source = (PROGRAMS / path).read_text(encoding="utf-8")
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.DOTALL)


def headers(source: str) -> dict[str, list[list]]:
    """The fields of each header, [name, bits] in their order."""
    found = {}
    for name, body in re.findall(r"\bheader\s+(\w+)\s*\{(.*?)\}", source, flags=re.DOTALL):
        fields = [re.fullmatch(r"bit<(\d+)>\s+(\w+)", part.strip()) for part in body.split(";")[:-1]]
        assert all(fields), f"header {name} has a field that is no bit<N>"
        found[name] = [[field[2], int(field[1])] for field in fields]
    return found


def constants(source: str) -> dict[str, int]:
    """The named integers."""
    declared = re.findall(r"\bconst\s+[\w<>]+\s+(\w+)\s*=\s*([^;]+);", source)
    return {name: int(value, 0) for name, value in declared}


def program(name, programs=PROGRAMS) -> Path:
    return programs / name / f"{name}.p4"


def preprocessed(name, programs=PROGRAMS) -> str:
    """The source code of a program with its includes from hw/p4 and with macros expanded, without
    the files of the language and the chip."""
    source = re.sub(r"#include <.*>", "", program(name, programs).read_text(encoding="utf-8"))
    folder = program(name, programs).parent
    expanded = subprocess.run(
        ["cpp", "-P", "-nostdinc", "-iquote", folder, "-"], input=source, capture_output=True, text=True, check=True
    )
    return expanded.stdout

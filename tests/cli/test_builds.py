# SPDX-License-Identifier: BSD-3-Clause
"""What makes builds different: code-crc32, whose path is in the environment variable INA_CODE_CRC32."""

import json
import os
import re
import subprocess

import ina_sim
import pytest

SOURCES = sorted((ina_sim.REPOSITORY / "ns3-modules/ina-cluster/app").glob("*.cc"))
CODE = r"""#include <string>
#define WIDE(x) \
    (x)
// A comment.
int grouped = 1'000'000; /* another one */ char quote = '"';
const char* text = "no // comment, \" no end"; char apostrophe = '\'';
const char* raw = R"(no /* comment " either)";
const char* marked = u8R"x(a )" b)x"; // with a delimiter
"""


def checksum(folder, *sources):
    """Of files with these texts."""
    files = [folder / f"{number}.cc" for number in range(len(sources))]
    for file, source in zip(files, sources, strict=True):
        file.write_text(source, encoding="utf-8")
    header = folder / "checksum.h"
    subprocess.run([os.environ["INA_CODE_CRC32"], header, *files], check=True)
    return re.fullmatch(r'#define INA_CODE_CRC32 "([0-9a-f]{8})"\n', header.read_text())[1]


@pytest.mark.parametrize(
    ("what", "by"),
    [
        ("// A comment.\n", ""),
        ("// A comment.", "// A longer \\\ncomment of two lines."),
        ("// A comment.", "/* A comment\n of // two lines */"),
        ("/* another one */ ", ""),
        ("// with a delimiter", ""),
        ("\n", "\r\n"),
        ("    ", "\t"),
        ("; char", ";\n\n   char"),
    ],
)
def test_comments_and_blanks_make_no_other_build(tmp_path, what, by):
    assert what in CODE
    assert checksum(tmp_path, CODE.replace(what, by)) == checksum(tmp_path, CODE)


@pytest.mark.parametrize(
    ("what", "by"),
    [
        ("1'000'000", "1'000'001"),
        ("no // comment", "no // command"),
        ("no /* comment", "no /* command"),
        ('" b', '" c'),
        ("'\"'", "'x'"),
        (r"'\''", "'x'"),
        ("<string>", "<vector>"),
        ("(x)", "(y)"),
    ],
)
def test_all_else_makes_another_build(tmp_path, what, by):
    assert what in CODE
    assert checksum(tmp_path, CODE.replace(what, by)) != checksum(tmp_path, CODE)


def test_comments_behind_every_statement_of_a_program_make_no_other_build(tmp_path):
    texts = [source.read_text(encoding="utf-8") for source in SOURCES]
    assert len(texts) > 5
    talkative = [re.sub(r"([;{}])\n", r"\1 // Why.\n/* And\nhow. */\n", text) for text in texts]
    assert all(len(more) > len(text) for more, text in zip(talkative, texts, strict=True))
    assert checksum(tmp_path, *talkative) == checksum(tmp_path, *texts)


def test_a_checksum_that_stays_leaves_its_header_alone(tmp_path):
    checksum(tmp_path, CODE)
    os.utime(tmp_path / "checksum.h", (1, 1))
    checksum(tmp_path, CODE + "// nothing new\n")
    assert (tmp_path / "checksum.h").stat().st_mtime == 1
    checksum(tmp_path, CODE + "int more;\n")
    assert (tmp_path / "checksum.h").stat().st_mtime > 1


def test_the_manifest_has_what_makes_builds_different(tiny, tmp_path):
    build = json.loads((ina_sim.run(tiny, tmp_path) / "manifest.json").read_text())["build"]
    assert list(build) == ["ina", "commit", "code_crc32", "compiler", "flags", "ns3",
                           "modules_crc32"]  # fmt: skip
    assert re.fullmatch("[0-9a-f]{8}", build["code_crc32"])
    assert re.fullmatch("[0-9a-f]{8}", build["modules_crc32"])
    assert all(build.values())


def module_library(folder, name, parameter):
    """The shared library of an ns-3 module that somebody builds for a parameter of a model."""
    source = folder / "model.cc"
    source.write_text(f"double a_models_parameter() {{ return {parameter}; }}\n", encoding="utf-8")
    library = folder / name
    subprocess.run(["c++", "-shared", "-fPIC", "-o", library, source], check=True)
    # A library that is loaded before its own is what a program with sanitizers refuses.
    return {**os.environ, "LD_PRELOAD": str(library), "ASAN_OPTIONS": "verify_asan_link_order=0"}


def test_a_changed_model_in_the_library_of_a_module_makes_another_build(tiny, tmp_path):
    run = ["run", tiny, "--out", tmp_path / "results"]
    made = module_library(tmp_path, "libns3-model.so", 0.5)
    assert ina_sim.ina(*run, env=made).returncode == 0
    kept = ina_sim.ina(*run, env=made)
    assert kept.returncode == 0
    assert "were there already" in kept.stdout
    refused = ina_sim.ina(*run, env=module_library(tmp_path, "libns3-model.so", 0.75))
    assert refused.returncode == 2
    assert "of another build: modules " in refused.stderr


def test_a_library_that_is_no_module_makes_no_other_build(tiny, tmp_path):
    run = ["run", tiny, "--out", tmp_path / "results"]
    assert ina_sim.ina(*run).returncode == 0
    kept = ina_sim.ina(*run, env=module_library(tmp_path, "libother.so", 0.5))
    assert kept.returncode == 0
    assert "were there already" in kept.stdout

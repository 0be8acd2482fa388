# SPDX-License-Identifier: BSD-3-Clause
"""Tests and fuzz targets."""

import contextlib
import os
import subprocess
import sys

from analysis.launcher import ROOT, builds
from analysis.launcher.messages import Ended, Failure, show, wrong_input
from analysis.launcher.packages import install_missing
from analysis.launcher.presets import BuildFolder
from analysis.launcher.processes import attend, become
from analysis.launcher.programs import check_built
from analysis.launcher.sources import Stamp

DEFAULT_SECONDS = "60"


def provide_all(folder, *packages):
    if folder.no_build:
        check_built(folder, ["all"])
        return
    install_missing(*packages)
    builds.build(folder, Stamp(folder), ["all"])


def run_tests(folder, arguments):
    if arguments[:1] == ["--sanitize"]:
        folder = BuildFolder("sanitize", folder.no_build)
        arguments = arguments[1:]
    provide_all(folder, "tests", "docs")
    outcomes = f"{folder.path}/tests.xml"
    with contextlib.suppress(FileNotFoundError):
        os.remove(outcomes)
    os.environ.setdefault("CTEST_PARALLEL_LEVEL", str(len(os.sched_getaffinity(0))))
    # Output of passed tests is cut at its end, where skipped parts are listed.
    own = ["--output-junit", outcomes, "--test-output-truncation", "head"]
    status = attend(["ctest", "--preset", folder.preset, *own, *arguments], cwd=ROOT)
    if os.path.exists(outcomes):
        report = f"{ROOT}/tests/support/outcomes.py"
        subprocess.run([sys.executable, "-P", report, outcomes], check=False)
    raise Ended(status)


def run_fuzz(folder, arguments):
    folder = BuildFolder("fuzz", folder.no_build)
    provide_all(folder, "tests")
    targets = sorted(os.listdir(f"{folder.path}/targets"))
    if not arguments:
        show("".join(f"{name}\n" for name in targets))
        return
    target, *rest = arguments
    if target not in targets:
        raise wrong_input(f"no fuzz target: {target}; allowed: {', '.join(targets)}")
    if not rest:
        mutate(folder, target, DEFAULT_SECONDS)
    elif len(rest) == 2 and rest[0] == "--seconds":
        mutate(folder, target, rest[1])
    elif len(rest) == 1 and rest[0] and not rest[0].startswith("-"):
        become([f"{folder.path}/targets/{target}", rest[0]])
    else:
        raise wrong_input("allowed: ./ina fuzz TARGET [FILE | --seconds N]")


def mutate(folder, target, seconds):
    """Fuzzes a target: new inputs go to corpus/, failing ones to artifacts/. libFuzzer prints its seed."""
    if not (seconds.isascii() and seconds.isdigit()):
        raise wrong_input(f'fuzz --seconds: found "{seconds}"; allowed: a whole number')
    corpus = f"{folder.path}/corpus/{target}"
    for made in (corpus, f"{folder.path}/artifacts"):
        os.makedirs(made, exist_ok=True)
    status = attend([
        f"{folder.path}/targets/{target}", f"-max_total_time={seconds}", "-max_len=4096",
        "-timeout=30", "-print_final_stats=1", f"-dict={folder.path}/scenario.dict",
        f"-artifact_prefix={folder.path}/artifacts/{target}-", corpus, f"{folder.path}/seeds/{target}",
    ])  # fmt: skip
    if status != 0:
        raise Failure(f"{target} is broken by the file that is named above: ./ina fuzz {target} FILE")

# SPDX-License-Identifier: BSD-3-Clause
"""Lets Snakemake run scenarios of papers in slices, on this machine or a cluster."""

import re
import shutil
from pathlib import Path

from analysis.attendance import Attendance, GroupAttendance
from analysis.reproduce import published
from analysis.results import AnalysisError
from hw.commands.statuses import INTERRUPTED
from hw.files import output

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / "scenarios" / "workflow"
WRITER = "ina reproduce --workflow"


def run(options, out, scenarios, given):
    """The exit status. `given`: {option of ina run: its values}."""
    snakemake = shutil.which("snakemake")
    if snakemake is None:
        raise AnalysisError("--workflow: no snakemake; allowed: after apt-get install snakemake")
    settings = [*profile_of(options.workflow), *cores_of(given["parallel"])]
    if not scenarios:
        return 0
    files = [str(ROOT / published.SCENARIOS / scenario) for scenario in scenarios]
    to_validate = [
        argument
        for option in ("seeds", "set")
        for value in given[option]
        for argument in (f"--{option}", value)
    ]
    with Attendance() as attendance:
        status = attendance.run([options.program, "validate", *to_validate, *files])
    if status != 0:
        return status
    configured = out / "workflow.json"
    output.write_json("--out", configured, WRITER, config_of(options, out, files, given))
    with GroupAttendance() as attendance:
        status = attendance.run(
            [snakemake, "--snakefile", str(WORKFLOW / "Snakefile"), "--directory", str(out.resolve()),
             "--configfile", str(configured.resolve()), *settings]
        )  # fmt: skip
    return INTERRUPTED if attendance.is_ended else status


def profile_of(name):
    """Arguments of Snakemake."""
    for profile in (WORKFLOW / "profiles" / name, Path(name)):
        if profile.is_dir():
            return ["--profile", str(profile.resolve())]
    raise AnalysisError(
        f'--workflow: found "{name}"; allowed: local, slurm, or the folder of a profile of Snakemake'
    )


def cores_of(parallel):
    """Arguments of Snakemake."""
    for number in parallel:
        if not re.fullmatch(r"[1-9]\d{0,3}", number):
            raise AnalysisError(f'--parallel: found "{number}"; allowed: a number from 1 to 9999')
    return ["--cores", parallel[-1]] if parallel else []


def config_of(options, out, files, given):
    """The configuration for scenarios/workflow."""
    config = {"scenarios": files, "out": str(out.resolve()), "program": options.program}
    if given["seeds"]:
        config["seeds"] = given["seeds"][-1]
    return config | {"set": given["set"], "replace": options.replace}

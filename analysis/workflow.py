# SPDX-License-Identifier: BSD-3-Clause
"""Lets Snakemake run scenarios of papers in slices, here or on a cluster."""

import shutil
from pathlib import Path

from analysis import output, published
from analysis.attendance import Attendance, GroupAttendance
from analysis.results import AnalysisError

ROOT = Path(__file__).resolve().parents[1]
WORKFLOW = ROOT / "scenarios" / "workflow"
WRITER = "ina reproduce --workflow"


def run(options, out, scenarios, given):
    """The status of what ran. `given`: {an option of ina run: its values}."""
    snakemake = shutil.which("snakemake")
    if snakemake is None:
        raise AnalysisError("--workflow: no snakemake; allowed: after apt-get install snakemake")
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
        status = attendance.run([snakemake, *arguments(options, out, configured, given)])
    return 130 if attendance.is_ended else status


def config_of(options, out, files, given):
    """What scenarios/workflow reads."""
    config = {"scenarios": files, "out": str(out.resolve()), "program": options.program}
    if given["seeds"]:
        config["seeds"] = given["seeds"][-1]
    return config | {"set": given["set"], "replace": options.replace}


def arguments(options, out, configured, given):
    ours = WORKFLOW / "profiles" / options.workflow
    return [
        "--snakefile", str(WORKFLOW / "Snakefile"),
        "--profile", str(ours) if ours.is_dir() else options.workflow,
        "--directory", str(out.resolve()),
        "--configfile", str(configured.resolve()),
        *(["--cores", given["parallel"][-1]] if given["parallel"] else []),
    ]  # fmt: skip

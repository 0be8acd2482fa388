# SPDX-License-Identifier: BSD-3-Clause
"""Result folders in the simulator's format, marked `testbed` (docs/reference/results.md). Collects the
reports of the processes, from which the simulator's program makes the tables."""

import csv
import io
import json
import os
import zlib
from collections import Counter
from itertools import product

from hw.commands.errors import CommandError
from hw.commands.inputs import link_name
from hw.commands.interrupts import undisturbed
from hw.commands.statuses import ENVIRONMENT_ERROR
from hw.files import output
from hw.testbed.reports import sums_of
from hw.testbed.topology import links_of, switches_of

MANIFEST = "manifest.json"
PLANNED = ("point", "seed", "swept", "swept_numbers", "scenario")
US_PER_MS = 1000
UNKNOWN = 2**64 - 1  # a count of a hardware switch, which reports none; its cell is empty
OF_SWITCHES = {"fallbacks": "fallbacks", "preemptions": "preempted"}  # columns that switches count


def check_writable(folder):
    """Detects, before the runs, an output folder that could not be written after them."""
    nearest = next(part for part in (folder, *folder.absolute().parents) if part.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise CommandError(
            f"--out: {nearest} cannot be written to; allowed: a folder, or where one can be made"
        )


def files(programs):
    """The names of the files of a folder."""
    return (*made_by(programs, [], []), MANIFEST)


def contents(programs, experiment, runs, testbed):
    """The files of the folder, the manifest last. `runs`: pairs of planned run and outcome;
    `testbed`: the manifest's description of the testbed."""
    tables = {file: text.encode() for file, text in tables_of(programs, experiment, runs).items()}
    sums = {file: f"{zlib.crc32(content):08x}" for file, content in tables.items()}
    manifest = manifest_of(experiment, runs, testbed) | {"tables_crc32": sums}
    return tables | {MANIFEST: (json.dumps(manifest, indent=2) + "\n").encode()}


def tables_of(programs, experiment, runs):
    """The tables as texts, by name."""
    columns = list(experiment["runs"][0]["cells"])
    return made_by(programs, columns, [reported(planned, outcome) for planned, outcome in runs])


def made_by(programs, columns, runs):
    with undisturbed():  # the program would complain about half a report
        tables = programs.tables({"columns": columns, "runs": runs})
    return {file: text.replace(f",{UNKNOWN}", ",") for file, text in tables.items()}


def reported(planned, outcome):
    """A run in the form that `ina-sim tables` reads. Values that the testbed does not know are left
    out."""
    cluster = planned["cluster"]
    return {
        "cells": list(planned["cells"].values()),
        "jobs": list(job_rows(cluster, outcome)),
        "training": list(training_of(cluster, outcome)),
        "switch": list(switch_rows(cluster, outcome)),
        "links": list(link_rows(cluster, outcome)),
    }


def write(folder, files):
    try:
        output.put({folder / file: content for file, content in files.items()})
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}", ENVIRONMENT_ERROR) from None


def job_rows(cluster, outcome):
    reports = outcome.reports
    for number, job in enumerate(cluster["jobs"]):
        workers = [reports[link_name(cluster, host)] for host in job["workers"]]
        servers = [reports[link_name(cluster, host)] for host in job.get("servers", [])]
        counters = sums_of(part["counters"] for part in workers + servers)
        reporting = reporting_switches(cluster, outcome)
        events = sums_of(reports[switch.name]["jobs"][number] for switch in reporting)
        yield {
            "job": number,
            "profile": job["profile"],
            "workers": len(job["workers"]),
            "values": sum(layer["parameters"] for layer in job["layers"]),
            "registrations": outcome.registrations.get(str(number), 1),
        } | {
            column: events[key] if reporting == switches_of(cluster) else UNKNOWN
            for column, key in OF_SWITCHES.items()
        } | counters | outcome.failures.get(str(number), {"status": "finished"})


def training_of(cluster, outcome):
    """The training reports of all processes of all workers."""
    for job in cluster["jobs"]:
        for host in job["workers"]:
            yield from outcome.reports[link_name(cluster, host)]["training"]


def switch_rows(cluster, outcome):
    """One row per switch and job, at the job's end."""
    for switch, number in product(reporting_switches(cluster, outcome), range(len(cluster["jobs"]))):
        events = outcome.reports[switch.name]["jobs"][number]
        yield {"switch": switch.name, "job": number} | events


def reporting_switches(cluster, outcome):
    """The switches of the run except hardware, which reports nothing."""
    return [switch for switch in switches_of(cluster) if switch.name in outcome.reports]


def link_rows(cluster, outcome):
    switches = {switch.name for switch in switches_of(cluster)}
    for link in links_of(cluster):
        name = link.above.name
        if name not in outcome.reports or link.name not in outcome.reports and link.name in switches:
            yield from rows_of_one_end(link, outcome.reports)
            continue
        below, above = ends_of(link, outcome.reports)
        yield link_row(f"{link.name}>{name}", below, above, ("from_switch", "to_switch"))
        yield link_row(f"{name}>{link.name}", above, below, ("from_switch", "to_switch"))


def ends_of(link, reports):
    """Reports of the lower and upper end of a link, each with the link's port. A host has a single
    port, and no counters of the link: only switches have these."""
    above = port_to(link.peer, reports[link.above.name])
    there = reports[link.name]
    return (port_to(link.above.name, there) if "ports" in there else {"port": there["port"]}), above


def rows_of_one_end(link, reports):
    """Rows of a link to a hardware switch: what the other end knows."""
    names = (link.name, link.above.name)
    known, other = names if link.name in reports else reversed(names)
    if known not in reports:
        return
    report = reports[known]
    end = report if "port" in report else port_to(link.above.name if known == link.name else link.peer, report)
    sent = {key: end["port"][key] for key in ("frames_sent", "bytes_sent")}
    received = {key: end["port"][key] for key in ("frames_received", "bytes_received")}
    yield {"link": f"{known}>{other}", "frames_received": UNKNOWN, "bytes_received": UNKNOWN} | sent
    yield {"link": f"{other}>{known}", "frames_sent": UNKNOWN, "bytes_sent": UNKNOWN} | received


def port_to(peer, switch):
    """`peer`: as in ina-switch's option --port."""
    (port,) = (port for port in switch["ports"] if port["peer"] == peer)
    return port


def link_row(name, sender, receiver, directions):
    """Each end that is a switch counts the frames that it sends. Counts of both ends are added."""
    counted = Counter()
    for end, direction in zip((sender, receiver), directions, strict=True):
        counted.update({f"frames_{what}": number for what, number in end.get(direction, {}).items()})
    sent = {key: sender["port"][key] for key in ("frames_sent", "bytes_sent")}
    received = {key: receiver["port"][key] for key in ("frames_received", "bytes_received")}
    return dict(counted) | {"link": name} | sent | received


def manifest_of(experiment, runs, testbed):
    manifest = {key: value for key, value in experiment.items() if key != "runs"}
    manifest["testbed"] = testbed
    manifest["points"] = [
        {key: planned[key] for key in PLANNED}
        | {
            f"switch_{what}": sum_of_switches(planned, outcome, what)
            for what in ("rejected_frames", "frames_without_route")
        }
        | {"wall_time_s": outcome.wall_time_s}
        | ({"replayed": outcome.replayed} if outcome.replayed else {})
        | ({"clocks": outcome.clocks} if outcome.clocks else {})
        for planned, outcome in runs
    ]
    return manifest


def sum_of_switches(planned, outcome, what):
    switches = reporting_switches(planned["cluster"], outcome)
    return sum(outcome.reports[switch.name][what] for switch in switches)


def summary(programs, experiment, planned, outcome):
    """A summary in one line, for users."""
    table = tables_of(programs, experiment, [(planned, outcome)])["jobs.csv"]
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    jcts_ms = [float(row["jct_us"]) / US_PER_MS for row in rows if row["jct_us"]]
    jct = f"JCT {sum(jcts_ms) / len(jcts_ms):.3f} ms" if jcts_ms else "no job finished"
    swept = "".join(f" {key}={value}" for key, value in planned["swept"].items())
    totals = {key: sum(int(row[key]) for row in rows) for key in ("packets_sent", "retransmissions")}
    return (
        f"{experiment['name']}{swept} seed {planned['seed']}: {jct}, "
        f"{totals['packets_sent']} packets, {totals['retransmissions']} resent{precision_of(outcome)}"
    )


def precision_of(outcome):
    """The precision of the machines' clocks, which bounds that of the JCT."""
    if not outcome.clocks:
        return ""
    error_us = max(clock["error_us"] for clock in outcome.clocks.values())
    fastest = max(outcome.clocks.values(), key=lambda clock: abs(clock["drift_ppm"]))
    drift, error = abs(fastest["drift_ppm"]), fastest["drift_error_ppm"]
    return f"; clocks within {error_us:.0f} us, drift {drift:.1f} ppm (error {error:.1f} ppm)"

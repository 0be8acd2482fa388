# SPDX-License-Identifier: BSD-3-Clause
"""The register cells of golden traces, in the layout of the P4 programs."""

from hw.p4.control.job import Level
from hw.p4.control.program_text import NOBODY, shared, slots

ARRAYS = 32  # number of arrays of values of SwitchML
HALF = 31  # number of values of ATP and DSA that a pass brings to the registers
BITS = 2**32 - 1
# Arrays with the same content in both, by system: name in golden traces, and name in the program.
PLAIN = {
    "switchml": {"latest": "Ingress.ownership.latest"},
    "atp": {"bitmap": "Ingress.bitmap.bitmaps", "generation": "Ingress.generation.generations"},
    "dsa": {
        "bitmap": "Ingress.bitmap.bitmaps",
        "generation": "Ingress.generation.generations",
        "swapped": "Ingress.swapped.swaps",
        "priority": "Ingress.priority.priorities",
        "marks": "Ingress.verdict.marks",
    },
}


def cells_of(golden_trace, step):
    """(array, index, value by field) for each register value that the golden trace lists after a
    step."""
    for array, expected in step["registers"].items():
        for index, value in expected.items():
            yield from translated(golden_trace, step, array, int(index), value)


def translated(golden_trace, step, array, index, value):
    if array in PLAIN[golden_trace.system]:
        yield cell(PLAIN[golden_trace.system][array], index, value)
    elif golden_trace.system == "switchml":
        yield from of_switchml(golden_trace, array, index, value)
    else:
        yield from of_aggregator(golden_trace, step, array, index, value)


def of_switchml(golden_trace, array, index, value):
    if array == "seen":
        name = "Ingress.bitmap.seen"
        fields = {f"{name}.version{version}": bits for version, bits in enumerate(value)}
        yield f"pipe.{name}", index, fields
        return
    # A golden trace has the two versions of a slot next to each other; here they are in the two
    # halves of the array.
    slot, version = divmod(index, 2)
    row = version * slots(golden_trace.program) + slot
    if array == "count":
        yield cell("Ingress.count.missing", row, missing(job_of_slot(golden_trace, slot), value))
    elif array == "exponents":
        yield cell("Ingress.exponents.largest", row, value)
    elif array == "values":
        yield from values_of_slot([one & BITS for one in value], row)
    else:
        raise KeyError(array)


def values_of_slot(values, row):
    """With 64 values, a cell holds two of them."""
    for number, low in enumerate(values[:ARRAYS]):
        name = f"Ingress.values.value{number}.sums"
        if len(values) == ARRAYS:
            yield cell(name, row, low)
        else:
            fields = {f"{name}.low": low, f"{name}.high": values[ARRAYS + number]}
            yield f"pipe.{name}", row, fields


def of_aggregator(golden_trace, step, array, index, value):
    if array == "task":
        yield task(index, value)
    elif array == "counter":
        job, _ = step["registers"]["task"][str(index)]
        contributions = golden_trace.job(str(job)).contributions
        yield cell("Ingress.count.missing", index, contributions - value)
    elif array == "ecn":
        yield cell("Ingress.congestion.marks", index, shared("FLAG_ECN") if value else 0)
    elif array == "second_half":
        yield second_half(index, *value)
    elif array == "values":
        for number, one in enumerate(value):
            half, lane = divmod(number, HALF)
            yield cell(f"Ingress.values.value{lane}.sums", 2 * index + half, one & BITS)
    else:
        raise KeyError(array)


def cell(array, index, value):
    return f"pipe.{array}", index, {f"{array}.f1": value}


def second_half(index, generation, contributors):
    name = "Ingress.second_half.halves"
    fields = {f"{name}.generation": generation, f"{name}.contributors": contributors}
    return f"pipe.{name}", index, fields


def task(index, value):
    """The PSN of a free aggregator is not compared."""
    name = "Ingress.ownership.tasks"
    if value == "free":
        return f"pipe.{name}", index, {f"{name}.job": NOBODY}
    job, psn = value
    return f"pipe.{name}", index, {f"{name}.psn": psn, f"{name}.job": job}


def missing(job, count):
    """The program's count of a slot. A golden trace counts the contributions that came, and
    restarts at 0 after the last one; at a leaf that is the root's result. The program counts
    those that are still to come, at a leaf including the result."""
    waits_for = job.contributions + (job.level is Level.LEAF)
    return waits_for - count if count else 0


def job_of_slot(golden_trace, slot):
    (number,) = [
        number
        for number, job in golden_trace.jobs.items()
        if job["first_slot"] <= slot < job["first_slot"] + job["slots"]
    ]
    return golden_trace.job(number)

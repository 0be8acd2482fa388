# SPDX-License-Identifier: BSD-3-Clause
"""The register cells of stories, as the P4 programs have them."""

from hw.p4.control.program_text import NOBODY, shared, slots

ARRAYS = 32  # of values of SwitchML
HALF = 31  # values of ATP and DSA that a pass brings to the registers
BITS = 2**32 - 1
# Arrays with the same content: what stories call them, by system.
PLAIN = {
    "switchml": {"latest": "Ingress.ownership.latest"},
    "atp": {"bitmap": "Ingress.bitmap.bitmaps"},
    "dsa": {
        "bitmap": "Ingress.bitmap.bitmaps",
        "priority": "Ingress.priority.priorities",
        "marks": "Ingress.verdict.marks",
    },
}


def cells_of(story, step):
    """(array, index, value by field) of what the story says of the registers after a step."""
    for array, told in step["registers"].items():
        for index, value in told.items():
            yield from translated(story, step, array, int(index), value)


def translated(story, step, array, index, value):
    if array in PLAIN[story.system]:
        yield cell(PLAIN[story.system][array], index, value)
    elif story.system == "switchml":
        yield from of_switchml(story, array, index, value)
    else:
        yield from of_aggregator(story, step, array, index, value)


def of_switchml(story, array, index, value):
    if array == "seen":
        name = "Ingress.bitmap.seen"
        fields = {f"{name}.version{version}": bits for version, bits in enumerate(value)}
        yield f"pipe.{name}", index, fields
        return
    # The two versions of a slot are neighbours in a story, and here in two halves of the array.
    slot, version = divmod(index, 2)
    row = version * slots(story.program) + slot
    if array == "count":
        yield cell("Ingress.count.missing", row, missing(workers_of_slot(story, slot), value))
    elif array == "exponents":
        yield cell("Ingress.exponents.largest", row, value)
    elif array == "values":
        yield from values_of_slot([one & BITS for one in value], row)
    else:
        raise KeyError(array)


def values_of_slot(values, row):
    """Of 64 values, two have a cell."""
    for number, low in enumerate(values[:ARRAYS]):
        name = f"Ingress.values.value{number}.sums"
        if len(values) == ARRAYS:
            yield cell(name, row, low)
        else:
            fields = {f"{name}.low": low, f"{name}.high": values[ARRAYS + number]}
            yield f"pipe.{name}", row, fields


def of_aggregator(story, step, array, index, value):
    if array == "task":
        yield task(index, value)
    elif array == "counter":
        job, _ = step["registers"]["task"][str(index)]
        yield cell("Ingress.count.missing", index, len(story.jobs[str(job)]["workers"]) - value)
    elif array == "ecn":
        yield cell("Ingress.congestion.marks", index, shared("FLAG_ECN") if value else 0)
    elif array == "values":
        for number, one in enumerate(value):
            half, lane = divmod(number, HALF)
            yield cell(f"Ingress.values.value{lane}.sums", 2 * index + half, one & BITS)
    else:
        raise KeyError(array)


def cell(array, index, value):
    return f"pipe.{array}", index, {f"{array}.f1": value}


def task(index, value):
    """Of a free aggregator the PSN does not matter."""
    name = "Ingress.ownership.tasks"
    if value == "free":
        return f"pipe.{name}", index, {f"{name}.job": NOBODY}
    job, psn = value
    return f"pipe.{name}", index, {f"{name}.psn": psn, f"{name}.job": job}


def missing(workers, count):
    """Of a slot: a story counts who came, from 0 when all did; the program who is to come."""
    return workers - count if count else 0


def workers_of_slot(story, slot):
    (workers,) = [
        len(job["workers"])
        for job in story.jobs.values()
        if job["first_slot"] <= slot < job["first_slot"] + job["slots"]
    ]
    return workers

# SPDX-License-Identifier: BSD-3-Clause
"""Golden traces of a leaf and of the root of a job's tree.

Job 1 has workers 0 and 1 under the leaf in rack 0 (branch 0), worker 2 at the root in rack 1
(branch 1), and workers 3 and 4 in rack 2 (branch 2). Job 2 has worker 0 under the leaf and worker 1
at the root.
"""

from golden_traces import (
    COLLISION, ECN, ALL_WORKERS, FREE, GRADIENT, PARTIAL, REMINDER, RESEND, RESULT, SECOND_LEVEL, VERSION, GoldenTrace,
    const, line, packet,
)

UP, TO_RACK_0, TO_RACK_2 = 20, 20, 21  # ports to other switches
LEAF = {"rack": 0, "root": 1, "ports": {str(UP): [1, 2]}}
ROOT = {"rack": 1, "root": 1, "ports": {str(TO_RACK_0): [0], str(TO_RACK_2): [2]}}
JOBS = {
    "1": {"workers": [1, 2, 3, 4, 5], "racks": [0, 0, 1, 2, 2], "server": 9},
    "2": {"workers": [6, 7], "racks": [0, 1], "server": 8},
}
BRANCHES = {"1": 3, "2": 2}
POOLS = {"1": {"first_slot": 0, "slots": 8}, "2": {"first_slot": 8, "slots": 8}}
SWITCHML_JOBS = {number: {"workers": job["workers"], "racks": job["racks"]} | POOLS[number] for number, job in JOBS.items()}
EVERYBODY = sorted([TO_RACK_0, TO_RACK_2, 3])  # all destinations of job 1 at the root


# ---- ATP

def atp(rank, places, branch, psn, index, values, flags=0):
    return packet(kind=GRADIENT, flags=flags, job=1, psn=psn, aggregator_index=index, bitmap0=places, bitmap1=1 << branch,
                  fan_in_degree0=2, fan_in_degree1=3, worker=rank, source=JOBS["1"]["workers"][rank], destination=9,
                  values=values)


def atp_leaf():
    golden_trace = GoldenTrace("atp", "leaf", "A leaf's sum goes up, and the server's result frees the aggregator", JOBS, switch=LEAF)
    golden_trace.step("the first worker's packet", atp(0, 0b01, 0, 7, 5, line(10)), task={5: [1, 7]}, bitmap={5: 0b01},
                      counter={5: 1}, ecn={5: False}, values={5: line(10)})
    last = atp(1, 0b10, 0, 7, 5, line(1))
    golden_trace.step("the second one completes the leaf's sum, which goes up", last,
                      last | {"flags": SECOND_LEVEL, "bitmap0": 0b11, "values": line(11, 2)}, [UP],
                      bitmap={5: 0b11}, counter={5: 2}, values={5: line(11, 2)})
    result = packet(kind=RESULT, job=1, psn=7, aggregator_index=5, fan_in_degree0=2, source=9, destination=ALL_WORKERS,
                    values=line(100))
    golden_trace.step("the server's result frees it, and goes to the workers of the leaf", result, result, [1, 2], by=UP,
                      task={5: FREE}, bitmap={5: None}, counter={5: None}, ecn={5: None}, values={5: None})
    golden_trace.step("the first worker's next packet", atp(0, 0b01, 0, 8, 6, line(10)), task={6: [1, 8]}, bitmap={6: 0b01},
                      counter={6: 1}, ecn={6: False}, values={6: line(10)})
    again = atp(1, 0b10, 0, 8, 6, line(1), RESEND)
    golden_trace.step("a resend takes it along, up", again,
                      again | {"flags": RESEND | SECOND_LEVEL | PARTIAL, "bitmap0": 0b11, "values": line(11, 2)}, [UP],
                      task={6: FREE}, bitmap={6: None}, counter={6: None}, ecn={6: None}, values={6: None})
    alone = packet(kind=GRADIENT, job=2, psn=3, aggregator_index=4, bitmap0=1, bitmap1=1, fan_in_degree0=1, fan_in_degree1=2,
                   worker=0, source=6, destination=8, values=line(3))
    golden_trace.step("what is the leaf's only worker's goes up at once", alone, alone | {"flags": SECOND_LEVEL}, [UP],
                      task={4: [2, 3]}, bitmap={4: 0b1}, counter={4: 1}, ecn={4: False}, values={4: line(3)})
    return golden_trace


# ---- DSA

GONE = {"priority": None, "bitmap": None, "marks": None, "values": None}


def gone(index):
    """Ignores the content of a free aggregator."""
    return {"task": {index: FREE}} | {array: {index: None} for array in GONE}


def held(psn, index, priority, bitmap, values, marks=0):
    return {"task": {index: [1, psn]}, "priority": {index: priority}, "bitmap": {index: bitmap}, "marks": {index: marks},
            "values": {index: values}}


def dsa(rank, psn, index, priority, values, flags=0):
    """A gradient of a worker in rack 0."""
    return packet(kind=GRADIENT, flags=flags, job=1, psn=psn, aggregator_index=index, bitmap0=1 << rank, priority=priority,
                  branch=1, fan_in_degree0=2, fan_in_degree1=3, worker=rank, source=JOBS["1"]["workers"][rank],
                  destination=9, values=values)


def dsa_sum(rank, branch, below, psn, index, priority, values, flags=0):
    """A branch's sum, in a worker's packet."""
    return packet(kind=GRADIENT, flags=SECOND_LEVEL | flags, job=1, psn=psn, aggregator_index=index, bitmap0=1 << branch,
                  priority=priority, fan_in_degree0=below, fan_in_degree1=3, worker=rank,
                  source=JOBS["1"]["workers"][rank], destination=9, values=values)


def of_server(kind, psn, index, destination=9):
    return packet(kind=kind, job=1, psn=psn, aggregator_index=index, fan_in_degree0=2, fan_in_degree1=3, source=9,
                  destination=destination, values=const(0))


def dsa_leaf():
    golden_trace = GoldenTrace("dsa", "leaf", "A leaf hands up its sum as that of a branch, keeps nothing, and answers reminders",
                               JOBS, switch=LEAF)
    golden_trace.step("the first worker takes aggregator 5", dsa(0, 7, 5, 6, line(100), ECN),
                      **held(7, 5, 6, 0b01, line(100), ECN))
    last = dsa(1, 7, 5, 9, line(-50, 2))
    golden_trace.step("the second one completes the leaf's sum: it goes up, with the mark, and nothing stays", last,
                      last | {"flags": SECOND_LEVEL | ECN, "bitmap0": 0b001, "branch": 0, "values": line(50, 3)}, [UP], **gone(5))
    again = dsa(0, 7, 5, 6, line(100), RESEND)
    golden_trace.step("the first worker's time-out: past the aggregators, up", again, again, [UP])
    golden_trace.step("a task of low priority", dsa(0, 8, 5, 2, line(8)), **held(8, 5, 2, 0b01, line(8)))
    winner = dsa(1, 9, 5, 6, line(9))
    golden_trace.step("one of a higher priority drives it out, as a part of branch 0", winner,
                      winner | {"flags": PARTIAL, "psn": 8, "bitmap0": 0b01, "priority": 2, "values": line(8)}, [UP],
                      **held(9, 5, 6, 0b10, line(9)))
    loser = dsa(0, 10, 5, 1, line(10))
    golden_trace.step("one of a lower priority collides", loser, loser | {"flags": COLLISION}, [UP], priority={5: 3})
    reminder = of_server(REMINDER, 9, 5, destination=1)
    turned = reminder | {"source": 1, "destination": 9}
    golden_trace.step("the server asks by way of worker 0: the leaf answers in its name", reminder,
                      turned | {"kind": GRADIENT, "flags": PARTIAL | RESEND, "bitmap0": 0b10, "branch": 1, "values": line(9)},
                      [UP], by=UP, **gone(5))
    golden_trace.step("it also answers that there is nothing more", reminder, turned, [UP], by=UP)
    golden_trace.step("one more task", dsa(0, 11, 5, 2, line(11)), **held(11, 5, 2, 0b01, line(11)))
    result = packet(kind=RESULT, job=1, psn=11, aggregator_index=5, fan_in_degree0=2, fan_in_degree1=3, worker=3, source=4,
                    destination=ALL_WORKERS, priority=1, values=line(1000))
    golden_trace.step("the root's answer, in a packet of another rack: frees, and goes to the workers of the leaf", result, result,
                      [1, 2], by=UP, **gone(5))
    alone = packet(kind=GRADIENT, job=2, psn=5, aggregator_index=3, bitmap0=1, priority=4, branch=1, fan_in_degree0=1,
                   fan_in_degree1=2, worker=0, source=6, destination=8, values=line(9))
    golden_trace.step("what is the leaf's only worker's goes up at once", alone,
                      alone | {"flags": SECOND_LEVEL, "bitmap0": 0b01, "branch": 0}, [UP], task={3: FREE})
    return golden_trace


def dsa_root():
    golden_trace = GoldenTrace("dsa", "root", "The root adds up branches, answers, and lets pass what is of a part of one", JOBS,
                               switch=ROOT)
    golden_trace.step("a leaf's sum", dsa_sum(1, 0, 2, 7, 5, 6, line(100), ECN), by=TO_RACK_0,
                      **held(7, 5, 6, 0b001, line(100), ECN))
    golden_trace.step("the worker at the root", dsa_sum(2, 1, 1, 7, 5, 6, line(10)), bitmap={5: 0b011}, values={5: line(110, 2)})
    last = dsa_sum(3, 2, 2, 7, 5, 6, line(1))
    golden_trace.step("the other leaf's sum completes it: all get the result", last,
                      last | {"kind": RESULT, "flags": ECN, "destination": ALL_WORKERS, "bitmap0": 0, "values": line(111, 3)},
                      EVERYBODY, by=TO_RACK_2, **gone(5))
    part = dsa(0, 8, 5, 6, line(1), PARTIAL)
    golden_trace.step("a part of a branch goes past the aggregators", part, part, [9], by=TO_RACK_0)
    collided = dsa(0, 8, 5, 6, line(1), COLLISION)
    golden_trace.step("so does a packet that collided at its leaf", collided, collided, [9], by=TO_RACK_0)
    again = dsa_sum(1, 0, 2, 7, 5, 6, line(100), RESEND)
    golden_trace.step("a leaf's sum with a retransmission in it reserves nothing", again, again, [9], by=TO_RACK_0)
    golden_trace.step("a task of low priority", dsa_sum(1, 0, 2, 8, 5, 2, line(8)), by=TO_RACK_0,
                      **held(8, 5, 2, 0b001, line(8)))
    winner = dsa_sum(2, 1, 1, 9, 5, 6, line(9))
    golden_trace.step("one of a higher priority drives it out, as a sum of branches", winner,
                      winner | {"flags": SECOND_LEVEL | PARTIAL, "psn": 8, "bitmap0": 0b001, "priority": 2, "fan_in_degree0": 3,
                                "values": line(8)}, [9], **held(9, 5, 6, 0b010, line(9)))
    of_leaf = of_server(REMINDER, 9, 5, destination=1)
    golden_trace.step("a reminder for a leaf passes", of_leaf, of_leaf, [TO_RACK_0])
    answer = of_leaf | {"source": 1, "destination": 9}
    golden_trace.step("so does its answer", answer, answer, [9], by=TO_RACK_0)
    reminder = of_server(REMINDER, 9, 5)
    golden_trace.step("one for the root brings what it holds", reminder,
                      reminder | {"kind": GRADIENT, "flags": SECOND_LEVEL | PARTIAL | RESEND, "bitmap0": 0b010,
                                  "fan_in_degree0": 3, "values": line(9)}, [9], **gone(5))
    golden_trace.step("one more task", dsa_sum(3, 2, 2, 11, 5, 2, line(11)), by=TO_RACK_2, **held(11, 5, 2, 0b100, line(11)))
    result = of_server(RESULT, 11, 5, destination=ALL_WORKERS)
    golden_trace.step("the server's result frees it", result, result, EVERYBODY, **gone(5))
    return golden_trace


# ---- SwitchML: rows are 2 slot + version

def update(number, host, psn, slot, values, version=0, exponents=0, job=1):
    return packet(kind=GRADIENT, job=job, worker=number, psn=psn, aggregator_index=slot, source=host, destination=host,
                  flags=VERSION if version else 0, values=values, exponents=exponents)


def result_of(update_, values, **fields):
    return update_ | {"kind": RESULT, "destination": ALL_WORKERS, "values": values} | fields


def switchml_trace(name, values, about, switch):
    return GoldenTrace("switchml", name if values == 32 else f"{values}-{name}", about, SWITCHML_JOBS, values, switch)


def switchml_leaf(values):
    golden_trace = switchml_trace("leaf", values, "A leaf's sum waits for the root's result, which takes its place", LEAF)
    first = update(0, 1, 0, 2, line(10), exponents=3)
    golden_trace.step("the first worker", first, latest={2: 0}, seen={2: [0b01, 0]}, exponents={4: 3}, count={4: 1},
                      values={4: line(10)})
    last = update(1, 2, 0, 2, line(1), exponents=2)
    sum_ = {"values": line(11, 2), "exponents": 3}
    golden_trace.step("the second one completes the leaf's sum: up, as an update of branch 0", last, last | sum_ | {"worker": 0},
                      [UP], seen={2: [0b11, 0]}, count={4: 2}, values={4: line(11, 2)})
    golden_trace.step("a worker's time-out before the result: the sum goes up again", first, first | sum_, [UP])
    result = result_of(update(2, 4, 0, 2, line(0)), line(500), exponents=9)
    golden_trace.step("the root's result takes the sum's place, and goes to the workers of the leaf", result, result, [1, 2],
                      by=UP, exponents={4: 9}, count={4: 0}, values={4: line(500)})
    golden_trace.step("a copy of it is dropped", result, by=UP)
    golden_trace.step("a worker that lacks it gets it alone", first,
                      result_of(first, line(500), destination=1, exponents=9), [1])
    for psn, slot_version in ((8, 1), (16, 0)):
        row = 4 + slot_version
        of_first, of_last = (update(place, 1 + place, psn, 2, line(psn), slot_version) for place in (0, 1))
        golden_trace.step(f"fragment {psn}", of_first, latest={2: psn}, seen={2: [0b10, 0b01] if slot_version else [0b01, 0b10]},
                          exponents={row: 0}, count={row: 1}, values={row: line(psn)})
        if slot_version:
            golden_trace.step("is complete", of_last, of_last | {"worker": 0, "values": line(2 * psn, 2)}, [UP],
                              seen={2: [0, 0b11]}, count={row: 2}, values={row: line(2 * psn, 2)})
            of_root = result_of(update(1, 3, psn, 2, line(0), 1), line(700))
            golden_trace.step("and its result comes", of_root, of_root, [1, 2], by=UP, count={row: 0}, values={row: line(700)})
    golden_trace.step("a result that the network held back stands for no sum", result, by=UP)
    alone = update(0, 6, 0, 1, line(3), job=2)
    golden_trace.step("what is the leaf's only worker's goes up at once", alone, alone, [UP], latest={9: 0}, seen={9: [1, 0]},
                      count={18: 1}, values={18: line(3)})
    golden_trace.step("also again", alone, alone, [UP])
    return golden_trace


def switchml_root(values):
    golden_trace = switchml_trace("root", values, "The root adds up the leaves' sums and its own workers' updates", ROOT)
    of_leaf = update(0, 2, 0, 2, line(10))
    golden_trace.step("a leaf's sum", of_leaf, by=TO_RACK_0, latest={2: 0}, seen={2: [0b001, 0]}, count={4: 1},
                      values={4: line(10)})
    golden_trace.step("once more: it counts once", of_leaf, by=TO_RACK_0)
    golden_trace.step("the worker at the root", update(1, 3, 0, 2, line(1)), seen={2: [0b011, 0]}, count={4: 2},
                      values={4: line(11, 2)})
    last = update(2, 5, 0, 2, line(100))
    golden_trace.step("the other leaf's sum completes it", last, result_of(last, line(111, 3)), EVERYBODY, by=TO_RACK_2,
                      seen={2: [0b111, 0]}, count={4: 0}, values={4: line(111, 3)})
    again = update(0, 1, 0, 2, line(10))
    golden_trace.step("a leaf that lacks the result gets it alone", again,
                      result_of(again, line(111, 3), destination=1), [TO_RACK_0], by=TO_RACK_0)
    return golden_trace

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes golden_traces/*.json: the required behaviour of each data plane, packet by packet.

The files are committed. Run this program only after a deliberate change of a protocol, and review
the difference. A task is written as [job, PSN], a free aggregator as "free".
"""

from golden_traces import (
    ANSWER, COLLISION, ECN, ALL_WORKERS, FLOATS, FREE, GRADIENT, HIGHEST, LOWEST, PARTIAL, REMINDER, RESEND, RESULT,
    SECOND_LEVEL, VERSION, GoldenTrace, const, line, packet,
)
from golden_traces_of_levels import atp_leaf, dsa_leaf, dsa_root, switchml_leaf, switchml_root
from golden_traces_of_passes import traces_of_passes


# ---- SwitchML: slot 2 of job 1 is slot 2 of the pool, slot 2 of job 2 is slot 10; row = 2 slot + version

SWITCHML_JOBS = {
    "1": {"workers": [1, 2], "first_slot": 0, "slots": 8},
    "2": {"workers": [4, 5], "first_slot": 8, "slots": 8},
}


def update(job, worker, psn, slot, values, version=0, flags=0):
    host = SWITCHML_JOBS[str(job)]["workers"][worker]
    return packet(kind=GRADIENT, job=job, worker=worker, psn=psn, aggregator_index=slot, source=host, destination=host,
                  flags=flags | (VERSION if version else 0), values=values)


def switchml_result(update_, destination, values):
    return update_ | {"kind": RESULT, "destination": destination, "values": values}


def switchml_name(name, values):
    return name if values == 32 else f"{values}-{name}"


def switchml_golden_trace(name, values, about):
    return GoldenTrace("switchml", switchml_name(name, values), about, SWITCHML_JOBS, values)


def switchml_sums(values):
    golden_trace = switchml_golden_trace("sums", values, "A slot adds up, answers everybody, and the other version is next")
    golden_trace.step("the first worker fills slot 2, version 0", update(1, 0, 0, 2, line(100)),
               latest={2: 0}, seen={2: [0b01, 0]}, count={4: 1}, values={4: line(100)})
    golden_trace.step("a worker of another job has the same slot of its own pool", update(2, 1, 7, 2, line(-5)),
               latest={10: 7}, seen={10: [0b10, 0]}, count={20: 1}, values={20: line(-5)})
    last = update(1, 1, 0, 2, line(1000, 2))
    golden_trace.step("the second worker completes it: everybody gets the sum", last,
               switchml_result(last, ALL_WORKERS, line(1100, 3)), [1, 2],
               seen={2: [0b11, 0]}, count={4: 0}, values={4: line(1100, 3)})
    golden_trace.step("version 1 of the slot begins while version 0 keeps its sum", update(1, 0, 8, 2, line(7), 1),
               latest={2: 8}, seen={2: [0b10, 0b01]}, count={5: 1}, values={5: line(7)})
    return golden_trace


def switchml_shadow_copy(values):
    golden_trace = switchml_golden_trace("shadow-copy", values, "A worker whose result was lost asks again and gets the shadow copy")
    first = update(1, 0, 0, 3, line(1))
    golden_trace.step("the first worker's update", first, latest={3: 0}, seen={3: [0b01, 0]}, count={6: 1}, values={6: line(1)})
    golden_trace.step("its time-out: the slot is not complete, and the update counts once", first)
    last = update(1, 1, 0, 3, line(2))
    golden_trace.step("the second worker completes it", last, switchml_result(last, ALL_WORKERS, line(3, 2)), [1, 2],
               seen={3: [0b11, 0]}, count={6: 0}, values={6: line(3, 2)})
    golden_trace.step("the first worker lost the result and gets it alone", first, switchml_result(first, 1, line(3, 2)), [1])
    golden_trace.step("the second one goes on with the other version", update(1, 1, 8, 3, line(40), 1),
               latest={3: 8}, seen={3: [0b01, 0b10]}, count={7: 1}, values={7: line(40)})
    golden_trace.step("the first worker still gets the shadow copy", first, switchml_result(first, 1, line(3, 2)), [1])
    next_ = update(1, 0, 8, 3, line(60), 1)
    golden_trace.step("it follows, and completes version 1", next_, switchml_result(next_, ALL_WORKERS, line(100, 2)), [1, 2],
               seen={3: [0b00, 0b11]}, count={7: 0}, values={7: line(100, 2)})
    golden_trace.step("a late copy of its first update is not counted in the fragment after the next", first)
    return golden_trace


def switchml_wrap(values):
    golden_trace = switchml_golden_trace("wrap", values, "Sums wrap modulo 2^32: the workers' scale excludes overflow")
    golden_trace.step("almost too much", update(1, 0, 0, 0, const(HIGHEST)),
               latest={0: 0}, seen={0: [0b01, 0]}, count={0: 1}, values={0: const(HIGHEST)})
    last = update(1, 1, 0, 0, const(1))
    golden_trace.step("one more", last, switchml_result(last, ALL_WORKERS, const(LOWEST)), [1, 2],
               seen={0: [0b11, 0]}, count={0: 0}, values={0: const(LOWEST)})
    return golden_trace


def switchml_marks(values):
    golden_trace = switchml_golden_trace("marks", values, "A result bears the mark of the packet that completed it")
    golden_trace.step("the first worker's update was marked on its way", update(1, 0, 0, 4, line(1), flags=ECN),
               latest={4: 0}, seen={4: [0b01, 0]}, count={8: 1}, values={8: line(1)})
    last = update(1, 1, 0, 4, line(2))
    golden_trace.step("the last one was not", last, switchml_result(last, ALL_WORKERS, line(3, 2)), [1, 2],
               seen={4: [0b11, 0]}, count={8: 0}, values={8: line(3, 2)})
    golden_trace.step("the next fragment", update(1, 0, 8, 4, line(5), 1),
               latest={4: 8}, seen={4: [0b10, 0b01]}, count={9: 1}, values={9: line(5)})
    last = update(1, 1, 8, 4, line(6), 1, ECN)
    golden_trace.step("now the last one was marked", last, switchml_result(last, ALL_WORKERS, line(11, 2)), [1, 2],
               seen={4: [0b00, 0b11]}, count={9: 0}, values={9: line(11, 2)})
    return golden_trace


def switchml_exponents(values):
    golden_trace = switchml_golden_trace("exponents", values, "The largest exponent stands beside a slot's sum and its shadow copy")

    def of(exponent, *about):
        return update(*about) | {"exponents": exponent}

    first = of(0x81, 1, 0, 0, 2, line(1))
    golden_trace.step("the first worker's update begins version 0", first, latest={2: 0}, seen={2: [0b01, 0]},
               exponents={4: 0x81}, count={4: 1}, values={4: line(1)})
    golden_trace.step("it comes again, with the same exponent", first)
    last = of(0x7F, 1, 1, 0, 2, line(1))
    golden_trace.step("the second worker's exponent is smaller", last,
               switchml_result(last, ALL_WORKERS, line(2, 2)) | {"exponents": 0x81}, [1, 2],
               seen={2: [0b11, 0]}, count={4: 0}, values={4: line(2, 2)})
    golden_trace.step("the other version begins with an exponent of its own", of(5, 1, 1, 8, 2, line(3), 1),
               latest={2: 8}, seen={2: [0b01, 0b10]}, exponents={5: 5}, count={5: 1}, values={5: line(3)})
    golden_trace.step("the first worker lost the result: the shadow copy has its exponent", first,
               switchml_result(first, 1, line(2, 2)) | {"exponents": 0x81}, [1])
    next_ = of(6, 1, 0, 8, 2, line(4), 1)
    golden_trace.step("a larger one completes", next_,
               switchml_result(next_, ALL_WORKERS, line(7, 2)), [1, 2],
               seen={2: [0b00, 0b11]}, exponents={5: 6}, count={5: 0}, values={5: line(7, 2)})
    golden_trace.step("version 0 begins anew with a smaller one than it had", of(1, 1, 1, 16, 2, line(0)),
               latest={2: 16}, seen={2: [0b10, 0b01]}, exponents={4: 1}, count={4: 1}, values={4: line(0)})
    golden_trace.step("a late copy of the first update leaves it", first)
    return golden_trace


def switchml_pools(values):
    jobs = {"1": {"workers": [1, 2], "first_slot": 0, "slots": 5},
            "3": {"workers": [4, 5, 6], "first_slot": 5, "slots": 11}}
    golden_trace = GoldenTrace("switchml", switchml_name("pools", values), "The last slot of a pool that begins behind another's", jobs,
                  values)
    own = packet(kind=GRADIENT, job=3, worker=0, psn=0, aggregator_index=10, source=4, destination=4, values=line(-100))
    golden_trace.step("the first worker's update of the last slot", own, latest={15: 0}, seen={15: [0b001, 0]}, count={30: 1},
               values={30: line(-100)})
    other = own | {"worker": 2, "source": 6, "destination": 6, "values": line(7, 5)}
    golden_trace.step("the third one's", other, seen={15: [0b101, 0]}, count={30: 2}, values={30: line(-93, 6)})
    golden_trace.step("the first one asks too early", own)
    golden_trace.step("a slot behind the pool is no member's", own | {"aggregator_index": 11})
    last = own | {"worker": 1, "source": 5, "destination": 5, "values": line(1, -6)}
    golden_trace.step("the second one completes it", last, switchml_result(last, ALL_WORKERS, const(-92)), [4, 5, 6],
               seen={15: [0b111, 0]}, count={30: 0}, values={30: const(-92)})
    golden_trace.step("the third one lost the result", other, switchml_result(other, 6, const(-92)), [6])
    first = packet(kind=GRADIENT, job=1, worker=1, psn=0, aggregator_index=4, flags=VERSION, source=2, destination=2,
                   values=line(3))
    golden_trace.step("the last slot of the other pool, in version 1", first, latest={4: 0}, seen={4: [0, 0b10]}, count={9: 1},
               values={9: line(3)})
    return golden_trace


# ---- ATP: two workers per job, one switch, except in the golden trace of two levels

ATP_JOBS = {"1": {"workers": [1, 2], "server": 9}, "2": {"workers": [4, 5], "server": 8}}


def atp_gradient(job, worker, psn, index, values, flags=0):
    members = ATP_JOBS[str(job)]
    return packet(kind=GRADIENT, flags=flags, job=job, psn=psn, aggregator_index=index, bitmap0=1 << worker,
                  fan_in_degree0=2, worker=worker, source=members["workers"][worker], destination=members["server"],
                  values=values)


def atp_result(job, psn, index, values, flags=0):
    return packet(kind=RESULT, flags=flags, job=job, psn=psn, aggregator_index=index, fan_in_degree0=2,
                  source=ATP_JOBS[str(job)]["server"], destination=ALL_WORKERS, values=values)


def atp_sums():
    golden_trace = GoldenTrace("atp", "sums", "First come first served: a sum, a duplicate, a collision, a result that frees", ATP_JOBS)
    first = atp_gradient(1, 0, 7, 5, line(100))
    golden_trace.step("the first worker reserves aggregator 5", first, task={5: [1, 7]}, bitmap={5: 0b01}, counter={5: 1},
               ecn={5: False}, values={5: line(100)})
    golden_trace.step("once more: it counts once", first)
    other = atp_gradient(2, 1, 9, 5, line(3))
    golden_trace.step("a packet of another task goes to its server", other,
               other | {"flags": COLLISION | RESEND | SECOND_LEVEL}, [8])
    last = atp_gradient(1, 1, 7, 5, line(-50, 2), ECN)
    golden_trace.step("the second worker completes it, with a mark: the sum goes to the server", last,
               last | {"flags": ECN | SECOND_LEVEL, "bitmap0": 0b11, "values": line(50, 3)}, [9],
               bitmap={5: 0b11}, counter={5: 2}, ecn={5: True}, values={5: line(50, 3)})
    result = atp_result(1, 7, 5, line(50, 3))
    golden_trace.step("the result frees the aggregator on its way to all workers", result, result, [1, 2], task={5: FREE},
               bitmap={5: None}, counter={5: None}, ecn={5: None}, values={5: None})
    golden_trace.step("the other task may have it now", other, task={5: [2, 9]}, bitmap={5: 0b10}, counter={5: 1},
               ecn={5: False}, values={5: line(3)})
    golden_trace.step("a late copy of the result frees nothing of another task", result, result, [1, 2])
    return golden_trace


def atp_several_servers():
    """Host 9 serves the even PSNs, host 8 the odd ones."""
    servers = [9, 8]
    golden_trace = GoldenTrace("atp", "several-servers", "Each task's sum goes to the server that has its PSN", {
        "1": {"workers": [1, 2], "server": servers}})

    def gradient(worker, psn, values):
        return atp_gradient(1, worker, psn, 5, values) | {"destination": servers[psn % 2]}

    def result(psn, values):
        return atp_result(1, psn, 5, values) | {"source": servers[psn % 2]}

    for psn in (7, 12):
        server = servers[psn % 2]
        golden_trace.step("the first worker reserves aggregator 5", gradient(0, psn, line(psn)), task={5: [1, psn]},
                   bitmap={5: 0b01}, counter={5: 1}, ecn={5: False}, values={5: line(psn)})
        collided = gradient(0, psn + 1, line(3))
        golden_trace.step("a packet of the next PSN finds it in use, and goes to the other server", collided,
                   collided | {"flags": COLLISION | RESEND | SECOND_LEVEL}, [servers[(psn + 1) % 2]])
        last = gradient(1, psn, line(1))
        golden_trace.step("the second worker completes it: the sum goes to the server of its PSN", last,
                   last | {"flags": SECOND_LEVEL, "bitmap0": 0b11, "values": line(psn + 1, 2)}, [server],
                   bitmap={5: 0b11}, counter={5: 2}, values={5: line(psn + 1, 2)})
        sum_ = result(psn, line(psn + 1, 2))
        golden_trace.step("which frees the aggregator by its result", sum_, sum_, [1, 2], task={5: FREE},
                   bitmap={5: None}, counter={5: None}, ecn={5: None}, values={5: None})
    return golden_trace


def atp_resend():
    golden_trace = GoldenTrace("atp", "resend", "A retransmission takes along what the first level holds, and reserves nothing", ATP_JOBS)
    golden_trace.step("the first worker's packet", atp_gradient(1, 0, 4, 2, line(10)), task={2: [1, 4]}, bitmap={2: 0b01},
               counter={2: 1}, ecn={2: False}, values={2: line(10)})
    again = atp_gradient(1, 1, 4, 2, line(1), RESEND)
    golden_trace.step("the second worker's was lost and comes as a resend: it joins, and all goes to the server", again,
               again | {"flags": RESEND | SECOND_LEVEL | PARTIAL, "bitmap0": 0b11, "values": line(11, 2)}, [9],
               task={2: FREE}, bitmap={2: None}, counter={2: None}, ecn={2: None}, values={2: None})
    own = atp_gradient(1, 0, 4, 2, line(10), RESEND)
    golden_trace.step("the first worker's time-out: nothing is here, and nothing is reserved", own,
               own | {"flags": RESEND | SECOND_LEVEL}, [9])
    floats = atp_gradient(1, 0, 4, 2, const(0x3F800000), RESEND | ANSWER | FLOATS)
    golden_trace.step("floats go past all aggregators", floats, floats, [9])
    return golden_trace


def atp_saturation():
    golden_trace = GoldenTrace("atp", "saturation", "A sum that left int32 stays at the limit", ATP_JOBS)
    golden_trace.step("the highest value", atp_gradient(1, 0, 0, 1, const(HIGHEST - 1)), task={1: [1, 0]}, bitmap={1: 0b01},
               counter={1: 1}, ecn={1: False}, values={1: const(HIGHEST - 1)})
    last = atp_gradient(1, 1, 0, 1, const(2))
    golden_trace.step("too much: the server sees the limit", last,
               last | {"flags": SECOND_LEVEL, "bitmap0": 0b11, "values": const(HIGHEST)}, [9], bitmap={1: 0b11},
               counter={1: 2}, values={1: const(HIGHEST)})
    golden_trace.step("the lowest value", atp_gradient(2, 0, 3, 6, const(LOWEST + 1)), task={6: [2, 3]}, bitmap={6: 0b01},
               counter={6: 1}, ecn={6: False}, values={6: const(LOWEST + 1)})
    last = atp_gradient(2, 1, 3, 6, const(-2))
    golden_trace.step("too little", last, last | {"flags": SECOND_LEVEL, "bitmap0": 0b11, "values": const(LOWEST)}, [8],
               bitmap={6: 0b11}, counter={6: 2}, values={6: const(LOWEST)})
    return golden_trace


ATP_THREE = {"1": {"workers": [1, 2, 3], "server": 9}, "2": {"workers": [4], "server": 8}}


def atp_of_three(worker, psn, index, values, flags=0):
    return packet(kind=GRADIENT, flags=flags, job=1, psn=psn, aggregator_index=index, bitmap0=1 << worker,
                  fan_in_degree0=3, worker=worker, source=1 + worker, destination=9, values=values)


def atp_resend_of_a_member():
    golden_trace = GoldenTrace("atp", "resend-of-a-member", "A worker that is in the sum already sends again and takes it along, once",
                  ATP_THREE)
    golden_trace.step("the first worker", atp_of_three(0, 4, 2, line(10)), task={2: [1, 4]}, bitmap={2: 0b001}, counter={2: 1},
               ecn={2: False}, values={2: line(10)})
    golden_trace.step("the second one", atp_of_three(1, 4, 2, line(20)), bitmap={2: 0b011}, counter={2: 2},
               values={2: line(30, 2)})
    again = atp_of_three(0, 4, 2, line(10), RESEND)
    golden_trace.step("the first one's time-out: both leave, and it counts once", again,
               again | {"flags": RESEND | SECOND_LEVEL | PARTIAL, "bitmap0": 0b011, "values": line(30, 2)}, [9],
               task={2: FREE}, bitmap={2: None}, counter={2: None}, ecn={2: None}, values={2: None})
    return golden_trace


def atp_sticky_saturation():
    golden_trace = GoldenTrace("atp", "sticky-saturation", "What left int32 stays at the limit, also if a later value would take it back",
                  ATP_THREE)
    golden_trace.step("the highest value", atp_of_three(0, 0, 1, const(HIGHEST - 1)), task={1: [1, 0]}, bitmap={1: 0b001},
               counter={1: 1}, ecn={1: False}, values={1: const(HIGHEST - 1)})
    golden_trace.step("too much", atp_of_three(1, 0, 1, const(2)), bitmap={1: 0b011}, counter={1: 2},
               values={1: const(HIGHEST)})
    last = atp_of_three(2, 0, 1, const(-100))
    golden_trace.step("it stays", last, last | {"flags": SECOND_LEVEL, "bitmap0": 0b111, "values": const(HIGHEST)}, [9],
               bitmap={1: 0b111}, counter={1: 3}, values={1: const(HIGHEST)})
    return golden_trace


def atp_alone():
    golden_trace = GoldenTrace("atp", "alone", "The only worker of a job: its packet goes on at once, and holds the aggregator", ATP_THREE)
    alone = packet(kind=GRADIENT, job=2, psn=5, aggregator_index=3, bitmap0=1, fan_in_degree0=1, worker=0, source=4,
                   destination=8, values=line(9))
    golden_trace.step("the only contribution", alone, alone | {"flags": SECOND_LEVEL}, [8], task={3: [2, 5]}, bitmap={3: 1},
               counter={3: 1}, ecn={3: False}, values={3: line(9)})
    return golden_trace


def atp_expiry():
    golden_trace = GoldenTrace("atp", "expiry", "An aggregator that nobody came to for 100 ms is freed by any result that meets it",
                  ATP_JOBS)
    golden_trace.step("a task begins, and is abandoned", atp_gradient(1, 0, 7, 5, line(1)), at_us=0, task={5: [1, 7]},
               bitmap={5: 0b01}, counter={5: 1}, ecn={5: False}, values={5: line(1)})
    result = atp_result(2, 3, 5, line(4))
    golden_trace.step("too early: the result of another task only passes", result, result, [4, 5], at_us=50_000)
    last = atp_gradient(1, 1, 7, 5, line(2))
    golden_trace.step("it goes on after all", last, last | {"flags": SECOND_LEVEL, "bitmap0": 0b11, "values": line(3, 2)}, [9],
               at_us=60_000, bitmap={5: 0b11}, counter={5: 2}, values={5: line(3, 2)})
    golden_trace.step("too early again: the last contribution counts", result, result, [4, 5], at_us=120_000)
    golden_trace.step("late enough", result, result, [4, 5], at_us=200_000, task={5: FREE}, bitmap={5: None},
               counter={5: None}, ecn={5: None}, values={5: None})
    return golden_trace


def atp_second_level():
    """Ranks 0 and 1 are in a rack below (branch 0); rank 2 (branch 1) is at this switch, the
    servers'."""
    jobs = {"1": {"workers": [1, 2, 3], "racks": [0, 0, 1], "server": 9}}
    switch = {"rack": 1, "root": 1, "ports": {"20": [0]}}
    golden_trace = GoldenTrace("atp", "second-level", "The server's switch adds up the sum of a rack and its own worker", jobs,
                               switch=switch)
    own = packet(kind=GRADIENT, flags=SECOND_LEVEL, job=1, psn=6, aggregator_index=3, bitmap0=0, bitmap1=0b10,
                 fan_in_degree0=1, fan_in_degree1=2, worker=2, source=3, destination=9, values=line(5))
    golden_trace.step("the worker at this switch", own, task={3: [1, 6]}, bitmap={3: 0b10}, counter={3: 1}, ecn={3: False},
               values={3: line(5)})
    part = packet(kind=GRADIENT, flags=SECOND_LEVEL | RESEND | PARTIAL, job=1, psn=8, aggregator_index=4, bitmap0=0b01,
                  bitmap1=0b01, fan_in_degree0=2, fan_in_degree1=2, worker=0, source=1, destination=9, values=line(2))
    golden_trace.step("a part of a rack is not added up", part, part, [9], by=20)
    again = own | {"psn": 7, "aggregator_index": 5}
    golden_trace.step("the worker's next fragment", again, task={5: [1, 7]}, bitmap={5: 0b10}, counter={5: 1}, ecn={5: False},
               values={5: line(5)})
    resent = part | {"psn": 7, "aggregator_index": 5}
    golden_trace.step("a resend of the rack discards what the second level holds", resent, resent, [9], by=20, task={5: FREE},
               bitmap={5: None}, counter={5: None}, ecn={5: None}, values={5: None})
    alone = own | {"psn": 9, "aggregator_index": 6}
    golden_trace.step("one more fragment of the worker", alone, task={6: [1, 9]}, bitmap={6: 0b10}, counter={6: 1},
               ecn={6: False}, values={6: line(5)})
    golden_trace.step("its own resend discards, too", alone | {"flags": SECOND_LEVEL | RESEND},
               alone | {"flags": SECOND_LEVEL | RESEND}, [9], task={6: FREE}, bitmap={6: None}, counter={6: None},
               ecn={6: None}, values={6: None})
    rack = packet(kind=GRADIENT, flags=SECOND_LEVEL, job=1, psn=6, aggregator_index=3, bitmap0=0b011, bitmap1=0b01,
                  fan_in_degree0=2, fan_in_degree1=2, worker=1, source=2, destination=9, values=line(300, 2))
    golden_trace.step("the rack's sum completes the task", rack, rack | {"bitmap1": 0b11, "values": line(305, 3)}, [9], by=20,
               bitmap={3: 0b11}, counter={3: 2}, values={3: line(305, 3)})
    return golden_trace


# ---- DSA with the paper's policy

DSA_JOBS = {"1": {"workers": [1, 2], "server": 9}, "2": {"workers": [4, 5, 6], "server": 8}}


def dsa_gradient(job, worker, psn, index, priority, values, flags=0):
    members = DSA_JOBS[str(job)]
    return packet(kind=GRADIENT, flags=flags, job=job, psn=psn, aggregator_index=index, bitmap0=1 << worker,
                  priority=priority, fan_in_degree0=len(members["workers"]), worker=worker,
                  source=members["workers"][worker], destination=members["server"], values=values)


def dsa_sums():
    golden_trace = GoldenTrace("dsa", "sums", "The switch answers by itself, frees, and forgets", DSA_JOBS)
    first = dsa_gradient(1, 0, 7, 5, 6, line(100))
    golden_trace.step("the first worker takes aggregator 5", first, task={5: [1, 7]}, priority={5: 6}, bitmap={5: 0b01},
               marks={5: 0}, values={5: line(100)})
    golden_trace.step("once more: it counts once", first)
    last = dsa_gradient(1, 1, 7, 5, 9, line(-50, 2), ECN)
    gone = {"priority": {5: None}, "bitmap": {5: None}, "marks": {5: None}, "values": {5: None}}
    golden_trace.step("the second worker completes it: all get the sum and the mark, the aggregator is free", last,
               last | {"kind": RESULT, "destination": ALL_WORKERS, "bitmap0": 0b11, "values": line(50, 3)}, [1, 2],
               task={5: FREE}, **gone)
    again = dsa_gradient(1, 0, 7, 5, 6, line(100), RESEND)
    golden_trace.step("the first worker's time-out: its task is not here, and nothing is reserved", again, again, [9])
    return golden_trace


def dsa_preemption():
    golden_trace = GoldenTrace("dsa", "preemption", "Priorities: who loses halves them, who wins brings the partial aggregate out",
                  DSA_JOBS)
    golden_trace.step("job 1 takes aggregator 5", dsa_gradient(1, 0, 7, 5, 8, line(100), ECN), task={5: [1, 7]},
               priority={5: 8}, bitmap={5: 0b01}, marks={5: ECN}, values={5: line(100)})
    tie = dsa_gradient(2, 0, 3, 5, 8, line(1))
    golden_trace.step("a tie does not preempt, but halves; the packet goes to its server", tie, tie | {"flags": COLLISION}, [8],
               priority={5: 4})
    winner = dsa_gradient(2, 1, 3, 5, 5, line(20))
    golden_trace.step("5 is above 4: the packet takes the aggregator, and leaves as the partial aggregate", winner,
               winner | {"job": 1, "psn": 7, "flags": PARTIAL | ECN, "bitmap0": 0b01, "priority": 4, "fan_in_degree0": 2,
                         "destination": 9, "values": line(100)}, [9],
               task={5: [2, 3]}, priority={5: 5}, bitmap={5: 0b010}, marks={5: 0}, values={5: line(20)})
    again = dsa_gradient(2, 1, 3, 5, 9, line(20))
    golden_trace.step("once more, with a higher priority: it raises nothing", again, priority={5: 5})
    late = dsa_gradient(2, 2, 3, 5, 7, line(3))
    golden_trace.step("nor does a packet that joins", late, priority={5: 5}, bitmap={5: 0b110}, values={5: line(23, 2)})
    answer = dsa_gradient(1, 1, 7, 5, 9, line(7), RESEND | ANSWER)
    golden_trace.step("an answer passes all aggregators by", answer, answer, [9])
    result = packet(kind=RESULT, job=2, psn=3, aggregator_index=5, fan_in_degree0=3, source=8, destination=ALL_WORKERS,
                    values=line(24, 3))
    gone = {"priority": {5: None}, "bitmap": {5: None}, "marks": {5: None}, "values": {5: None}}
    golden_trace.step("the server's result frees what the switch still holds of the task", result, result, [4, 5, 6],
               task={5: FREE}, **gone)
    return golden_trace


def dsa_retransmission():
    golden_trace = GoldenTrace("dsa", "retransmission", "A retransmission joins its own task, and the result tells of it", DSA_JOBS)
    golden_trace.step("a task begins", dsa_gradient(2, 0, 3, 6, 2, line(20)), task={6: [2, 3]}, priority={6: 2},
               bitmap={6: 0b001}, marks={6: 0}, values={6: line(20)})
    golden_trace.step("a retransmission of another worker joins", dsa_gradient(2, 1, 3, 6, 2, line(1), RESEND),
               bitmap={6: 0b011}, marks={6: RESEND}, values={6: line(21, 2)})
    golden_trace.step("once more: it counts once", dsa_gradient(2, 1, 3, 6, 2, line(1), RESEND))
    last = dsa_gradient(2, 2, 3, 6, 2, line(4))
    gone = {"priority": {6: None}, "bitmap": {6: None}, "marks": {6: None}, "values": {6: None}}
    golden_trace.step("the last one completes it", last,
               last | {"kind": RESULT, "flags": RESEND, "destination": ALL_WORKERS, "bitmap0": 0b111,
                       "values": line(25, 3)}, [4, 5, 6], task={6: FREE}, **gone)
    return golden_trace


def dsa_priorities():
    golden_trace = GoldenTrace("dsa", "priorities", "Collisions halve a priority down to 0, which only more than 0 preempts", DSA_JOBS)
    golden_trace.step("job 1 takes aggregator 5", dsa_gradient(1, 0, 7, 5, 5, line(100)), task={5: [1, 7]}, priority={5: 5},
               bitmap={5: 0b01}, marks={5: 0}, values={5: line(100)})
    for left in (2, 1, 0):
        loser = dsa_gradient(2, 0, 3, 5, left, line(1))
        golden_trace.step(f"a packet of priority {left}", loser, loser | {"flags": COLLISION}, [8], priority={5: left})
    tie = dsa_gradient(2, 0, 3, 5, 0, line(1))
    golden_trace.step("0 against 0 does not preempt", tie, tie | {"flags": COLLISION}, [8])
    winner = dsa_gradient(2, 0, 3, 5, 1, line(1))
    golden_trace.step("1 does", winner,
               winner | {"job": 1, "psn": 7, "flags": PARTIAL, "priority": 0, "fan_in_degree0": 2, "destination": 9,
                         "values": line(100)}, [9],
               task={5: [2, 3]}, priority={5: 1}, bitmap={5: 0b001}, marks={5: 0}, values={5: line(1)})
    return golden_trace


def dsa_alone():
    golden_trace = GoldenTrace("dsa", "alone", "The only worker of a job gets its own values back; nothing is reserved",
                  {"1": {"workers": [1], "server": 9}})
    alone = packet(kind=GRADIENT, job=1, psn=5, aggregator_index=3, bitmap0=1, priority=4, fan_in_degree0=1, worker=0,
                   source=1, destination=9, values=line(9))
    golden_trace.step("its contribution", alone, alone | {"kind": RESULT, "destination": ALL_WORKERS}, [1], task={3: FREE})
    return golden_trace


def dsa_reminder():
    golden_trace = GoldenTrace("dsa", "reminder", "The server fetches and frees", DSA_JOBS)
    golden_trace.step("a task begins", dsa_gradient(2, 1, 3, 6, 2, line(20), ECN), task={6: [2, 3]}, priority={6: 2},
               bitmap={6: 0b010}, marks={6: ECN}, values={6: line(20)})
    foreign = packet(kind=REMINDER, job=1, psn=3, aggregator_index=6, fan_in_degree0=2, source=9, destination=9,
                     values=const(0))
    golden_trace.step("a reminder for a task that is not here comes back as it went", foreign, foreign, [9])
    reminder = packet(kind=REMINDER, job=2, psn=3, aggregator_index=6, fan_in_degree0=3, source=8, destination=8,
                      values=const(0))
    gone = {"priority": {6: None}, "bitmap": {6: None}, "marks": {6: None}, "values": {6: None}}
    golden_trace.step("its own server's brings the partial aggregate", reminder,
               reminder | {"kind": GRADIENT, "flags": PARTIAL | RESEND | ECN, "bitmap0": 0b010, "values": line(20)}, [8],
               task={6: FREE}, **gone)
    golden_trace.step("there is nothing more", reminder, reminder, [8])
    return golden_trace


def dsa_saturation():
    golden_trace = GoldenTrace("dsa", "saturation", "A sum that left int32 stays at the limit, also when a later value would take it back",
                  DSA_JOBS)
    golden_trace.step("the highest value", dsa_gradient(2, 0, 1, 0, 3, const(HIGHEST - 1)), task={0: [2, 1]}, priority={0: 3},
               bitmap={0: 0b001}, marks={0: 0}, values={0: const(HIGHEST - 1)})
    golden_trace.step("too much", dsa_gradient(2, 1, 1, 0, 3, const(2)), bitmap={0: 0b011}, values={0: const(HIGHEST)})
    last = dsa_gradient(2, 2, 1, 0, 3, const(-100))
    gone = {"priority": {0: None}, "bitmap": {0: None}, "marks": {0: None}, "values": {0: None}}
    golden_trace.step("it stays at the limit", last,
               last | {"kind": RESULT, "destination": ALL_WORKERS, "bitmap0": 0b111, "values": const(HIGHEST)}, [4, 5, 6],
               task={0: FREE}, **gone)
    golden_trace.step("the lowest value", dsa_gradient(2, 0, 2, 0, 3, const(LOWEST + 1)), task={0: [2, 2]}, priority={0: 3},
               bitmap={0: 0b001}, marks={0: 0}, values={0: const(LOWEST + 1)})
    golden_trace.step("too little", dsa_gradient(2, 1, 2, 0, 3, const(-2)), bitmap={0: 0b011}, values={0: const(LOWEST)})
    last = dsa_gradient(2, 2, 2, 0, 3, const(100))
    golden_trace.step("it stays at this limit, too", last,
               last | {"kind": RESULT, "destination": ALL_WORKERS, "bitmap0": 0b111, "values": const(LOWEST)}, [4, 5, 6],
               task={0: FREE}, **gone)
    return golden_trace


def main():
    for golden_trace in (switchml_sums, switchml_shadow_copy, switchml_exponents, switchml_marks, switchml_wrap, switchml_pools,
                  switchml_leaf, switchml_root):
        for values in (32, 64):
            golden_trace(values).write()
    for golden_trace in (atp_sums, atp_several_servers, atp_resend, atp_resend_of_a_member, atp_saturation, atp_sticky_saturation, atp_alone, atp_expiry,
                  atp_second_level, dsa_sums, dsa_preemption, dsa_priorities, dsa_retransmission, dsa_alone, dsa_reminder,
                  dsa_saturation, atp_leaf, dsa_leaf, dsa_root):
        golden_trace().write()
    for golden_trace in traces_of_passes():
        golden_trace.write()


if __name__ == "__main__":
    main()

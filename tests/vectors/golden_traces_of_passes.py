# SPDX-License-Identifier: BSD-3-Clause
"""Golden traces in which other packets come between the passes of a packet, or a pass is lost. These are
the shortest orders of passes that give wrong sums if nothing guards an aggregator between two passes
(hw/protocol/CORRECTNESS.md, "Passes of a packet as separate steps"). Some of them are impossible in the
queues of a chip."""

from golden_traces import (
    ALL_WORKERS, COLLISION, FOLDER, FREE, GRADIENT, PARTIAL, REMINDER, RESEND, RESULT, SECOND_LEVEL, GoldenTrace, const, packet,
)  # fmt: skip

LAST, RESUBMITTED, RECIRCULATED = (0, 0), (1, 0), (0, 1)  # further passes: resubmissions, recirculations
AT = 5  # aggregator of all packets
EXPIRED_US = 200_000


class TraceOfPasses(GoldenTrace):
    """Each step is one pass of a packet."""

    folder = FOLDER / "of_passes"

    def __init__(self, system, name, about):
        super().__init__(system, name, about, JOBS)
        self.content["separate"] = True

    def come(self, says, came, next_=LAST, out=None, to=(), at_us=None, **cells):
        """The first pass of a packet. Returns the number of the step."""
        self.one_pass(says, {"ingress": came["source"], "frame": self.frame(came)}, next_, out, to, at_us, cells)
        return len(self.content["steps"]) - 1

    def go_on(self, says, pass_of, next_=LAST, out=None, to=(), at_us=None, **cells):
        """The next pass of the packet that came in step `pass_of`."""
        self.one_pass(says, {"pass_of": pass_of}, next_, out, to, at_us, cells)

    def one_pass(self, says, source, next_, out, to, at_us, cells):
        self.add(says, at_us, source | {"further_passes": next_}, out, to, {array: {AT: cell} for array, cell in cells.items()})


JOBS = {"1": {"workers": [1, 2], "server": 9}, "2": {"workers": [4, 5, 6], "server": 8}}


def halves(first, second):
    """31 values each."""
    return lambda count: [first] * (count // 2) + [second] * (count // 2)


def of_job(kind, job, psn, source, destination, **fields):
    return packet(kind=kind, job=job, psn=psn, aggregator_index=AT, fan_in_degree0=len(JOBS[str(job)]["workers"]),
                  source=source, destination=destination, **fields)  # fmt: skip


def gradient(job, worker, psn, value, flags=0, **fields):
    members = JOBS[str(job)]
    return of_job(GRADIENT, job, psn, members["workers"][worker], members["server"], flags=flags, worker=worker,
                  bitmap0=1 << worker, values=const(value), **fields)  # fmt: skip


def of_server(kind, job, psn):
    server = JOBS[str(job)]["server"]
    return of_job(kind, job, psn, server, server if kind == REMINDER else ALL_WORKERS, values=const(0))


def sum_of(system, completer, values):
    """The frame that leaves with the sum of both workers of job 1."""
    completed = completer | {"bitmap0": 0b11, "values": const(values)}
    if system == "atp":
        return completed | {"flags": completer["flags"] | SECOND_LEVEL}
    return completed | {"kind": RESULT, "destination": ALL_WORKERS}


def receivers_of_sum(system):
    """ATP's server, or DSA's workers."""
    return [9] if system == "atp" else [1, 2]


def freed_in_second_pass(system):
    """The packet with the complete first half frees an aggregator of DSA. In ATP the result does."""
    return {"task": FREE} if system == "dsa" else {}


def with_first_worker(system, name, about, **priority):
    """A task of which the first worker's packet has ended both passes."""
    trace = TraceOfPasses(system, name, about)
    first = trace.come("the first worker reserves aggregator 5", gradient(1, 0, 7, 100, **priority), RESUBMITTED,
                       task=[1, 7], bitmap=0b01, generation=1, **priority)  # fmt: skip
    trace.go_on("its second half", first, second_half=[1, 0b01], values=const(100))
    return trace


def in_order(system):
    trace = with_first_worker(system, "in-order", "Each packet ends its passes before the next one comes")
    came = gradient(1, 1, 7, 11)
    last = trace.come("the second worker completes the first half, and takes it along", came, RECIRCULATED,
                      bitmap=0b11, values=halves(111, 100))  # fmt: skip
    trace.go_on("and the second half: the sum leaves", last, out=sum_of(system, came, 111), to=receivers_of_sum(system),
                second_half=[1, 0b11], values=const(111), **freed_in_second_pass(system))  # fmt: skip
    return trace


def fetches_first_half(system):
    about = "A packet whose second pass comes last fetches the first half in a third one"
    trace = TraceOfPasses(system, "fetches-first-half", about)
    came = gradient(1, 0, 7, 100)
    first = trace.come("the first worker reserves aggregator 5", came, RESUBMITTED, task=[1, 7], bitmap=0b01, generation=1)
    last = trace.come("the second worker completes the first half", gradient(1, 1, 7, 11), RECIRCULATED, bitmap=0b11)
    trace.go_on("its second half lacks the first worker's, so it is dropped", last, second_half=[1, 0b10],
                values=halves(111, 11), **freed_in_second_pass(system))  # fmt: skip
    trace.go_on("the first worker's packet completes the second half", first, RECIRCULATED, second_half=[1, 0b11],
                values=None)  # fmt: skip
    trace.go_on("and fetches the first one: the sum leaves", first, out=sum_of(system, came, 111), to=receivers_of_sum(system))
    return trace


def atp_copy():
    trace = TraceOfPasses("atp", "copy", "A copy of a packet adds what its lost second pass left out")
    came = gradient(1, 0, 7, 100)
    trace.come("the first worker's packet is lost after its first pass", came, RESUBMITTED, task=[1, 7], bitmap=0b01, generation=1)
    last = trace.come("the second worker completes the first half", gradient(1, 1, 7, 11), RECIRCULATED, bitmap=0b11)
    trace.go_on("its second half lacks the first worker's", last, second_half=[1, 0b10], values=halves(111, 11))
    again = trace.come("a copy of the first worker's packet: the first half has it", came, RESUBMITTED)
    trace.go_on("the second one has not", again, RECIRCULATED, second_half=[1, 0b11], values=None)
    trace.go_on("the sum leaves", again, out=sum_of("atp", came, 111), to=[9])
    return trace


def atp_unequal_halves():
    about = "A resend brings no partial sum out whose halves have different contributors"
    trace = TraceOfPasses("atp", "unequal-halves", about)
    trace.come("a packet is lost after its first pass", gradient(2, 0, 7, 100), RESUBMITTED, task=[2, 7], bitmap=0b001, generation=1)
    resend = trace.come("a resend of another worker takes the first half of both", gradient(2, 1, 7, 11, RESEND), RECIRCULATED,
                        task=FREE, bitmap=None)  # fmt: skip
    trace.go_on("the second half is its own alone: it is dropped", resend, second_half=[1, 0b010])
    return trace


def atp_expired_meanwhile():
    about = "A result that found an expired task does not free the one that has reserved the aggregator since then"
    trace = TraceOfPasses("atp", "expired-meanwhile", about)
    trace.come("a task is abandoned", gradient(1, 0, 7, 100), RESUBMITTED, at_us=0, task=[1, 7], generation=1)
    passing = of_server(RESULT, 2, 9)
    result = trace.come("a result of another task finds it expired", passing, RECIRCULATED, at_us=EXPIRED_US)
    own = of_server(RESULT, 1, 7)
    trace.come("its own result frees the aggregator", own, out=own, to=[1, 2], at_us=EXPIRED_US, task=FREE)
    trace.come("the next task reserves it", gradient(1, 0, 8, 100), RESUBMITTED, at_us=EXPIRED_US, task=[1, 8], generation=2)
    trace.go_on("the other result frees nothing", result, out=passing, to=[4, 5, 6], at_us=EXPIRED_US)
    return trace


def with_lost_completion(name, about):
    """A task of DSA after the packet that completed its first half was lost on the recirculation port."""
    trace = with_first_worker("dsa", name, about, priority=1)
    trace.come("the second worker completes the first half, and is lost", gradient(1, 1, 7, 11, priority=1), RECIRCULATED,
               bitmap=0b11, values=halves(111, 100))  # fmt: skip
    return trace


def dsa_lost_completion():
    trace = with_lost_completion("lost-completion", "A retransmission brings out the sum that was lost on the recirculation port")
    came = gradient(1, 1, 7, 11, RESEND, priority=1)
    again = trace.come("the second worker's time-out: the first half has it", came, RESUBMITTED)
    trace.go_on("the second one has not", again, RECIRCULATED, second_half=[1, 0b11], values=const(111))
    trace.go_on("the sum leaves", again, out=sum_of("dsa", came, 111), to=[1, 2], task=FREE)
    return trace


def dsa_reminder_of_lost_completion():
    trace = with_lost_completion("reminder-of-lost-completion", "A reminder for a sum that was lost on the recirculation port")
    came = of_server(REMINDER, 1, 7)
    reminder = trace.come("the reminder frees the aggregator, and takes the first half", came, RECIRCULATED, task=FREE,
                          priority=None, bitmap=None)  # fmt: skip
    trace.go_on("the second half lacks a worker: it returns as a reminder, whose values the server ignores", reminder,
                out=came | {"values": halves(111, 0)}, to=[9])  # fmt: skip
    return trace


def dsa_unequal_halves():
    about = "A reminder brings no partial sum out whose halves have different contributors"
    trace = TraceOfPasses("dsa", "unequal-halves", about)
    trace.come("a packet is lost after its first pass", gradient(2, 0, 7, 100, priority=1), RESUBMITTED,
               task=[2, 7], bitmap=0b001, generation=1)  # fmt: skip
    came = of_server(REMINDER, 2, 7)
    reminder = trace.come("the reminder frees the aggregator, and takes the first half", came, RECIRCULATED, task=FREE, bitmap=None)
    trace.go_on("the second half has no worker: it returns as a reminder", reminder, out=came | {"values": halves(100, 0)}, to=[8])
    return trace


def evicted(preemptor, bitmap, values):
    """The packet that took the aggregator from job 1, with that job's sum."""
    return preemptor | {"job": 1, "psn": 7, "flags": PARTIAL, "bitmap0": bitmap, "priority": 1, "fan_in_degree0": 2,
                        "destination": 9, "values": values}  # fmt: skip


def dsa_preempted_when_complete():
    about = "A complete task that is preempted between its last packet's passes leaves whole, with both packets"
    trace = with_first_worker("dsa", "preempted-when-complete", about, priority=1)
    came = gradient(1, 1, 7, 11, priority=1)
    last = trace.come("the second worker completes the first half", came, RECIRCULATED, bitmap=0b11, values=halves(111, 100))
    winner = gradient(2, 0, 9, 5000, priority=8)
    preemptor = trace.come("a packet of a higher priority", winner, RESUBMITTED)
    trace.go_on("it takes the first half", preemptor, RECIRCULATED, task=[2, 9], bitmap=0b001, generation=2, priority=8,
                swapped=True, values=halves(5000, 100))  # fmt: skip
    trace.go_on("the second worker's packet completes the second half: the sum leaves", last, out=sum_of("dsa", came, 111),
                to=[1, 2], second_half=[1, 0b11], values=halves(5000, 111))  # fmt: skip
    trace.go_on("the preemptor takes it, too, and leaves with the same sum", preemptor, out=evicted(winner, 0b11, const(111)),
                to=[9], second_half=[2, 0b001], values=const(5000))  # fmt: skip
    return trace


def dsa_preempted_when_unequal():
    trace = TraceOfPasses("dsa", "preempted-when-unequal", "A preemptor loses a sum whose second half lacks a contributor")
    first = trace.come("the first worker reserves aggregator 5", gradient(1, 0, 7, 100, priority=1), RESUBMITTED,
                       task=[1, 7], bitmap=0b01, generation=1, priority=1)  # fmt: skip
    preemptor = trace.come("a packet of a higher priority", gradient(2, 0, 9, 5000, priority=8), RESUBMITTED)
    trace.go_on("it takes the first half", preemptor, RECIRCULATED, task=[2, 9], bitmap=0b001, generation=2, priority=8, swapped=True)
    trace.go_on("the second half lacks the first worker: the preemptor is dropped", preemptor, second_half=[2, 0b001],
                values=const(5000))  # fmt: skip
    trace.go_on("the first worker's packet comes too late", first, second_half=[1, 0b01], values=halves(5000, 100))
    return trace


def dsa_preempts_nothing():
    about = "A preemptor whose victim was freed reserves nothing, because its own task may be complete by now"
    trace = with_first_worker("dsa", "preempts-nothing", about, priority=1)
    came = gradient(2, 0, 9, 5000, priority=8)
    preemptor = trace.come("a packet of a higher priority", came, RESUBMITTED)
    result = of_server(RESULT, 1, 7)
    trace.come("the result of the victim frees the aggregator", result, out=result, to=[1, 2], task=FREE, bitmap=None,
               priority=None, values=None)  # fmt: skip
    trace.go_on("the preemptor goes to its server", preemptor, out=came | {"flags": COLLISION}, to=[8])
    return trace


def traces_of_passes():
    for system in ("atp", "dsa"):
        yield in_order(system)
        yield fetches_first_half(system)
    yield from (atp_copy(), atp_unequal_halves(), atp_expired_meanwhile())
    yield from (dsa_lost_completion(), dsa_reminder_of_lost_completion(), dsa_unequal_halves())
    yield from (dsa_preempted_when_complete(), dsa_preempted_when_unequal(), dsa_preempts_nothing())

# SPDX-License-Identifier: BSD-3-Clause
"""Program that test_binding runs as every worker. Fails if a sum is wrong."""

import os
import sys
import time
from pathlib import Path

import ina
import numpy as np

SEED = 7


def arrays(rank):
    """Arrays of one worker: lengths around a packet's, and one longer than what may be open at a
    time."""
    random = np.random.default_rng([SEED, rank])
    for count in (1, 31, 32, 33, 61, 62, 63, 1000, 100_000):
        yield random.integers(-(2**28), 2**28, count, dtype=np.int32)
        yield (random.standard_normal(count) * 10.0 ** (count % 7)).astype(np.float32)


def check(sums, of_workers):
    workers = len(of_workers)
    exact = np.sum(np.stack(of_workers).astype(np.float64), axis=0)
    if sums.dtype == np.int32:
        np.testing.assert_array_equal(sums, exact)
        return
    bound = workers**2 * np.abs(of_workers).max() * 2.0**-30 * (1 + 2.0**-24)
    assert (np.abs(sums - exact) <= bound + np.abs(exact) * 2.0**-24).all()


def refuses(status, words, function, *arguments):
    try:
        function(*arguments)
    except ina.InaError as error:
        assert error.status == status, error
        assert words in str(error), error
    else:
        raise AssertionError(f"not refused: {words}")


def everything():
    everyone = list(zip(*(arrays(rank) for rank in range(ina.workers())), strict=True))
    for of_workers in everyone:
        check(ina.allreduce(of_workers[ina.rank()]), of_workers)
    for of_workers in everyone:  # sums in place
        array = of_workers[ina.rank()].copy()
        assert ina.allreduce(array, out=array) is array
        check(array, of_workers)
    requests = [ina.submit(of_workers[ina.rank()]) for of_workers in everyone]
    for request, of_workers in reversed(list(zip(requests, everyone, strict=True))):
        check(request.wait(), of_workers)
    assert ina.allreduce(np.empty(0, np.float32)).size == 0


def refusals():
    one = np.ones(1, np.int32)
    refuses(ina.WRONG_INPUT, "float64; allowed: int32, float32", ina.submit, np.ones(3))
    refuses(ina.WRONG_INPUT, "allowed: 1 int32", ina.submit, one, np.ones(2, np.int32))
    refuses(ina.WRONG_INPUT, "a second ina_init", ina.init)
    over = ina.submit(one)
    over.wait()
    refuses(ina.WRONG_INPUT, "allowed: a request that was not waited for", over.wait)
    bad = np.array([1, np.nan if ina.rank() == 0 else 1], np.float32)
    refuses(ina.NOT_FINITE, "NaN", ina.allreduce, bad)


def overflows():
    """Every rank gets the same status for sums that do not fit, and the next sums are right."""
    workers = ina.workers()
    most = (2**31 - 2) // workers
    for beyond in (2**31 - 1, 2**30, -(2**30), -(2**31) + 1):
        values = np.ones(5000, np.int32)
        values[4321] = beyond
        refuses(ina.OVERFLOW, "out of range", ina.allreduce, values)
        for fits in (most, -most):
            assert (ina.allreduce(np.full(100, fits, np.int32)) == workers * fits).all()
    cancels = np.full(100, 2**31 - 2 if ina.rank() == 0 else -(2**30), np.int32)
    assert (ina.allreduce(cancels, checked=False) == 2**31 - 2 - (workers - 1) * 2**30).all()
    ina.finalize()


def lifetimes():
    """Arrays of many packets each that only the binding keeps."""
    count = 200_000
    base = np.arange(3 * count, dtype=np.int32).reshape(count, 3) % 1000
    for view in (base[:, 0], base[::-1, 1], base.T):
        request = ina.submit(view)
        others = [np.full(view.size, 77, np.int32) for _ in range(4)]
        np.testing.assert_array_equal(request.wait(), ina.workers() * view)
        assert all((other == 77).all() for other in others)
    for _ in range(3):
        ina.submit(np.ones(count, np.float32))  # the request is dropped
    others = [np.full(count, 77, np.float32) for _ in range(4)]
    request = ina.submit(np.ones(count, np.float32) + 1)  # the array is a temporary
    assert (request.wait() == 2 * ina.workers()).all()
    for _ in range(3):
        ina.submit(np.ones(count, np.float32))
    ina.finalize()
    assert all((other == 77).all() for other in others)


def forks():
    """Forks in the middle of an all-reduce; the child ends like any program."""
    request = ina.submit(np.ones(200_000, np.int32))
    child = os.fork()
    if child == 0:
        refuses(ina.WRONG_INPUT, "called in a child of fork", ina.allreduce, np.ones(1, np.int32))
        status = ina.LIBRARY.ina_finalize(0.0)
        assert status == ina.WRONG_INPUT, status
        assert b"called in a child of fork()" in ina.LIBRARY.ina_error()
        return
    assert os.waitpid(child, 0)[1] == 0
    assert (request.wait() == ina.workers()).all()
    assert (ina.allreduce(np.ones(9, np.float32)) == ina.workers()).all()
    ina.finalize()


def exits():
    """Ends in the middle of an all-reduce, without waiting for any request."""
    arrays = [np.ones(500_000, np.float32) for _ in range(4)]
    global REQUESTS
    REQUESTS = [ina.submit(array[::2]) for array in arrays]


def differ():
    """Rank 1 submits something else, twice. All-reduces that all workers submit alike succeed."""
    odd = ina.rank() == 1
    same = ina.submit(np.ones(5000, np.int32))
    for of_all, of_rank_1, words in (
        (np.ones(5000, np.float32), np.ones(1000, np.float32), "5000 float32"),
        (np.ones(5000, np.int32), np.ones(1000, np.int32), "rank 1: 1000 int32"),
        (np.ones(100, np.int32), np.ones(100, np.float32), "rank 1: 100 float32"),
        (np.ones(1, np.int32), np.ones(0, np.int32), "rank 1: 0 int32"),
    ):
        refuses(ina.MISMATCH, words, ina.allreduce, of_rank_1 if odd else of_all)
        assert (ina.allreduce(np.full(9, 2, np.int32)) == 2 * ina.workers()).all()
    assert (same.wait() == ina.workers()).all()
    if odd:
        refuses(ina.MISMATCH, "rank 1: leaves the job", ina.finalize)
    else:
        refuses(ina.MISMATCH, "rank 1: leaves the job", ina.allreduce, np.ones(9, np.int32))


def submits_less():
    """Rank 1 leaves instead of submitting an all-reduce. Rank 0 leaves later, alone."""
    if ina.rank() == 0:
        refuses(ina.MISMATCH, "rank 1: leaves the job", ina.allreduce, np.ones(9, np.int32))
        refuses(ina.TIMEOUT, "some workers are not leaving", ina.finalize, 0.2)
    else:
        refuses(ina.MISMATCH, "rank 1: leaves the job", ina.finalize)


def leaves():
    """Rank 1 ends with status 0, in the middle."""
    ina.allreduce(np.ones(9, np.int32))
    if ina.rank() == 0:
        ina.allreduce(np.ones(9, np.int32))


def alone():
    """Rank 1 does nothing until rank 0 is over."""
    over = Path(os.environ["INA_CLUSTER"]).with_name("over")
    if ina.rank() == 1:
        while not over.exists():
            time.sleep(0.01)
        return
    request = ina.submit(np.ones(1, np.int32))
    refuses(ina.TIMEOUT, "has not ended after 0.25 s", request.wait, 0.25)
    refuses(ina.TIMEOUT, "has not ended after 0.1 s", ina.allreduce, np.ones(1, np.int32), None, 0.1)
    refuses(ina.TIMEOUT, "after 0.2 s", ina.finalize, 0.2)
    refuses(ina.WRONG_INPUT, "between ina_init and ina_finalize", request.wait)
    over.touch()


def cannot_join():
    """No peer ever connects to the socket. A later attempt, with the right device, joins."""
    socket = Path(os.environ["INA_CLUSTER"]).with_name(f"lonely-{os.environ['INA_RANK']}")
    device = f"net_memif7,role=server,id=7,socket={socket},socket-abstract=no"
    for _ in range(2):
        refuses(ina.TIMEOUT, "link is not up after 0.3 s", ina.init, None, None, device, 0.3)
    ina.init(seconds=None)
    refuses(ina.WRONG_INPUT, "found a second ina_init; allowed: after ina_finalize", ina.init)
    assert (ina.allreduce(np.ones(9, np.int32)) == ina.workers()).all()
    ina.finalize()


def hardly_joins():
    """Does not join in time, and ends while the link is still coming up."""
    try:
        ina.init(seconds=0.0)
    except ina.InaError as error:
        assert error.status == ina.TIMEOUT, error


WHAT = {
    work.__name__: work
    for work in (
        *(everything, refusals, overflows, lifetimes, forks, exits, differ, leaves),
        *(submits_less, alone, cannot_join, hardly_joins),
    )
}
LEAVE_AT_THE_END = ("everything", "refusals")

if sys.argv[1] not in ("cannot_join", "hardly_joins"):
    ina.init(seconds=None)  # no limit, because the others may start much later
WHAT[sys.argv[1]]()
if sys.argv[1] in LEAVE_AT_THE_END:
    ina.finalize()

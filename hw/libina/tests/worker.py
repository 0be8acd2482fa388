# SPDX-License-Identifier: BSD-3-Clause
"""What test_binding runs as every worker: fails if a sum is not what it has to be."""

import sys

import ina
import numpy as np

SEED = 7


def arrays(rank):
    """Of one worker: arrays of all lengths about a packet's, and one that is longer than what may
    be open at a time."""
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
    for of_workers in everyone:  # in place
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
    refuses(ina.WRONG_INPUT, "allowed: one that was not waited for", over.wait)
    bad = np.array([1, np.nan if ina.rank() == 0 else 1], np.float32)
    refuses(ina.NOT_FINITE, "NaN", ina.allreduce, bad)


def alone():
    """Rank 1 leaves without a word."""
    if ina.rank() == 0:
        request = ina.submit(np.ones(1, np.int32))
        refuses(ina.TIMEOUT, "is not over after", request.wait, 0.25)
        refuses(ina.TIMEOUT, "is not over after", ina.finalize, 0.2)
        refuses(ina.WRONG_INPUT, "between ina_init and ina_finalize", request.wait)


ina.init()
{"everything": everything, "refusals": refusals, "alone": alone}[sys.argv[1]]()
if sys.argv[1] != "alone":
    ina.finalize()

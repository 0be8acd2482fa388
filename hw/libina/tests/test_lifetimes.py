# SPDX-License-Identifier: BSD-3-Clause
"""The binding keeps the arrays that the library reads and writes, on a stand-in for the library
that does so as late as possible."""

import gc
import os
import signal
import subprocess
import sys
import threading
import weakref

import ina
import numpy as np
import pytest

KINDS = [np.int32, np.float32]
COUNTS = [100, 5000, 1_000_000]  # allocated from numpy's cache, from the heap, and by the kernel


@pytest.fixture(autouse=True)
def job():
    ina.init("cluster.json", 0, "device")
    yield
    ina.LIBRARY.late_hold(0)
    try:
        ina.finalize()
    except ina.InaError:  # a test has left the job
        pass
    assert ina.ARRAYS.kept == {}


@pytest.fixture
def nothing_is_over():
    ina.LIBRARY.late_hold(1)


def take_freed_memory(count):
    """Reuses freed memory for other data."""
    gc.collect()
    return [np.full(count, 77, kind) for kind in KINDS for _ in range(8)]


def refuses(status, words, function, *arguments):
    with pytest.raises(ina.InaError, match=words) as refused:
        function(*arguments)
    assert refused.value.status == status


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", COUNTS)
def test_a_temporary_is_kept(kind, count):
    request = ina.submit(np.arange(count, dtype=kind) % 1000)
    others = take_freed_memory(count)
    assert (request.wait() == 2 * (np.arange(count) % 1000)).all()
    assert all((other == 77).all() for other in others)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", COUNTS)
def test_the_copy_of_a_strided_view_is_kept(kind, count):
    base = np.arange(4 * count, dtype=kind).reshape(count, 4) % 1000
    for view in (base[:, 0], base[::-1, 2], base.T):
        request = ina.submit(view)
        others = take_freed_memory(view.size)
        assert (request.wait() == 2 * view).all()
        assert all((other == 77).all() for other in others)


@pytest.mark.parametrize("count", COUNTS)
def test_arrays_of_a_dropped_request_are_kept_until_the_job_is_left(count):
    array, out = np.ones(count, np.int32), np.zeros(count, np.int32)
    kept = weakref.ref(array), weakref.ref(out)
    request = ina.submit(array, out)
    del request, array, out
    others = take_freed_memory(count)
    assert all(array() is not None for array in kept)
    ina.finalize(5)
    assert all((other == 77).all() for other in others)
    assert all(array() is None for array in kept)


def test_arrays_are_freed_when_the_request_is_over():
    array, out = np.ones(9, np.int32), np.zeros(9, np.int32)
    kept = weakref.ref(array), weakref.ref(out)
    request = ina.submit(array, out)
    del array, out
    request.wait()
    del request
    assert all(array() is None for array in kept)


def test_arrays_are_kept_after_a_time_out(nothing_is_over):
    array = np.ones(5000, np.int32)
    kept = weakref.ref(array)
    request = ina.submit(array)
    del array
    refuses(ina.TIMEOUT, "after 0.2 s", request.wait, 0.2)
    others = take_freed_memory(5000)
    assert kept() is not None
    ina.LIBRARY.late_hold(0)
    assert (request.wait(0.2) == 2).all()
    assert all((other == 77).all() for other in others)
    assert kept() is None


def test_arrays_of_what_is_refused_are_not_kept():
    ina.finalize()
    array = np.ones(9, np.int32)
    kept = weakref.ref(array)
    refuses(ina.WRONG_INPUT, "no job", ina.submit, array)
    del array
    gc.collect()
    assert kept() is None


def test_a_time_out_tells_the_callers_limit(nothing_is_over):
    request = ina.submit(np.ones(1, np.int32))
    refuses(ina.TIMEOUT, "has not ended after 0.35 s$", request.wait, 0.35)
    refuses(ina.TIMEOUT, "has not ended after 0 s$", request.wait, 0)
    refuses(ina.TIMEOUT, "has not ended after 0.25 s$", ina.allreduce, request.out, None, 0.25)
    refuses(ina.WRONG_INPUT, "seconds: found NaN", request.wait, float("nan"))


@pytest.mark.parametrize("seconds", ["abc", [1], 10**400])
def test_a_limit_that_is_no_number_is_refused_as_it_was_given(seconds):
    request = ina.submit(np.ones(1, np.int32))
    refuses(ina.WRONG_INPUT, "allowed: a number, or None", request.wait, seconds)
    assert request.wait() == 2


def test_masked_arrays_are_refused():
    array = np.ones(2, np.int32)
    masked = np.ma.array(array, mask=[True, False])
    refuses(ina.WRONG_INPUT, "found a masked array", ina.submit, masked)
    refuses(ina.WRONG_INPUT, "found a masked array", ina.submit, array, masked)


def test_a_second_wait_and_one_after_the_end_are_refused():
    over, dropped = ina.submit(np.ones(1, np.int32)), ina.submit(np.ones(1, np.int32))
    over.wait()
    refuses(ina.WRONG_INPUT, "that was not waited for", over.wait)
    ina.finalize()
    refuses(ina.WRONG_INPUT, "no job", dropped.wait)
    refuses(ina.WRONG_INPUT, "no job", ina.finalize)


def test_rank_and_workers_are_refused_where_there_is_no_job():
    assert (ina.rank(), ina.workers()) == (0, 2)
    ina.finalize()
    for function in (ina.rank, ina.workers):
        refuses(ina.WRONG_INPUT, "no job", function)


def test_many_threads_that_allocate_get_their_own_sums():
    def sum_up(number, wrong):
        for turn in range(20):
            value = 100 * number + turn
            requests = [ina.submit(np.full(3000, value + i, np.int32)[::2]) for i in range(4)]
            take_freed_memory(1500)
            wrong += [
                value for i, one in enumerate(requests) if (one.wait() != 2 * (value + i)).any()
            ]

    wrong = []
    threads = [threading.Thread(target=sum_up, args=(number, wrong)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_requests_of_finalizers_and_signal_handlers_do_not_disturb():
    """Garbage collection and a signal handler run between any two steps of keeping arrays."""

    class Cycle:
        def __init__(self):
            self.myself = self

        def __del__(self):
            ina.submit(np.ones(40, np.int32)).wait()

    signal.signal(signal.SIGPROF, lambda *_: ina.submit(np.ones(50, np.float32)[::2]).wait())
    thresholds = gc.get_threshold()
    gc.set_threshold(1)
    signal.setitimer(signal.ITIMER_PROF, 0.0005, 0.0005)
    try:
        for value in range(300):
            Cycle()
            assert (ina.allreduce(np.full(1000, value, np.int32)[::2]) == 2 * value).all()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        gc.set_threshold(*thresholds)
        gc.collect()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)


def test_an_interrupt_at_any_instant_loses_no_array():
    """Interrupts arrive at any point of submit; all arrays that the library has are kept."""

    class Interrupt(Exception):
        pass

    def interrupt(*_):
        raise Interrupt

    signal.signal(signal.SIGALRM, interrupt)
    come = 0
    while come < 100:
        out = np.zeros(3000, np.int32)
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-5)
            while True:
                ina.submit(np.ones(3000, np.int32), out)
        except Interrupt:
            come += 1
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    ina.finalize()  # makes the library add all of them


def test_an_array_without_dimensions_keeps_its_shape():
    for value in (np.array(3, np.int32), np.float32(3)):
        sums = ina.allreduce(value)
        assert sums.shape == ()
        assert sums == 6
    out = np.zeros((), np.int32)
    assert ina.allreduce(np.array(4, np.int32), out) is out
    assert out == 8


@pytest.mark.parametrize("shape", [(0,), (1,), (2, 0, 3), (2, 3, 4)])
def test_every_shape_is_kept(shape):
    assert ina.allreduce(np.ones(shape, np.float32)).shape == shape


def test_places_that_cannot_take_the_sums_are_refused():
    array = np.ones(8, np.int32)
    frozen = np.ones(8, np.int32)
    frozen.flags.writeable = False
    for out, words in (
        (np.ones(7, np.int32), "out: found 7 int32; allowed: 8 int32"),
        (np.ones(8, np.float32), "out: found 8 float32; allowed: 8 int32"),
        ([0] * 8, "out: found list; allowed: 8 int32"),
        (np.ones(16, np.int32)[::2], "out is not C-contiguous; allowed: a C-contiguous array"),
        (frozen, "out is read-only; allowed: a writable array"),
    ):
        refuses(ina.WRONG_INPUT, f"^{words}$", ina.submit, array, out)
    base = np.ones(12, np.int32)
    refuses(ina.WRONG_INPUT, "out overlaps the array", ina.submit, base[:8], base[4:])


@pytest.mark.parametrize("host", [-1, 65536, 2**32, "-1", "first", 1.5, [0]])
def test_a_host_that_cannot_be_is_refused_as_it_was_given(host):
    ina.finalize()
    with pytest.raises(ina.InaError) as refused:
        ina.init("cluster.json", host, "device")
    assert str(refused.value) == f"host {host!r}; allowed: a whole number from 0 to 65535"
    assert refused.value.status == ina.WRONG_INPUT


def test_a_child_may_not_use_the_library_and_ends_without_harm(capfd):
    request = ina.submit(np.ones(5000, np.int32))
    child = os.fork()
    if child == 0:
        try:
            for call in (
                (ina.init, "cluster.json", 0, "device"),
                (ina.rank,),
                (ina.workers,),
                (ina.submit, np.ones(1, np.int32)),
                (request.wait,),
                (ina.finalize,),
            ):
                refuses(ina.WRONG_INPUT, "called in a child of fork", *call)
            ina.give_up()
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert capfd.readouterr().err == ""
    assert (request.wait() == 2).all()


def test_the_interpreters_exit_in_the_middle_gives_up_before_arrays_are_freed():
    script = """
import ina, numpy
ina.init("cluster.json", 0, "device")
arrays = [numpy.ones(2_000_000, numpy.float32) for _ in range(4)]
requests = [ina.submit(array[::2]) for array in arrays]
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.path.dirname(ina.__file__)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "left within 0 s\n")

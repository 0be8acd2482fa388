# SPDX-License-Identifier: BSD-3-Clause
"""libina for numpy: sums of arrays over the workers of a job. The contracts are those of ina.h.

Limits are in seconds; None means no limit. A request that is not over in time continues and can
be waited for again. The binding keeps arrays that the library may still read or write, even if
the caller drops them, until their request has been waited for to its end or the job is left."""

import atexit
import ctypes
import itertools
import math
import operator
import os
import time

import numpy as np

TROUBLE, WRONG_INPUT, TIMEOUT, NOT_FINITE, OVERFLOW, MISMATCH = range(1, 7)

MOST_HOST = 2**16 - 1

# ina_wait() runs no signal handlers of Python, so the binding waits in turns of this length and
# notices interrupts between them.
TURN_S = 0.1


class InaError(Exception):
    """An error of libina; `status` is one of the constants above."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def load():
    library = ctypes.CDLL(os.environ.get("INA_LIBRARY", "libina.so.0.1"))
    size, request, pointer = ctypes.c_size_t, ctypes.c_uint64, ctypes.c_void_p
    word, seconds = ctypes.c_char_p, ctypes.c_double
    library.ina_init_within.argtypes = [word, ctypes.c_uint32, word, seconds]
    for name in ("ina_submit_i32", "ina_submit_i32_unchecked", "ina_submit_f32"):
        submit = getattr(library, name)
        submit.argtypes = [pointer, pointer, size, ctypes.POINTER(request)]
    library.ina_wait.argtypes = [request, seconds]
    library.ina_finalize.argtypes = [seconds]
    for name in ("ina_rank", "ina_workers"):
        getattr(library, name).restype = ctypes.c_uint32
    library.ina_error.restype = library.ina_version.restype = word
    return library


class Arrays:
    """Arrays that the library may read or write. They are kept before the library gets them, so
    that an interrupt in between loses none. Each method is a single operation of a dictionary,
    so that it is safe against other threads, signal handlers and garbage collection that submit
    or wait."""

    def __init__(self):
        self.kept = {}
        self.tickets = itertools.count()

    def keep(self, *arrays):
        ticket = next(self.tickets)
        self.kept[ticket] = arrays
        return ticket

    def drop(self, ticket):
        self.kept.pop(ticket, None)

    def drop_all(self):
        self.kept.clear()


LIBRARY = load()
SUBMIT = {
    np.dtype(np.int32): LIBRARY.ina_submit_i32,
    np.dtype(np.float32): LIBRARY.ina_submit_f32,
}
SUBMIT_UNCHECKED = {**SUBMIT, np.dtype(np.int32): LIBRARY.ina_submit_i32_unchecked}
ARRAYS = Arrays()
MEMBER = {"process": None}  # id of the process that joined the job


def check(status):
    if status != 0:
        raise InaError(status, LIBRARY.ina_error().decode())


def check_process():
    if MEMBER["process"] not in (None, os.getpid()):
        raise InaError(
            WRONG_INPUT, "called in a child of fork; allowed: the process that called ina.init()"
        )


def limit_of(seconds):
    """A limit in the library's form, in which a negative number means no limit."""
    try:
        limit = -1.0 if seconds is None else float(seconds)
    except (TypeError, ValueError, OverflowError):
        raise InaError(
            WRONG_INPUT, f"seconds: {seconds!r}; allowed: a number, or None"
        ) from None
    if math.isnan(limit):
        raise InaError(WRONG_INPUT, "seconds: found NaN; allowed: a number, or None")
    return limit


def init(cluster_file=None, host=None, device=None, seconds=60.0):
    """Joins the job within the limit. Omitted arguments come from the environment that
    `ina testbed exec` sets."""
    check_process()
    cluster_file = cluster_file or given("INA_CLUSTER")
    host = host_of(given("INA_HOST") if host is None else host)
    device = device or given("INA_DEVICE")
    limit = limit_of(seconds)
    MEMBER["process"] = os.getpid()
    check(LIBRARY.ina_init_within(os.fsencode(cluster_file), host, device.encode(), limit))


def given(name):
    try:
        return os.environ[name]
    except KeyError:
        raise InaError(
            WRONG_INPUT, f"no {name} in the environment; allowed: arguments, or ina testbed exec"
        ) from None


def host_of(found):
    try:
        host = int(found) if isinstance(found, str) else operator.index(found)
    except (TypeError, ValueError):
        host = -1
    if not 0 <= host <= MOST_HOST:
        raise InaError(
            WRONG_INPUT, f"host {found!r}; allowed: a whole number from 0 to {MOST_HOST}"
        )
    return host


def rank():
    workers()  # raises if there is no job; rank 0 alone would be ambiguous
    return LIBRARY.ina_rank()


def workers():
    check_process()
    count = LIBRARY.ina_workers()
    if count == 0:
        raise InaError(WRONG_INPUT, LIBRARY.ina_error().decode())
    return count


def version():
    """The library's version, such as "0.1.0"."""
    return LIBRARY.ina_version().decode()


class Request:
    """An all-reduce under way. It may be dropped: the sums are written to `out` all the same."""

    def __init__(self, array, out, checked):
        self.out = out
        self.number = ctypes.c_uint64()
        self.ticket = ARRAYS.keep(array, out)
        submit_array = (SUBMIT if checked else SUBMIT_UNCHECKED)[array.dtype]
        status = submit_array(
            array.ctypes.data, out.ctypes.data, array.size, ctypes.byref(self.number)
        )
        try:
            check(status)
        except InaError:
            ARRAYS.drop(self.ticket)
            raise

    def wait(self, seconds=None):
        """Waits for the sums and returns them."""
        check_process()
        limit = limit_of(seconds)
        end = float("inf") if limit < 0 else time.monotonic() + limit
        while True:
            left = max(end - time.monotonic(), 0.0)
            status = LIBRARY.ina_wait(self.number, min(left, TURN_S))
            if status != TIMEOUT:
                break
            if left <= TURN_S:
                raise InaError(
                    TIMEOUT, f"request {self.number.value} has not ended after {limit:g} s"
                )
        try:
            check(status)
        finally:  # only here: dropped arrays may call the library, and so change its error
            ARRAYS.drop(self.ticket)
        return self.out


def submit(array, out=None, *, checked=True):
    """Starts summing an array of int32 or float32. `out`: C-contiguous, of the same kind and size;
    may be the array itself; a new array by default. `checked`: whether SwitchML refuses integers
    whose sums might not fit, as in ina_submit_i32(). If not, sums that do not fit wrap around."""
    check_process()
    if isinstance(array, np.ma.MaskedArray) or isinstance(out, np.ma.MaskedArray):
        raise InaError(WRONG_INPUT, "found a masked array; allowed: an array without a mask")
    array = np.asarray(array, order="C")
    if array.dtype not in SUBMIT:
        raise InaError(WRONG_INPUT, f"array of {array.dtype}; allowed: int32, float32")
    if out is None:
        out = np.empty_like(array)
    check_place(out, array)
    return Request(array, out, checked)


def check_place(out, array):
    is_array = isinstance(out, np.ndarray)
    if not is_array or out.dtype != array.dtype or out.size != array.size:
        found = f"{out.size} {out.dtype}" if is_array else type(out).__name__
        raise InaError(WRONG_INPUT, f"out: found {found}; allowed: {array.size} {array.dtype}")
    if not out.flags.c_contiguous:
        raise InaError(WRONG_INPUT, "out is not C-contiguous; allowed: a C-contiguous array")
    if not out.flags.writeable:
        raise InaError(WRONG_INPUT, "out is read-only; allowed: a writable array")
    if np.may_share_memory(array, out) and array.ctypes.data != out.ctypes.data:
        raise InaError(
            WRONG_INPUT, "out overlaps the array; allowed: the array itself, or none of its memory"
        )


def allreduce(array, out=None, seconds=None, *, checked=True):
    """Submits an array and waits for the sums."""
    return submit(array, out, checked=checked).wait(seconds)


def finalize(seconds=60.0):
    """Leaves the job, and gives up all requests that are not over within the limit."""
    check_process()
    status = LIBRARY.ina_finalize(limit_of(seconds))
    if status != WRONG_INPUT:  # no other thread is leaving
        ARRAYS.drop_all()
    check(status)


def give_up():
    """Runs at the interpreter's exit, before it frees arrays that the library may access."""
    if MEMBER["process"] == os.getpid():
        os.environ.pop("INA_PRESENCE", None)  # this is not a call of ina_finalize() by the program
        LIBRARY.ina_finalize(0.0)


atexit.register(give_up)

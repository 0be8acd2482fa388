# SPDX-License-Identifier: BSD-3-Clause
"""libina for numpy: sums of arrays over the workers of a job. The contracts are those of ina.h."""

import ctypes
import os

import numpy as np

TROUBLE, WRONG_INPUT, TIMEOUT, NOT_FINITE, OVERFLOW, EXHAUSTED = range(1, 7)

# ina_wait() runs no signal handlers of Python: an interrupt is noticed between its turns.
TURN_S = 0.1


class InaError(Exception):
    """What libina refused or failed at; `status` is one of the constants above."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def load():
    library = ctypes.CDLL(os.environ.get("INA_LIBRARY", "libina.so.0"))
    size, request, pointer = ctypes.c_size_t, ctypes.c_uint64, ctypes.c_void_p
    library.ina_init.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_char_p]
    for name in ("ina_submit_i32", "ina_submit_f32"):
        submit = getattr(library, name)
        submit.argtypes = [pointer, pointer, size, ctypes.POINTER(request)]
    library.ina_wait.argtypes = [request, ctypes.c_double]
    library.ina_finalize.argtypes = [ctypes.c_double]
    for name in ("ina_rank", "ina_workers"):
        getattr(library, name).restype = ctypes.c_uint32
    library.ina_error.restype = ctypes.c_char_p
    return library


LIBRARY = load()
SUBMIT = {
    np.dtype(np.int32): LIBRARY.ina_submit_i32,
    np.dtype(np.float32): LIBRARY.ina_submit_f32,
}


def check(status):
    if status != 0:
        raise InaError(status, LIBRARY.ina_error().decode())


def init(cluster_file=None, host=None, device=None):
    """Joins the job; what is not given is what `ina testbed exec` says."""
    cluster_file = cluster_file or told("INA_CLUSTER")
    host = int(told("INA_HOST")) if host is None else host
    device = device or told("INA_DEVICE")
    check(LIBRARY.ina_init(os.fsencode(cluster_file), host, device.encode()))


def told(name):
    try:
        return os.environ[name]
    except KeyError:
        raise InaError(
            WRONG_INPUT, f"no {name} in the environment; allowed: arguments, or ina testbed exec"
        ) from None


def rank():
    return LIBRARY.ina_rank()


def workers():
    return LIBRARY.ina_workers()


class Request:
    """An all-reduce under way; keeps its arrays alive."""

    def __init__(self, array, out):
        self.out = out
        self.number = ctypes.c_uint64()
        submit = SUBMIT[array.dtype]
        check(submit(array.ctypes.data, out.ctypes.data, array.size, ctypes.byref(self.number)))

    def wait(self, seconds=None):
        """The sums."""
        left = seconds
        while left is None or left > TURN_S:
            status = LIBRARY.ina_wait(self.number, TURN_S)
            if status != TIMEOUT:
                check(status)
                return self.out
            left = None if left is None else left - TURN_S
        check(LIBRARY.ina_wait(self.number, left))
        return self.out


def submit(array, out=None):
    """Starts summing an array of int32 or float32. `out`: C-contiguous, of the same kind and size,
    and may be the array itself; a new array if not given."""
    array = np.ascontiguousarray(array)
    if array.dtype not in SUBMIT:
        raise InaError(WRONG_INPUT, f"array of {array.dtype}; allowed: int32, float32")
    if out is None:
        out = np.empty_like(array)
    if out.dtype != array.dtype or out.size != array.size or not is_place(out):
        raise InaError(
            WRONG_INPUT,
            f"out of {out.size} {out.dtype}; allowed: {array.size} {array.dtype}, C-contiguous "
            "and writable",
        )
    return Request(array, out)


def is_place(out):
    return out.flags.c_contiguous and out.flags.writeable


def allreduce(array, out=None):
    return submit(array, out).wait()


def finalize(seconds=60.0):
    check(LIBRARY.ina_finalize(seconds))

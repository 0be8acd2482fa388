# SPDX-License-Identifier: BSD-3-Clause
"""One of several workers that all-reduce an array: `worker.py LIBRARY REPETITIONS FLOATS`. Prints a
line of JSON: the seconds of each repetition, from the moment when all are ready until this worker
has the sums."""

import json
import os
import sys
import time

import numpy as np

WARM_UPS = 3  # enough for libina to allocate its copies of arrays
SEED = 20231
TOLERANCE = 1e-5  # relative to the largest sum; rounding errors are below 1e-6


class Ina:
    def __init__(self):
        import ina

        ina.init()
        self.rank, self.workers, self.sum = ina.rank(), ina.workers(), ina.allreduce
        self.end = ina.finalize

    def meet(self):
        self.sum(np.zeros(1, np.float32))


class Gloo:
    """All-reduces in place, like PyTorch: `out` holds the values when the clock starts."""

    def __init__(self):
        import torch
        from torch import distributed

        torch.set_num_threads(1)
        self.rank, self.workers = int(os.environ["RANK"]), int(os.environ["WORKERS"])
        distributed.init_process_group(
            "gloo",
            init_method=os.environ["MEETING"],
            rank=self.rank,
            world_size=self.workers,
        )
        self.meet, self.end = distributed.barrier, distributed.destroy_process_group
        self.as_tensor, self.all_reduce = torch.from_numpy, distributed.all_reduce

    def sum(self, _values, out):
        self.all_reduce(self.as_tensor(out))


class Mpi:
    """All-reduces in place as well, which saves a copy."""

    def __init__(self):
        from mpi4py import MPI

        self.world, self.in_place = MPI.COMM_WORLD, MPI.IN_PLACE
        self.rank, self.workers = self.world.rank, self.world.size
        self.meet, self.end = self.world.Barrier, lambda: None

    def sum(self, _values, out):
        self.world.Allreduce(self.in_place, out)


def main(library, repetitions, floats):
    one = {"ina": Ina, "gloo": Gloo, "mpi": Mpi}[library]()
    unit = np.random.default_rng(SEED).standard_normal(floats, np.float32)
    values = unit * np.float32(one.rank + 1)
    sums = np.empty_like(values)
    seconds = []
    for _ in range(WARM_UPS + repetitions):
        np.copyto(sums, values)
        one.meet()
        begin = time.perf_counter()
        one.sum(values, sums)
        seconds.append(time.perf_counter() - begin)
    factor = one.workers * (one.workers + 1) // 2
    if np.abs(sums - unit * np.float32(factor)).max() > TOLERANCE * factor * np.abs(unit).max():
        sys.exit(f"{library}: worker {one.rank} got wrong sums")
    line = json.dumps(seconds[WARM_UPS:]) + "\n"
    os.write(sys.stdout.fileno(), line.encode())  # at once: the workers share a pipe
    one.end()


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

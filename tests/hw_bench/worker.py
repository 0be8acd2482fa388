# SPDX-License-Identifier: BSD-3-Clause
"""One of several workers that all-reduce 100 MB: `worker.py LIBRARY REPETITIONS`. Prints a line of
JSON: the seconds of each repetition, from when all were ready until this worker has the sums."""

import json
import os
import sys
import time

import numpy as np

FLOATS = 25_000_000
WARM_UPS = 3
SEED = 20231
TOLERANCE = 1e-5  # of the largest value of a sum: a thousand times what rounding makes of it


class Ina:
    def __init__(self):
        import ina

        ina.init()
        self.rank, self.workers, self.sum = ina.rank(), ina.workers(), ina.allreduce
        self.end = ina.finalize

    def meet(self):
        self.sum(np.zeros(1, np.float32))


class Gloo:
    """In place, as PyTorch does it: the input is copied back before the clock starts."""

    def __init__(self):
        import torch
        from torch import distributed

        torch.set_num_threads(1)
        self.rank, self.workers = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        distributed.init_process_group(
            "gloo",
            init_method=os.environ["INA_MEETING"],
            rank=self.rank,
            world_size=self.workers,
        )
        self.meet, self.end = distributed.barrier, distributed.destroy_process_group
        self.as_tensor, self.all_reduce = torch.from_numpy, distributed.all_reduce

    def sum(self, _values, out):
        self.all_reduce(self.as_tensor(out))


class Mpi:
    def __init__(self):
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        self.rank, self.workers, self.sum = world.rank, world.size, world.Allreduce
        self.meet, self.end = world.Barrier, lambda: None


def main(library, repetitions):
    one = {"ina": Ina, "gloo": Gloo, "mpi": Mpi}[library]()
    unit = np.random.default_rng(SEED).standard_normal(FLOATS, np.float32)
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
    print(json.dumps(seconds[WARM_UPS:]), flush=True)
    one.end()


main(sys.argv[1], int(sys.argv[2]))

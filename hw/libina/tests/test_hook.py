# SPDX-License-Identifier: BSD-3-Clause
"""The hook for PyTorch, on a library of two equal workers that is as late as it may be."""

import gc
import importlib.util
import os
import subprocess
import sys

import ina
import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("no PyTorch: python3-torch is not installed", allow_module_level=True)

import ina_torch
import torch


class Bucket:
    def __init__(self, gradients):
        self.gradients = gradients

    def buffer(self):
        return self.gradients


@pytest.fixture(autouse=True)
def job():
    ina.init("cluster.json", 0, "device")
    yield
    ina.LIBRARY.late_fail(0)
    ina.finalize()


def test_the_average_of_equal_gradients_is_these():
    buckets = [torch.arange(count, dtype=torch.float32) for count in (1, 1000, 500_000)]
    futures = [ina_torch.average(None, Bucket(gradients)) for gradients in buckets]
    for gradients, future in zip(buckets, futures, strict=True):
        assert torch.equal(future.wait(), torch.arange(len(gradients), dtype=torch.float32))


def test_gradients_that_training_drops_are_kept():
    future = ina_torch.average(None, Bucket(torch.ones(500_000)))
    gc.collect()
    others = [torch.full((500_000,), 77.0) for _ in range(4)]
    assert torch.equal(future.wait(), torch.ones(500_000))
    assert all(torch.equal(other, torch.full((500_000,), 77.0)) for other in others)


def test_training_hears_that_workers_differ():
    ina.LIBRARY.late_fail(ina.MISMATCH)
    future = ina_torch.average(None, Bucket(torch.ones(9)))
    with pytest.raises(Exception, match="told to fail"):
        future.wait()


def test_a_program_ends_though_others_do_not_send():
    script = """
import ina, ina_torch, torch
class Bucket:
    buffer = staticmethod(lambda: torch.ones(500_000))
ina.init("cluster.json", 0, "device")
ina.LIBRARY.late_hold(1)
futures = [ina_torch.average(None, Bucket) for _ in range(3)]
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.path.dirname(ina.__file__)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,  # it would wait for ever
    )
    assert (done.returncode, done.stderr) == (0, "left within 0 s\n")

# SPDX-License-Identifier: BSD-3-Clause
"""The hook for PyTorch, on a stand-in for the library: two equal workers that add as late as
possible."""

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


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_gradients_of_half_precision_are_summed_as_float32_and_come_back_as_they_were(kind):
    most = min(torch.finfo(kind).max, 1e38)  # twice this value does not fit into a float16
    gradients = torch.tensor([1, 0.1, -3, most], dtype=kind)
    before = gradients.clone()
    averages = ina_torch.average(None, Bucket(gradients)).wait()
    assert averages.dtype == kind
    assert torch.equal(averages, before)


@pytest.mark.parametrize("kind", ["float64", "int64"])
def test_gradients_of_other_kinds_are_refused_with_what_is_allowed(kind):
    words = f"gradients of {kind}; allowed: float32, float16, bfloat16"
    with pytest.raises(ina.InaError, match=words) as refused:
        ina_torch.average(None, Bucket(torch.ones(9, dtype=getattr(torch, kind))))
    assert refused.value.status == ina.WRONG_INPUT


def test_gradients_elsewhere_are_refused_with_what_is_allowed():
    with pytest.raises(ina.InaError, match="gradients on meta; allowed: in main memory"):
        ina_torch.average(None, Bucket(torch.ones(9, device="meta")))


def test_a_backward_pass_fails_with_the_message_of_the_library(tmp_path):
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{tmp_path}/gloo", rank=0, world_size=1
    )
    try:
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
        model.register_comm_hook(None, ina_torch.average)
        ina.LIBRARY.late_fail(ina.NOT_FINITE)
        with pytest.raises(RuntimeError, match="InaError: told to fail") as failed:
            model(torch.ones(1, 3)).sum().backward()
        assert "Unable to cast" not in str(failed.value)
    finally:
        torch.distributed.destroy_process_group()


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
        timeout=300,  # without an end it would wait for ever
    )
    assert (done.returncode, done.stderr) == (0, "left within 0 s\n")

# SPDX-License-Identifier: BSD-3-Clause
"""libina for PyTorch: gradients of DistributedDataParallel go through the switch.

    ina.init()
    model = DistributedDataParallel(model)
    model.register_comm_hook(None, ina_torch.average)

The model's process group, such as Gloo's, then only carries data other than gradients. The
backward pass fails with a RuntimeError if a bucket has different sizes at different workers,
because their models differ, or if a gradient is NaN. The error has libina's message and the
ranks."""

import queue
import threading

import ina
import torch

# Buckets complete in the order of their submission, so one thread can wait for all. It is a daemon
# so that the program can end without waiting for data that other workers never send.
WAITING = queue.SimpleQueue()

# All are summed as float32. The averages are then rounded to their own kind.
KINDS = (torch.float32, torch.float16, torch.bfloat16)


def average(_state, bucket):
    """The communication hook: the average over the workers of a bucket of gradients in main memory,
    of float32, float16 or bfloat16. Training goes on meanwhile."""
    gradients = bucket.buffer()
    check(gradients)
    summed = gradients.to(torch.float32)
    array = summed.numpy()
    future = torch.futures.Future()
    averages = future.then(result_of)
    WAITING.put((ina.submit(array, out=array), summed, gradients, future))
    return averages


def check(gradients):
    if gradients.dtype not in KINDS:
        kind = str(gradients.dtype).removeprefix("torch.")
        raise ina.InaError(
            ina.WRONG_INPUT, f"gradients of {kind}; allowed: float32, float16, bfloat16"
        )
    if gradients.device.type != "cpu":
        raise ina.InaError(
            ina.WRONG_INPUT, f"gradients on {gradients.device}; allowed: in main memory (cpu)"
        )


def finish_all():
    while True:
        finish(*WAITING.get())


def finish(request, summed, gradients, future):
    try:
        request.wait()
        summed.div_(ina.workers())
        future.set_result(gradients if summed is gradients else gradients.copy_(summed))
    except Exception as error:  # training must be notified of any error
        future.set_result(error)


def result_of(future):
    """The averages. Raises an exception that the future holds in their place, because
    DistributedDataParallel reports exceptions but would use the future's value as a tensor."""
    result = future.value()
    if isinstance(result, Exception):
        raise result
    return result


threading.Thread(target=finish_all, name="ina-wait", daemon=True).start()

# SPDX-License-Identifier: BSD-3-Clause
"""libina for PyTorch: gradients of DistributedDataParallel go through the switch.

    ina.init()
    model = DistributedDataParallel(model)
    model.register_comm_hook(None, ina_torch.average)

Its process group, such as Gloo's, then only carries what is not gradients. Where the models of the
workers differ, so that a bucket is not of the same size everywhere, or a gradient is NaN, the
backward pass fails with a RuntimeError that has libina's message and the ranks."""

import queue
import threading

import ina
import torch

# Buckets are over in the order of their submission: one thread can wait for all. A daemon: the end
# of the program does not wait for what other workers do not send.
WAITING = queue.SimpleQueue()

# Summed as float32, and rounded to their own kind when they are averages.
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
    except Exception as error:  # whatever it is, training has to hear of it
        future.set_result(error)


def result_of(future):
    """The averages. DistributedDataParallel takes an exception that a future was given for a
    tensor; one that is raised here it reports."""
    result = future.value()
    if isinstance(result, Exception):
        raise result
    return result


threading.Thread(target=finish_all, name="ina-wait", daemon=True).start()

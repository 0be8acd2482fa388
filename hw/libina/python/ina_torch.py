# SPDX-License-Identifier: BSD-3-Clause
"""libina for PyTorch: gradients of DistributedDataParallel go through the switch.

    ina.init()
    model = DistributedDataParallel(model)
    model.register_comm_hook(None, ina_torch.average)

Its process group, such as Gloo's, then only carries what is not gradients. Where the models of the
workers differ, so that a bucket is not of the same size everywhere, the backward pass fails with
ina.MISMATCH and the ranks."""

import queue
import threading

import ina
import torch

# Buckets are over in the order of their submission: one thread can wait for all. A daemon: the end
# of the program does not wait for what other workers do not send.
WAITING = queue.SimpleQueue()


def average(_state, bucket):
    """The communication hook: the average over the workers of a bucket of float32 gradients in
    main memory. Training goes on meanwhile."""
    gradients = bucket.buffer()
    array = gradients.numpy()
    future = torch.futures.Future()
    WAITING.put((ina.submit(array, out=array), gradients, future))
    return future


def finish_all():
    while True:
        finish(*WAITING.get())


def finish(request, gradients, future):
    try:
        request.wait()
        future.set_result(gradients.div_(ina.workers()))
    except Exception as error:  # whatever it is, training has to hear of it
        future.set_exception(error)


threading.Thread(target=finish_all, name="ina-wait", daemon=True).start()

# SPDX-License-Identifier: BSD-3-Clause
"""libina for PyTorch: gradients of DistributedDataParallel go through the switch.

    ina.init()
    model = DistributedDataParallel(model)
    model.register_comm_hook(None, ina_torch.average)

Its process group, such as Gloo's, then only carries what is not gradients."""

from concurrent.futures import ThreadPoolExecutor

import ina
import torch

# Buckets are over in the order of their submission: one thread can wait for all.
WAITER = ThreadPoolExecutor(1, thread_name_prefix="ina-wait")


def average(_state, bucket):
    """The communication hook: the average over the workers of a bucket of float32 gradients in
    main memory. Training goes on meanwhile."""
    gradients = bucket.buffer()
    array = gradients.numpy()
    request = ina.submit(array, out=array)
    future = torch.futures.Future()
    WAITER.submit(finish, request, gradients, future)
    return future


def finish(request, gradients, future):
    try:
        request.wait()
        future.set_result(gradients.div_(ina.workers()))
    except Exception as error:  # whatever it is, training has to hear of it
        future.set_exception(error)

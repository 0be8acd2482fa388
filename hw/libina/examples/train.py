# SPDX-License-Identifier: BSD-3-Clause
"""Trains a small network on several workers, by DistributedDataParallel, and writes loss and
accuracy of each step. Run as every worker by `ina testbed exec`; see compare."""

import argparse
import csv
import os
from pathlib import Path

import ina
import ina_torch
import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

SEED = 20231
FEATURES, HIDDEN, CLASSES = 20, 128, 8
SPREAD = 1.6  # standard deviation of a class's points, large enough for classes to overlap
TEST_POINTS = 2000
BATCH = 32  # per worker
RATE = 0.1


def main():
    options = parse()
    rank, workers = int(os.environ["INA_RANK"]), int(os.environ["INA_WORKERS"])
    torch.set_num_threads(1)
    meeting = Path(os.environ["INA_CLUSTER"]).with_name("gloo")
    distributed.init_process_group(
        "gloo", init_method=f"file://{meeting}", rank=rank, world_size=workers
    )
    torch.manual_seed(SEED)
    centres = torch.randn(CLASSES, FEATURES)
    test = points(centres, TEST_POINTS)
    model = DistributedDataParallel(network())
    if options.gradients == "ina":
        ina.init()
        model.register_comm_hook(None, ina_torch.average)
    torch.manual_seed(SEED + 1 + rank)
    rows = list(train(model, centres, test, options.steps))
    if rank == 0:
        write(options.out, rows)
    if options.gradients == "ina":
        ina.finalize()


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gradients", choices=("ina", "gloo"), default="ina")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--out", type=Path, required=True, help="CSV file that rank 0 writes")
    return parser.parse_args()


def points(centres, count):
    """Returns points around the centres of their classes, and the classes."""
    classes = torch.randint(CLASSES, (count,))
    return centres[classes] + SPREAD * torch.randn(count, FEATURES), classes


def network():
    return nn.Sequential(
        nn.Linear(FEATURES, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, CLASSES),
    )


def train(model, centres, test, steps):
    optimiser = torch.optim.SGD(model.parameters(), lr=RATE)
    for step in range(1, steps + 1):
        inputs, classes = points(centres, BATCH)
        loss = nn.functional.cross_entropy(model(inputs), classes)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        yield {"step": step, "loss": loss.item(), "accuracy": accuracy(model.module, *test)}


@torch.no_grad()
def accuracy(model, inputs, classes):
    return (model(inputs).argmax(1) == classes).float().mean().item()


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ("step", "loss", "accuracy"), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


main()

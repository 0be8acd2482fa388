# SPDX-License-Identifier: BSD-3-Clause
"""Computation times of one GPU for one batch, as published or derived from published numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from architectures.layers import total_macs
from architectures.vgg import vgg

PS_PER_S = 10**12
PS_PER_MS = 10**9


@dataclass(frozen=True)
class ComputeTime:
    picoseconds: Fraction  # forward and backward pass of one batch, not rounded
    source: str


SWITCHML_V1 = (
    "Sapio et al., Scaling Distributed Machine Learning with In-Network Aggregation,"
    " arXiv:1903.06701v1, table 1, ideal"
)
SWITCHML_BATCH = 64
SWITCHML_GPUS = 8
# Images/s of eight GPUs: eight times the throughput of one.
SWITCHML_IDEAL = {"inception3": 1132, "resnet50": 1838, "vgg16": 1180}


def switchml_ideal(model: str) -> ComputeTime:
    ideal = SWITCHML_IDEAL[model]
    return ComputeTime(
        SWITCHML_BATCH / Fraction(ideal, SWITCHML_GPUS) * PS_PER_S,
        f"batch {SWITCHML_BATCH} on one GPU at {ideal}/{SWITCHML_GPUS} images/s ({SWITCHML_V1})",
    )


TENSORFLOW = (
    "TensorFlow benchmarks of May 2017, tensorflow.org/performance/benchmarks, DGX-1,"
    " synthetic data"
)
# Batch and images/s of one P100.
TENSORFLOW_P100 = {"alexnet": (512, Fraction(2987)), "resnet152": (64, Fraction("91.8"))}


def tensorflow_p100(model: str) -> ComputeTime:
    batch, images_per_second = TENSORFLOW_P100[model]
    return ComputeTime(
        batch / images_per_second * PS_PER_S,
        f"batch {batch} on one P100 at {float(images_per_second):g} images/s ({TENSORFLOW})",
    )


RESNET101_BATCH = 64
RESNET101_MS_PER_IMAGE = Fraction("5.92")


def resnet101_2080ti() -> ComputeTime:
    return ComputeTime(
        RESNET101_BATCH * RESNET101_MS_PER_IMAGE * PS_PER_MS,
        f"batch {RESNET101_BATCH} on one RTX 2080 Ti at {float(RESNET101_MS_PER_IMAGE):g} ms/image"
        " (github.com/cgnorthcutt/cnn-gpu-benchmarks, ImageNet, average batch time)",
    )


def vgg11_by_macs() -> ComputeTime:
    """Derived from VGG16's multiply-accumulates per second, since no published throughput was
    found."""
    vgg16 = switchml_ideal("vgg16")
    share = Fraction(total_macs(vgg("vgg11")), total_macs(vgg("vgg16")))
    return ComputeTime(
        share * vgg16.picoseconds,
        "no throughput is published, so this is VGG16's share of multiply-accumulates of a"
        f" {vgg16.source}",
    )


@dataclass(frozen=True)
class SwitchmlBatch:
    """A row of table 1 of SwitchML (NSDI 2021) at 100 Gbps, the rate with the shortest
    communication."""

    batch: int
    milliseconds: int  # time of one batch, including its communication
    communication: int  # percent of the time of a batch
    overlapping: int  # percent of the communication


SWITCHML_NSDI = {
    "deeplight": SwitchmlBatch(8192, 258, 79, 20),
    "lstm": SwitchmlBatch(64, 312, 46, 56),
    "bert-large": SwitchmlBatch(4, 668, 17, 35),
    "vgg19": SwitchmlBatch(64, 499, 10, 99),
    "ugatit": SwitchmlBatch(2, 1212, 4, 99),
    "ncf": SwitchmlBatch(131072, 46, 23, 27),
    "ssd300": SwitchmlBatch(16, 293, 3, 99),
}


def switchml_nsdi(model: str) -> ComputeTime:
    """The time of a batch without the communication that does not overlap with computation."""
    row = SWITCHML_NSDI[model]
    exposed = Fraction(row.communication, 100) * (1 - Fraction(row.overlapping, 100))
    return ComputeTime(
        row.milliseconds * (1 - exposed) * PS_PER_MS,
        f"batch {row.batch} on one P100 in {row.milliseconds} ms less the {row.communication} % of"
        f" communication at 100 Gbps of which {row.overlapping} % overlap (Sapio et al., NSDI 2021,"
        " table 1)",
    )

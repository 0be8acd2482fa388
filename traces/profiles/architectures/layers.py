# SPDX-License-Identifier: BSD-3-Clause
"""Layers of neural networks: their parameters and the multiply-accumulates (MACs) of an example."""

from __future__ import annotations

from dataclasses import dataclass

IMAGE_SIZE = 224
CLASSES = 1000


@dataclass(frozen=True)
class Layer:
    name: str
    parameters: int
    macs: int  # per example, in the forward pass


def kernel_convolution(
    name: str, height: int, width: int, inputs: int, outputs: int, size: int, bias: bool
) -> Layer:
    """A convolution by `height` x `width` whose output has `size` x `size` pixels."""
    weights = height * width * inputs * outputs
    return Layer(name, weights + (outputs if bias else 0), weights * size * size)


def convolution(
    name: str, kernel: int, inputs: int, outputs: int, size: int, bias: bool
) -> Layer:
    """A square convolution whose output has `size` x `size` pixels."""
    return kernel_convolution(name, kernel, kernel, inputs, outputs, size, bias)


def batch_norm(name: str, channels: int, size: int) -> Layer:
    """Scale and shift per channel: one multiply-accumulate per value of the output."""
    return Layer(name, 2 * channels, channels * size * size)


def normalised_convolution(
    name: str, kernel: int, inputs: int, outputs: int, size: int
) -> list[Layer]:
    """A convolution without bias and the batch normalisation after it, as two layers."""
    return [
        convolution(name, kernel, inputs, outputs, size, bias=False),
        batch_norm(f"{name}/bn", outputs, size),
    ]


def fully_connected(name: str, inputs: int, outputs: int, tokens: int = 1) -> Layer:
    """A matrix with biases, applied to `tokens` vectors per example."""
    return Layer(name, inputs * outputs + outputs, inputs * outputs * tokens)


def embedding(name: str, rows: int, width: int, lookups: int = 1) -> Layer:
    """A table of which an example reads `lookups` rows: one multiply-accumulate per value read."""
    return Layer(name, rows * width, lookups * width)


def total_macs(layers: list[Layer]) -> int:
    return sum(layer.macs for layer in layers)

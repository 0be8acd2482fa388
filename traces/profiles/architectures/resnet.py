# SPDX-License-Identifier: BSD-3-Clause
"""ResNet: He et al., CVPR 2016, table 1; the first 1x1 of a stage has the stride, as there."""

from __future__ import annotations

from architectures.layers import (
    CLASSES,
    IMAGE_SIZE,
    Layer,
    fully_connected,
    normalised_convolution,
)

WIDTHS = [64, 128, 256, 512]
DEPTHS = {"resnet50": [3, 4, 6, 3], "resnet101": [3, 4, 23, 3], "resnet152": [3, 8, 36, 3]}


def bottleneck(name: str, inputs: int, width: int, size: int) -> list[Layer]:
    """Residual block 1x1, 3x3, 1x1; a change of the number of channels projects the shortcut."""
    outputs = 4 * width
    layers = normalised_convolution(f"{name}/1x1_reduce", 1, inputs, width, size)
    layers += normalised_convolution(f"{name}/3x3", 3, width, width, size)
    layers += normalised_convolution(f"{name}/1x1_expand", 1, width, outputs, size)
    if inputs != outputs:
        layers += normalised_convolution(f"{name}/projection", 1, inputs, outputs, size)
    return layers


def stages(depths: list[int], sizes: list[int]) -> list[Layer]:
    """The residual blocks after conv1. Each stage has its own output size, in pixels per side."""
    layers, inputs = [], 64
    for stage, (width, depth, size) in enumerate(zip(WIDTHS, depths, sizes), start=2):
        for block in range(1, depth + 1):
            layers += bottleneck(f"conv{stage}_{block}", inputs, width, size)
            inputs = 4 * width
    return layers


def resnet(name: str) -> list[Layer]:
    layers = normalised_convolution("conv1", 7, 3, 64, IMAGE_SIZE // 2)
    layers += stages(DEPTHS[name], [IMAGE_SIZE // 4 // 2**stage for stage in range(4)])
    layers.append(fully_connected("fc", 4 * WIDTHS[-1], CLASSES))
    return layers

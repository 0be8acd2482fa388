# SPDX-License-Identifier: BSD-3-Clause
"""VGG: Simonyan and Zisserman, ICLR 2015, table 1."""

from __future__ import annotations

from architectures.layers import CLASSES, IMAGE_SIZE, Layer, convolution, fully_connected

CHANNELS = [64, 128, 256, 512, 512]
# Convolutions of each block, in configurations A, D and E.
DEPTHS = {"vgg11": [1, 1, 2, 2, 2], "vgg16": [2, 2, 3, 3, 3], "vgg19": [2, 2, 4, 4, 4]}


def vgg(name: str) -> list[Layer]:
    layers, inputs, size = [], 3, IMAGE_SIZE
    for block, (channels, depth) in enumerate(zip(CHANNELS, DEPTHS[name]), start=1):
        for index in range(1, depth + 1):
            layers.append(convolution(f"conv{block}_{index}", 3, inputs, channels, size, bias=True))
            inputs = channels
        size //= 2
    layers.append(fully_connected("fc6", inputs * size * size, 4096))
    layers.append(fully_connected("fc7", 4096, 4096))
    layers.append(fully_connected("fc8", 4096, CLASSES))
    return layers

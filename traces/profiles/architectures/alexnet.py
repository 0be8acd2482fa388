# SPDX-License-Identifier: BSD-3-Clause
"""AlexNet: Krizhevsky, Sutskever and Hinton, NIPS 2012, section 3.5 and figure 2."""

from __future__ import annotations

from architectures.layers import CLASSES, Layer, convolution, fully_connected

# Kernel, channels per kernel, kernels, and output size in pixels per side. Layers 2, 4 and 5 see
# only the half of the channels that is on their own one of the paper's two GPUs.
CONVOLUTIONS = [
    (11, 3, 96, 55),
    (5, 48, 256, 27),
    (3, 256, 384, 13),
    (3, 192, 384, 13),
    (3, 192, 256, 13),
]


def alexnet() -> list[Layer]:
    layers = [
        convolution(f"conv{index}", kernel, inputs, outputs, size, bias=True)
        for index, (kernel, inputs, outputs, size) in enumerate(CONVOLUTIONS, start=1)
    ]
    layers.append(fully_connected("fc6", 256 * 6 * 6, 4096))
    layers.append(fully_connected("fc7", 4096, 4096))
    layers.append(fully_connected("fc8", 4096, CLASSES))
    return layers

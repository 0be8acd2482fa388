# SPDX-License-Identifier: BSD-3-Clause
"""SSD300: Liu et al., ECCV 2016, on ResNet-50 up to conv4, as MLPerf and NVIDIA train it on COCO.

The trunk's conv4 has no stride, and the layers behind it have half of the published channels
(NVIDIA DeepLearningExamples, PyTorch/Detection/SSD, "Model architecture").
"""

from __future__ import annotations

from architectures.layers import Layer, convolution, normalised_convolution
from architectures.resnet import DEPTHS, stages

CLASSES = 81  # COCO's 80 and the background
# Inputs, channels in between, outputs, and pixels per side before and after its stride.
EXTRA = [
    (1024, 256, 512, 38, 19),
    (512, 256, 512, 19, 10),
    (512, 128, 256, 10, 5),
    (256, 128, 256, 5, 3),
    (256, 128, 256, 3, 1),
]
# Channels, pixels per side, and boxes per pixel of each feature map used for detection.
FEATURE_MAPS = [(1024, 38, 4), (512, 19, 6), (512, 10, 6), (256, 5, 6), (256, 3, 4), (256, 1, 4)]


def ssd300() -> list[Layer]:
    layers = normalised_convolution("conv1", 7, 3, 64, 150)
    layers += stages(DEPTHS["resnet50"][:3], [75, 38, 38])
    for index, (inputs, width, outputs, before, behind) in enumerate(EXTRA, start=1):
        layers += normalised_convolution(f"extra{index}/1x1", 1, inputs, width, before)
        layers += normalised_convolution(f"extra{index}/3x3", 3, width, outputs, behind)
    for index, (channels, size, boxes) in enumerate(FEATURE_MAPS, start=1):
        layers.append(convolution(f"location{index}", 3, channels, 4 * boxes, size, bias=True))
        layers.append(
            convolution(f"confidence{index}", 3, channels, CLASSES * boxes, size, bias=True)
        )
    return layers

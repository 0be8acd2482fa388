# SPDX-License-Identifier: BSD-3-Clause
"""Inception-v3: Szegedy et al., CVPR 2016, table 1 and figures 5 to 7, without the auxiliary head.

Table 1 has the sizes of the modules; the channels of their branches are those of the authors'
model, as TensorFlow's benchmarks train it. Branches stand one after the other.
"""

from __future__ import annotations

from architectures.layers import CLASSES, Layer, batch_norm, fully_connected, kernel_convolution

# A convolution of a branch: height and width of the kernel, and outputs.
Step = tuple[int, int, int]
Branch = list[Step]


def steps(name: str, inputs: int, size: int, branch: Branch) -> list[Layer]:
    """Convolutions in a row, each with batch normalisation, all at one size of image."""
    layers = []
    for index, (height, width, outputs) in enumerate(branch, start=1):
        step = f"{name}/{index}_{height}x{width}"
        layers.append(
            kernel_convolution(step, height, width, inputs, outputs, size, bias=False)
        )
        layers.append(batch_norm(f"{step}/bn", outputs, size))
        inputs = outputs
    return layers


def module(name: str, inputs: int, size: int, branches: list[Branch]) -> list[Layer]:
    layers = []
    for index, branch in enumerate(branches, start=1):
        layers += steps(f"{name}/branch{index}", inputs, size, branch)
    return layers


def stem() -> list[Layer]:
    layers = steps("stem1", 3, 149, [(3, 3, 32)])
    layers += steps("stem2", 32, 147, [(3, 3, 32), (3, 3, 64)])
    layers += steps("stem3", 64, 73, [(1, 1, 80)])
    return layers + steps("stem4", 80, 71, [(3, 3, 192)])


def module_35(name: str, inputs: int, pooled: int) -> list[Layer]:
    """Figure 5, of 35 x 35 pixels; its first branches have a 5x5."""
    branches = [
        [(1, 1, 64)],
        [(1, 1, 48), (5, 5, 64)],
        [(1, 1, 64), (3, 3, 96), (3, 3, 96)],
        [(1, 1, pooled)],
    ]
    return module(name, inputs, 35, branches)


def reduction_17(name: str, inputs: int) -> list[Layer]:
    """From 35 x 35 to 17 x 17 pixels: the last convolution of each branch has the stride."""
    layers = module(name, inputs, 17, [[(3, 3, 384)]])
    layers += steps(f"{name}/branch2", inputs, 35, [(1, 1, 64), (3, 3, 96)])
    return layers + steps(f"{name}/branch2/stride", 96, 17, [(3, 3, 96)])


def module_17(name: str, width: int) -> list[Layer]:
    """Figure 6, of 17 x 17 pixels, with n = 7."""
    branches = [
        [(1, 1, 192)],
        [(1, 1, width), (1, 7, width), (7, 1, 192)],
        [(1, 1, width), (7, 1, width), (1, 7, width), (7, 1, width), (1, 7, 192)],
        [(1, 1, 192)],
    ]
    return module(name, 768, 17, branches)


def reduction_8(name: str) -> list[Layer]:
    layers = steps(f"{name}/branch1", 768, 17, [(1, 1, 192)])
    layers += steps(f"{name}/branch1/stride", 192, 8, [(3, 3, 320)])
    layers += steps(f"{name}/branch2", 768, 17, [(1, 1, 192), (1, 7, 192), (7, 1, 192)])
    return layers + steps(f"{name}/branch2/stride", 192, 8, [(3, 3, 192)])


def module_8(name: str, inputs: int) -> list[Layer]:
    """Figure 7, of 8 x 8 pixels: two branches end in a 1x3 next to a 3x1."""
    layers = module(name, inputs, 8, [[(1, 1, 320)], [(1, 1, 384)], [(1, 1, 448), (3, 3, 384)]])
    for branch in (2, 3):
        layers += module(f"{name}/branch{branch}/split", 384, 8, [[(1, 3, 384)], [(3, 1, 384)]])
    return layers + steps(f"{name}/branch4", inputs, 8, [(1, 1, 192)])


def inception3() -> list[Layer]:
    layers = stem()
    for name, inputs, pooled in [("mixed1", 192, 32), ("mixed2", 256, 64), ("mixed3", 288, 64)]:
        layers += module_35(name, inputs, pooled)
    layers += reduction_17("mixed4", 288)
    for name, width in [("mixed5", 128), ("mixed6", 160), ("mixed7", 160), ("mixed8", 192)]:
        layers += module_17(name, width)
    layers += reduction_8("mixed9")
    layers += module_8("mixed10", 1280) + module_8("mixed11", 2048)
    return [*layers, fully_connected("fc", 2048, CLASSES)]

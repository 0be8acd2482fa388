# SPDX-License-Identifier: BSD-3-Clause
"""U-GAT-IT: Kim et al., ICLR 2020, in the light version of the authors' program.

Light: the two matrices that give AdaLIN its parameters see the pooled channels, not every pixel.
Images of 256 x 256 pixels, 4 residual blocks each way, 64 channels behind the first convolution.
"""

from __future__ import annotations

from architectures.layers import Layer, convolution

IMAGE_SIZE = 256
CHANNELS = 64
WIDTH = 4 * CHANNELS  # channels of the residual blocks
BLOCKS = 4
SMALL = IMAGE_SIZE // 4


def matrix(name: str, inputs: int, outputs: int) -> Layer:
    return Layer(name, inputs * outputs, inputs * outputs)


def attention(name: str, channels: int, size: int, bias: bool = True) -> list[Layer]:
    """The auxiliary classifier on channels pooled in two ways, and the 1x1 that joins both maps."""
    return [
        matrix(f"{name}/average", channels, 1),
        matrix(f"{name}/maximum", channels, 1),
        convolution(f"{name}/1x1", 1, 2 * channels, channels, size, bias=bias),
    ]


def residual_blocks(name: str) -> list[Layer]:
    return [
        convolution(f"{name}{block}/{index}", 3, WIDTH, WIDTH, SMALL, bias=False)
        for block in range(1, BLOCKS + 1)
        for index in (1, 2)
    ]


def adaptive_normalisation(name: str, channels: int, size: int) -> Layer:
    """Mixes instance and layer normalisation with a ratio per channel, then scales and shifts."""
    return Layer(name, 3 * channels, channels * size * size)


def decoder(name: str) -> list[Layer]:
    """Residual blocks that learn the ratio of the two normalisations, and upsampling."""
    layers = []
    for block in range(1, BLOCKS + 1):
        for index in (1, 2):
            part = f"{name}/decode{block}/{index}"
            layers.append(convolution(part, 3, WIDTH, WIDTH, SMALL, bias=False))
            layers.append(Layer(f"{part}/adalin", WIDTH, WIDTH * SMALL * SMALL))
    for index, channels in enumerate((WIDTH, WIDTH // 2), start=1):
        size = SMALL * 2**index
        part = f"{name}/upsample{index}"
        layers.append(convolution(part, 3, channels, channels // 2, size, bias=False))
        layers.append(adaptive_normalisation(f"{part}/lin", channels // 2, size))
    return [*layers, convolution(f"{name}/image", 7, CHANNELS, 3, IMAGE_SIZE, bias=False)]


def generator(name: str) -> list[Layer]:
    layers = [
        convolution(f"{name}/conv1", 7, 3, CHANNELS, IMAGE_SIZE, bias=False),
        convolution(f"{name}/conv2", 3, CHANNELS, 2 * CHANNELS, IMAGE_SIZE // 2, bias=False),
        convolution(f"{name}/conv3", 3, 2 * CHANNELS, WIDTH, SMALL, bias=False),
        *residual_blocks(f"{name}/encode"),
        *attention(f"{name}/attention", WIDTH, SMALL),
    ]
    layers += [matrix(f"{name}/fc{index}", WIDTH, WIDTH) for index in (1, 2)]
    layers += [matrix(f"{name}/{what}", WIDTH, WIDTH) for what in ("gamma", "beta")]
    return layers + decoder(name)


def discriminator(name: str, convolutions: int) -> list[Layer]:
    """4x4 convolutions, the last of which has no stride, attention, and a final 4x4 that judges."""
    layers, inputs, size = [], 3, IMAGE_SIZE
    for index in range(1, convolutions + 1):
        outputs = CHANNELS * 2 ** (index - 1)
        size = size // 2 if index < convolutions else size - 1
        layers.append(convolution(f"{name}/conv{index}", 4, inputs, outputs, size, bias=True))
        inputs = outputs
    layers += attention(f"{name}/attention", inputs, size)
    return [*layers, convolution(f"{name}/judge", 4, inputs, 1, size - 1, bias=False)]


def ugatit() -> list[Layer]:
    """A generator for each direction, each with a global and a local discriminator."""
    layers = []
    for way in ("a", "b"):
        layers += generator(f"generator_{way}")
    for way in ("a", "b"):
        layers += discriminator(f"global_{way}", 6)
        layers += discriminator(f"local_{way}", 4)
    return layers

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the model profiles beside this script from the published architectures.

Parameters follow from kernel sizes and channels, compute times from multiply-accumulates (MACs) and
one measured throughput per model. Run it without arguments; a test holds the committed files to it.
"""

import json
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
BYTES_PER_PARAMETER = 4
PS_PER_S = 10**12
IMAGE_SIZE = 224
CLASSES = 1000

SWITCHML_BATCH = 64
SWITCHML_GPUS = 8
# Table 1 of the SwitchML paper: images/s of eight GPUs, eight times the throughput of one.
SWITCHML_IDEAL = {"vgg16": 1180, "resnet50": 1838}

BACKWARD_SHARE = Fraction(2, 3)  # backward : forward = 2 : 1


@dataclass(frozen=True)
class Layer:
    name: str
    parameters: int
    macs: int  # of one image's forward pass


def convolution(name, kernel, inputs, outputs, size, bias):
    """A square convolution whose output has `size` x `size` pixels."""
    weights = kernel * kernel * inputs * outputs
    return Layer(name, weights + (outputs if bias else 0), weights * size * size)


def batch_norm(name, channels, size):
    """Scale and shift per channel: one multiply-accumulate per value of the output."""
    return Layer(name, 2 * channels, channels * size * size)


def fully_connected(name, inputs, outputs):
    return Layer(name, inputs * outputs + outputs, inputs * outputs)


def vgg16():
    """Configuration D of Simonyan and Zisserman, ICLR 2015, table 1."""
    blocks = [(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]
    layers, inputs, size = [], 3, IMAGE_SIZE
    for block, (channels, depth) in enumerate(blocks, start=1):
        for index in range(1, depth + 1):
            layers.append(convolution(f"conv{block}_{index}", 3, inputs, channels, size, bias=True))
            inputs = channels
        size //= 2
    layers.append(fully_connected("fc6", inputs * size * size, 4096))
    layers.append(fully_connected("fc7", 4096, 4096))
    layers.append(fully_connected("fc8", 4096, CLASSES))
    return layers


def normalised_convolution(name, kernel, inputs, outputs, size):
    """Convolution without bias and the batch normalisation behind it, as two layers."""
    return [
        convolution(name, kernel, inputs, outputs, size, bias=False),
        batch_norm(f"{name}/bn", outputs, size),
    ]


def bottleneck(name, inputs, width, size):
    """Residual block 1x1, 3x3, 1x1; a change of the number of channels projects the shortcut."""
    outputs = 4 * width
    layers = normalised_convolution(f"{name}/1x1_reduce", 1, inputs, width, size)
    layers += normalised_convolution(f"{name}/3x3", 3, width, width, size)
    layers += normalised_convolution(f"{name}/1x1_expand", 1, width, outputs, size)
    if inputs != outputs:
        layers += normalised_convolution(f"{name}/projection", 1, inputs, outputs, size)
    return layers


def resnet50():
    """He et al., CVPR 2016, table 1; the first 1x1 of a stage has the stride, as in the paper."""
    stages = [(64, 3), (128, 4), (256, 6), (512, 3)]
    size = IMAGE_SIZE // 2
    layers = normalised_convolution("conv1", 7, 3, 64, size)
    inputs = 64
    for stage, (width, depth) in enumerate(stages, start=2):
        size //= 2  # by the max pooling before the first stage, by the stride afterwards
        for block in range(1, depth + 1):
            layers += bottleneck(f"conv{stage}_{block}", inputs, width, size)
            inputs = 4 * width
    layers.append(fully_connected("fc", inputs, CLASSES))
    return layers


def batch_time_ps(model):
    """Forward and backward of one batch on one GPU, in picoseconds, not rounded."""
    images_per_second = Fraction(SWITCHML_IDEAL[model], SWITCHML_GPUS)
    return SWITCHML_BATCH / images_per_second * PS_PER_S


def split(total, weights):
    """`total` in proportion to the weights, as integers that add up to the rounded total."""
    bounds, seen = [0], 0
    for weight in weights:
        seen += weight
        bounds.append(round(total * seen / sum(weights)))
    return [end - start for start, end in zip(bounds, bounds[1:])]


def microseconds(picoseconds):
    """A whole number of picoseconds as a quantity of the scenario format."""
    text = f"{Decimal(picoseconds) / 10**6:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "us"


def image_source(name, architecture):
    return (
        f"{architecture}; {IMAGE_SIZE}x{IMAGE_SIZE} images, {CLASSES} classes. Compute times are"
        f" derived, not measured per layer: batch {SWITCHML_BATCH} on one GPU at"
        f" {SWITCHML_IDEAL[name]}/{SWITCHML_GPUS} images/s (Sapio et al., Scaling Distributed"
        " Machine Learning with In-Network Aggregation, arXiv:1903.06701v1, table 1, ideal),"
        " backward : forward = 2 : 1, shared out by each layer's multiply-accumulates; batch"
        " normalisation counts one per value, biases, activations and pooling none. Made by"
        " traces/profiles/make_profiles.py"
    )


def image_model(name, architecture, layers):
    batch = batch_time_ps(name)
    macs = [layer.macs for layer in layers]
    forward = split(batch * (1 - BACKWARD_SHARE), macs)
    backward = split(batch * BACKWARD_SHARE, macs)
    return {
        "name": name,
        "source": image_source(name, architecture),
        "partition_bytes": "4MB",
        "layers": [
            layer_entry(layer.name, layer.parameters, microseconds(f), microseconds(b))
            for layer, f, b in zip(layers, forward, backward)
        ],
    }


def two_layer_dnn(name, title, partition_megabytes, compute):
    parameters = 2 * partition_megabytes * 10**6 // BYTES_PER_PARAMETER
    return {
        "name": name,
        "source": f"{title} of section VII.B of the DSA paper (ICNP 2023): two equal layers of two"
        f" partitions of {partition_megabytes} MB, {compute} of computation per layer. It stands in"
        " forward, and backward is 0: the paper counts a layer's computation once, in the next"
        " epoch's first pass, which waits for the results. send_order is the paper's. Made by"
        " traces/profiles/make_profiles.py",
        "partition_bytes": f"{partition_megabytes}MB",
        "layers": [layer_entry(f"layer{i}", parameters, compute, "0ms") for i in (1, 2)],
        "send_order": [[2, 1], [1, 1], [1, 2], [2, 2]],
    }


def layer_entry(name, parameters, forward, backward):
    return {"name": name, "parameters": parameters, "forward": forward, "backward": backward}


def profiles():
    return [
        two_layer_dnn("dnn-a", "DNN A (communication-intensive)", 4, "0.32ms"),
        two_layer_dnn("dnn-b", "DNN B (computation-intensive)", 2, "0.64ms"),
        image_model("vgg16", "VGG16: Simonyan and Zisserman, ICLR 2015, configuration D", vgg16()),
        image_model("resnet50", "ResNet-50: He et al., CVPR 2016, table 1", resnet50()),
    ]


def text_of(profile):
    """JSON with one layer a line."""
    fields = []
    for key, value in profile.items():
        if key == "layers":
            rows = ",\n".join(f"    {json.dumps(layer)}" for layer in value)
            fields.append(f'  "layers": [\n{rows}\n  ]')
        else:
            fields.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


def main():
    for profile in profiles():
        (FOLDER / f"{profile['name']}.json").write_text(text_of(profile), encoding="utf-8")


if __name__ == "__main__":
    main()

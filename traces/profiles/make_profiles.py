#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the model profiles next to this script from the published architectures.

Parameters follow from the layers in architectures/. Computation times follow from
multiply-accumulates (MACs) and the time of one batch in compute_times.py. Run the script without
arguments; a test compares the committed files with its output."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from architectures.alexnet import alexnet
from architectures.bert import bert_large
from architectures.inception3 import inception3
from architectures.layers import Layer
from architectures.lstm import lstm
from architectures.recommenders import deeplight, ncf
from architectures.resnet import resnet
from architectures.ssd import ssd300
from architectures.ugatit import ugatit
from architectures.vgg import vgg
from compute_times import (
    ComputeTime, resnet101_2080ti, switchml_ideal, switchml_nsdi, tensorflow_p100, vgg11_by_macs,
)  # fmt: skip
from profile_file import Profile, layer_entry, microseconds, split, text_of

FOLDER = Path(__file__).resolve().parent
BYTES_PER_PARAMETER = 4

BACKWARD_SHARE = Fraction(2, 3)  # backward : forward = 2 : 1

IMAGENET = "; 224x224 images, 1000 classes"
# How MACs are counted, by the kinds of layers in a model.
CONVOLUTIONAL = "batch normalisation counts one per value, biases, activations and pooling none"
LOOKUPS = "a table counts one per value read, biases and activations none"
TRANSFORMER = f"normalisation counts one per value, {LOOKUPS}"
GENERATIVE = "learnt normalisation counts one per value, biases, activations and pooling none"

VGG = "Simonyan and Zisserman, ICLR 2015, configuration"
RESNET = "He et al., CVPR 2016, table 1"


def derived_profile(
    name: str, architecture: str, layers: list[Layer], time: ComputeTime, counting: str
) -> Profile:
    macs = [layer.macs for layer in layers]
    forward = split(time.picoseconds * (1 - BACKWARD_SHARE), macs)
    backward = split(time.picoseconds * BACKWARD_SHARE, macs)
    return {
        "name": name,
        "source": f"{architecture}. Compute times are derived, not measured per layer:"
        f" {time.source}, backward : forward = 2 : 1, shared out by each layer's"
        f" multiply-accumulates; {counting}. Made by traces/profiles/make_profiles.py",
        "partition_bytes": "4MB",
        "layers": [
            layer_entry(layer.name, layer.parameters, microseconds(f), microseconds(b))
            for layer, f, b in zip(layers, forward, backward)
        ],
    }


def two_layer_dnn(name: str, title: str, partition_megabytes: int, compute: str) -> Profile:
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


def vgg_title(name: str, configuration: str) -> str:
    return f"{name.upper()}: {VGG} {configuration}{IMAGENET}"


def resnet_title(depth: int) -> str:
    return f"ResNet-{depth}: {RESNET}{IMAGENET}"


# Name, architecture, layers, time of a batch, and way of counting MACs.
DERIVED = [
    ("vgg11", vgg_title("vgg11", "A"), vgg("vgg11"), vgg11_by_macs(), CONVOLUTIONAL),
    ("vgg16", vgg_title("vgg16", "D"), vgg("vgg16"), switchml_ideal("vgg16"), CONVOLUTIONAL),
    ("vgg19", vgg_title("vgg19", "E"), vgg("vgg19"), switchml_nsdi("vgg19"), CONVOLUTIONAL),
    ("resnet50", resnet_title(50), resnet("resnet50"), switchml_ideal("resnet50"), CONVOLUTIONAL),
    ("resnet101", resnet_title(101), resnet("resnet101"), resnet101_2080ti(), CONVOLUTIONAL),
    ("resnet152", resnet_title(152), resnet("resnet152"), tensorflow_p100("resnet152"), CONVOLUTIONAL),
    (
        "alexnet", f"AlexNet: Krizhevsky et al., NIPS 2012, in its two groups{IMAGENET}", alexnet(),
        tensorflow_p100("alexnet"), CONVOLUTIONAL,
    ),
    (
        "inception3",
        "Inception-v3: Szegedy et al., CVPR 2016, without the auxiliary head; 299x299 images,"
        " 1000 classes; branches compute one after the other",
        inception3(), switchml_ideal("inception3"), CONVOLUTIONAL,
    ),
    (
        "ssd300",
        "SSD300: Liu et al., ECCV 2016, on ResNet-50 up to conv4, as MLPerf and NVIDIA"
        " DeepLearningExamples train it; 300x300 images, 81 classes of COCO",
        ssd300(), switchml_nsdi("ssd300"), CONVOLUTIONAL,
    ),
    (
        "ugatit",
        "U-GAT-IT: Kim et al., ICLR 2020, the light version: two generators and four"
        " discriminators, one after the other; 256x256 images",
        ugatit(), switchml_nsdi("ugatit"), GENERATIVE,
    ),
    (
        "bert-large",
        "BERT-large: Devlin et al., NAACL 2019, uncased, fine-tuned for SQuAD without the"
        " pooler; 384 tokens",
        bert_large(), switchml_nsdi("bert-large"), TRANSFORMER,
    ),
    (
        "lstm",
        "LSTM: Jozefowicz et al., arXiv:1602.02410, 793471 words, in the size of"
        " github.com/rdspring1/PyTorch_GBW_LM: one layer of 2048 units, projected to 256;"
        " 20 words, 8192 sampled ones in the softmax",
        lstm(), switchml_nsdi("lstm"), LOOKUPS,
    ),
    (
        "ncf",
        "NCF: He et al., WWW 2017, NeuMF for MovieLens-20M in the size of MLPerf and NVIDIA"
        " DeepLearningExamples: 138493 users, 26744 items, 64 factors, layers of 256, 256, 128"
        " and 64",
        ncf(), switchml_nsdi("ncf"), LOOKUPS,
    ),
    (
        "deeplight",
        "DeepLight: Deng et al., WSDM 2021, DeepFwFM for Criteo's logs: 39 fields, embeddings"
        " of 10 values, three layers of 400; the 55.2 million features are not published, and"
        " follow from the communication in SwitchML's table",
        deeplight(), switchml_nsdi("deeplight"), LOOKUPS,
    ),
]  # fmt: skip


def profiles() -> list[Profile]:
    return [
        two_layer_dnn("dnn-a", "DNN A (communication-intensive)", 4, "0.32ms"),
        two_layer_dnn("dnn-b", "DNN B (computation-intensive)", 2, "0.64ms"),
        *(derived_profile(*one) for one in DERIVED),
    ]


def main() -> None:
    for profile in profiles():
        (FOLDER / f"{profile['name']}.json").write_text(text_of(profile), encoding="utf-8")


if __name__ == "__main__":
    main()

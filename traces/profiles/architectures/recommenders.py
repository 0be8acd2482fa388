# SPDX-License-Identifier: BSD-3-Clause
"""Recommenders, nearly all of whose parameters are tables of embeddings.

NCF: NeuMF of He et al., Neural Collaborative Filtering, WWW 2017, for MovieLens-20M in the size of
MLPerf and NVIDIA DeepLearningExamples (64 factors, layers of 256, 256, 128 and 64).
DeepLight: Deng et al., WSDM 2021, DeepFwFM for Criteo's logs (39 fields, embeddings of 10 values,
three layers of 400).
"""

from __future__ import annotations

from architectures.layers import Layer, embedding, fully_connected

USERS, ITEMS = 138_493, 26_744
FACTORS = 64
NCF_LAYERS = [256, 256, 128, 64]

FIELDS = 39
FIELD_WIDTH = 10
DEEP_LAYERS = [400, 400, 400]
# The papers do not report the number of distinct features that remain in the logs. This number
# matches the emulated communication of table 1 of SwitchML (NSDI 2021): 97 % of 2101 ms at 10 Gbps,
# with the 4.9 % of headers that other models of known size have.
CRITEO_FEATURES = 55_200_000


def perceptron(name: str, widths: list[int]) -> list[Layer]:
    return [
        fully_connected(f"{name}{index}", inputs, outputs)
        for index, (inputs, outputs) in enumerate(zip(widths, widths[1:]), start=1)
    ]


def ncf() -> list[Layer]:
    """Matrix factorisation beside a perceptron; each has its own embeddings."""
    half = NCF_LAYERS[0] // 2
    return [
        embedding("factorisation/users", USERS, FACTORS),
        embedding("factorisation/items", ITEMS, FACTORS),
        embedding("perceptron/users", USERS, half),
        embedding("perceptron/items", ITEMS, half),
        *perceptron("perceptron/fc", NCF_LAYERS),
        fully_connected("prediction", FACTORS + NCF_LAYERS[-1], 1),
    ]


def field_interactions(name: str) -> Layer:
    """A weight for each pair of fields, which scales the product of their embeddings."""
    pairs = FIELDS * (FIELDS - 1) // 2
    return Layer(name, pairs, pairs * FIELD_WIDTH)


def deeplight() -> list[Layer]:
    """A weight and an embedding for each feature, interactions of the fields, a perceptron."""
    return [
        embedding("features/weights", CRITEO_FEATURES, 1, FIELDS),
        embedding("features/embeddings", CRITEO_FEATURES, FIELD_WIDTH, FIELDS),
        field_interactions("field_interactions"),
        *perceptron("deep/fc", [FIELDS * FIELD_WIDTH, *DEEP_LAYERS, 1]),
    ]

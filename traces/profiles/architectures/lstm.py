# SPDX-License-Identifier: BSD-3-Clause
"""A language model of the 1 Billion Word benchmark: one LSTM of 2048 units, projected to 256.

Jozefowicz et al., Exploring the Limits of Language Modeling (arXiv:1602.02410), in the size of
github.com/rdspring1/PyTorch_GBW_LM: 20 words a sequence, softmax over 8192 sampled words.
"""

from __future__ import annotations

from architectures.layers import Layer, embedding, fully_connected

VOCABULARY = 793_471
WIDTH = 256
UNITS = 2048
WORDS = 20
SAMPLED = 8192
GATES = 4


def lstm_cell(name: str) -> Layer:
    """Each gate has a matrix and biases for the input, and others for the last output."""
    weights = GATES * UNITS * (WIDTH + UNITS)
    return Layer(name, weights + 2 * GATES * UNITS, weights * WORDS)


def sampled_softmax(name: str) -> Layer:
    return Layer(name, VOCABULARY * WIDTH + VOCABULARY, SAMPLED * WIDTH * WORDS)


def lstm() -> list[Layer]:
    return [
        embedding("words", VOCABULARY, WIDTH, WORDS),
        lstm_cell("lstm"),
        fully_connected("projection", UNITS, WIDTH, WORDS),
        sampled_softmax("softmax"),
    ]

# SPDX-License-Identifier: BSD-3-Clause
"""BERT-large: Devlin et al., NAACL 2019, fine-tuned for SQuAD in sequences of 384 tokens."""

from __future__ import annotations

from architectures.layers import Layer, embedding, fully_connected

BLOCKS = 24
HIDDEN = 1024
FEED_FORWARD = 4 * HIDDEN
VOCABULARY = 30_522  # WordPiece, uncased
POSITIONS = 512
SEGMENTS = 2
TOKENS = 384


def layer_norm(name: str) -> Layer:
    return Layer(name, 2 * HIDDEN, HIDDEN * TOKENS)


def self_attention(name: str) -> Layer:
    """Query, key and value, the products of all pairs of tokens, and the output's matrix."""
    matrices = 4 * (HIDDEN * HIDDEN + HIDDEN)
    pairs = 2 * TOKENS * TOKENS * HIDDEN
    return Layer(name, matrices, 4 * HIDDEN * HIDDEN * TOKENS + pairs)


def block(name: str) -> list[Layer]:
    return [
        self_attention(f"{name}/attention"),
        layer_norm(f"{name}/attention/norm"),
        fully_connected(f"{name}/feed_forward1", HIDDEN, FEED_FORWARD, TOKENS),
        fully_connected(f"{name}/feed_forward2", FEED_FORWARD, HIDDEN, TOKENS),
        layer_norm(f"{name}/feed_forward/norm"),
    ]


def bert_large() -> list[Layer]:
    """Includes the two outputs of SQuAD, start and end of an answer, and excludes the pooler."""
    layers = [
        embedding("words", VOCABULARY, HIDDEN, TOKENS),
        embedding("positions", POSITIONS, HIDDEN, TOKENS),
        embedding("segments", SEGMENTS, HIDDEN, TOKENS),
        layer_norm("embeddings/norm"),
    ]
    for index in range(1, BLOCKS + 1):
        layers += block(f"block{index}")
    return [*layers, fully_connected("answer", HIDDEN, 2, TOKENS)]

# SPDX-License-Identifier: BSD-3-Clause
"""Derives the layers of a model from the times at which its modules ended in the forward pass.

A layer is a module with parameters of its own. Some modules are never called as such, for
example because PyTorch's attention reads their parameters directly. Their parameters belong to
the innermost enclosing module that was called. A layer takes the time since the previous one
ended, so modules without parameters count for the layer after them. The rest at the end counts
for the last layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from profile_file import Profile, layer_entry, microseconds

PS_PER_S = 10**12
ROOT = ""  # PyTorch's name of the model itself as a module


@dataclass(frozen=True)
class Pass:
    """Forward and backward pass of one batch, in seconds on one clock."""

    start: float
    ends: Sequence[tuple[str, float]]  # (module, end) of each called module, in the order of the ends
    backward: float  # total duration of the backward pass


def module_around(name: str) -> str:
    return name.rpartition(".")[0]


def parameters_of_layers(parameters: Mapping[str, int], first: Pass) -> dict[str, int]:
    """The parameters of each layer, in the order in which the layers first end."""
    layers = {name: 0 for name, _ in first.ends}
    for parameter, count in parameters.items():
        owner = module_around(parameter)
        while owner not in layers and owner != ROOT:
            owner = module_around(owner)
        layers[owner] += count
    return {name: count for name, count in layers.items() if count > 0}


def forward_times(layers: Mapping[str, int], one: Pass) -> dict[str, float]:
    """Seconds of each layer, summed over its calls."""
    times = dict.fromkeys(layers, 0.0)
    last_end, last_layer = one.start, ROOT
    for name, end in one.ends:
        if name in layers:
            times[name] += end - last_end
            last_end, last_layer = end, name
    times[last_layer] += one.ends[-1][1] - last_end
    return times


def quantity(seconds: float) -> str:
    return microseconds(round(seconds * PS_PER_S))


def measured_profile(
    name: str, source: str, parameters: Mapping[str, int], passes: Sequence[Pass]
) -> Profile:
    """Medians over the passes. The backward pass is divided in the proportions of the forward
    pass."""
    layers = parameters_of_layers(parameters, passes[0])
    runs = [forward_times(layers, one) for one in passes]
    forward = {layer: median(run[layer] for run in runs) for layer in layers}
    ratio = median(one.backward for one in passes) / sum(forward.values())
    return {
        "name": name,
        "source": source,
        "partition_bytes": "4MB",
        "layers": [
            layer_entry(
                layer or name,
                count,
                quantity(forward[layer]),
                quantity(forward[layer] * ratio),
            )
            for layer, count in layers.items()
        ],
    }

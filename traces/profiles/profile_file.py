# SPDX-License-Identifier: BSD-3-Clause
"""A profile in the form that the scenario reader accepts: quantities with units, and the file's
text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate

Profile = dict[str, object]


def split(total: Fraction, weights: Sequence[int]) -> list[int]:
    """Divides `total` in proportion to the weights, into integers that add up to the rounded
    total."""
    whole = sum(weights)
    bounds = [round(total * seen / whole) for seen in accumulate(weights, initial=0)]
    return [end - start for start, end in zip(bounds, bounds[1:])]


def microseconds(picoseconds: int) -> str:
    """A whole number of picoseconds as a quantity of the scenario format."""
    text = f"{Decimal(picoseconds) / 10**6:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "us"


def layer_entry(name: str, parameters: int, forward: str, backward: str) -> Profile:
    return {"name": name, "parameters": parameters, "forward": forward, "backward": backward}


def text_of(profile: Profile) -> str:
    """JSON with one layer per line."""
    fields = []
    for key, value in profile.items():
        if key == "layers" and isinstance(value, Iterable):
            rows = ",\n".join(f"    {json.dumps(layer)}" for layer in value)
            fields.append(f'  "layers": [\n{rows}\n  ]')
        else:
            fields.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(fields) + "\n}\n"

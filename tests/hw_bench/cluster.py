# SPDX-License-Identifier: BSD-3-Clause
"""The measured cluster, by system and frame size."""

from dataclasses import dataclass
from pathlib import Path

SCENARIO = Path(__file__).resolve().parent / "all_reduce.json"
WORKERS = 4
LEAST_TIMEOUT_PS = 20 * 10**9
# Limit for the packets that processes handle in a turn when many share few processors.
MAX_WINDOW = 512


@dataclass(frozen=True)
class Kind:
    name: str
    system: str
    switchml_values: int = 64
    quantisation: str = "fixed_point"


KINDS = [
    Kind("SwitchML, 308 B", "switchml"),
    Kind("ATP, 306 B", "atp"),
    Kind("DSA, 306 B", "dsa"),
    Kind("SwitchML, 1076 B", "switchml", 256),
    Kind("SwitchML, 1076 B, in blocks", "switchml", 256, "block_floating_point"),
]


def overrides(kind):
    return [
        f"/system={kind.system}",
        f"/switchml/values_per_packet={kind.switchml_values}",
        f"/switchml/quantisation={kind.quantisation}",
    ]

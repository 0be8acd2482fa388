# SPDX-License-Identifier: BSD-3-Clause
"""Tables that share a part of the chip, because at most one of them acts on a packet in a pass."""

import re

# Pairs of tables in one stage that may write the same part of the chip, because no packet runs the
# named actions of both in one pass.
EXCLUSIVE = [
    # Branches of one `if`.
    ("ownership_members", "ownership_further_passes", ".*"),
    ("tbl_ownership34", "tbl_ownership32", ".*"),
    # The second table is applied only if the first one finds no entry.
    ("delivery_forwarding_routes", "delivery_workers_of_job", ".*"),
    ("delivery_forwarding_routes", "delivery_roots_of_jobs", ".*"),
    # The first table acts in a second pass, the second table in a first pass.
    (r"values_value\d+_update", "verdict_verdicts", "harvest_high|hand_up|answer_again|answer_every_worker"),
]


def is_exclusive(first, second, actions):
    return any(
        any(re.fullmatch(a, x) and re.fullmatch(b, y) for x, y in ((first, second), (second, first)))
        and all(re.fullmatch(allowed, action.rpartition(".")[2]) for action in actions)
        for a, b, allowed in EXCLUSIVE
    )

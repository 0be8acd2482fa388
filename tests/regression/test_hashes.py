# SPDX-License-Identifier: BSD-3-Clause
"""Figure 8 of DSA's paper under other hashes: what holds for all of them, and what only for CRCs
modulo a power of two."""

import json

import ina_sim
import pytest

FIG8 = ina_sim.SCENARIOS / "papers/dsa/fig8-memory.json"
HASHES = ["crc16", "crc32", "crc32c", "crc32_bzip2", "crc64", "ideal"]
POWER_OF_TWO = "4063232B"  # 16384 aggregators
PAPERS = "5MB"  # 20161


def jcts(tmp_path, jobs, addressing, sweep):
    """The average JCT in us of each combination of swept values, with the first seed."""
    keys = {
        "/sweep": json.dumps({f"/{key}": values for key, values in sweep.items()}),
        "/jobs/count": jobs, "/atp/addressing": addressing, "/seeds": 1,
    }  # fmt: skip
    times = {}
    for row in ina_sim.rows(ina_sim.run(FIG8, tmp_path, keys)):
        values = tuple(row[key if key == "system" else f"/{key}"] for key in sweep)
        times.setdefault(values, []).append(float(row["jct_us"]))
    return {values: sum(of_jobs) / len(of_jobs) for values, of_jobs in times.items()}


def test_one_atp_job_with_a_table_takes_the_same_time_under_every_hash(tmp_path):
    sweep = {
        "system": ["atp"], "switch/hash": HASHES,
        "switch/memory_bytes": [POWER_OF_TWO, PAPERS],
    }  # fmt: skip
    times = jcts(tmp_path, 1, "table", sweep).values()
    assert len(times) == 12
    assert max(times) == pytest.approx(min(times), rel=0.001)


def test_one_atp_job_with_a_table_is_as_fast_as_dsa(tmp_path):
    sweep = {"system": ["atp", "dsa"], "switch/hash": ["crc32"], "switch/memory_bytes": [PAPERS]}
    times = jcts(tmp_path, 1, "table", sweep)
    ratio = times["atp", "crc32", PAPERS] / times["dsa", "crc32", PAPERS]
    assert ratio == pytest.approx(1.008, abs=0.01)


def test_a_crc_is_as_good_as_an_ideal_hash_unless_modulo_a_power_of_two(tmp_path):
    sweep = {
        "system": ["atp"], "switch/hash": ["crc32", "ideal"],
        "switch/memory_bytes": [POWER_OF_TWO, PAPERS],
    }  # fmt: skip
    times = jcts(tmp_path, 8, "hash", sweep)
    assert times["atp", "crc32", PAPERS] == pytest.approx(times["atp", "ideal", PAPERS], rel=0.03)
    assert times["atp", "crc32", POWER_OF_TWO] > 1.15 * times["atp", "ideal", POWER_OF_TWO]

# SPDX-License-Identifier: BSD-3-Clause
"""Figure 8 of DSA's paper with other hashes: statements for all hashes, and statements that hold
only for CRCs modulo a power of two."""

import json

import ina_sim
import pytest

FIG8 = ina_sim.SCENARIOS / "papers/dsa/fig8-memory.json"
HASHES = ["crc16", "crc32", "crc32c", "crc32_bzip2", "crc64", "ideal"]
POWER_OF_TWO = "4063232B"  # 16384 aggregators
PAPERS = "5MB"  # 20161


def jcts(tmp_path, jobs, names, sweep):
    """The average JCT in us of each variant for each combination of swept values, with the first
    seed."""
    variants = json.loads(FIG8.read_text())["variants"]
    keys = {
        "/variants": json.dumps({name: variants[name] for name in names}),
        "/sweep": json.dumps({f"/switch/{key}": values for key, values in sweep.items()}),
        "/jobs/count": jobs, "/seeds": 1,
    }  # fmt: skip
    times = {}
    for row in ina_sim.rows(ina_sim.run(FIG8, tmp_path, keys)):
        values = (row["variant"], *(row[f"/switch/{key}"] for key in sweep))
        times.setdefault(values, []).append(float(row["jct_us"]))
    return {values: sum(of_jobs) / len(of_jobs) for values, of_jobs in times.items()}


def test_one_atp_job_with_a_table_takes_the_same_time_under_every_hash(tmp_path):
    sweep = {"hash": HASHES, "memory_bytes": [POWER_OF_TWO, PAPERS]}
    times = jcts(tmp_path, 1, ["ATP by table"], sweep).values()
    assert len(times) == 12
    assert max(times) == pytest.approx(min(times), rel=0.001)


def test_one_atp_job_with_a_table_is_as_fast_as_dsa(tmp_path):
    sweep = {"hash": ["crc32"], "memory_bytes": [PAPERS]}
    times = jcts(tmp_path, 1, ["ATP by table", "DSA"], sweep)
    ratio = times["ATP by table", "crc32", PAPERS] / times["DSA", "crc32", PAPERS]
    assert ratio == pytest.approx(1.008, abs=0.01)


def test_a_crc_is_as_good_as_an_ideal_hash_unless_modulo_a_power_of_two(tmp_path):
    sweep = {"hash": ["crc32", "ideal"], "memory_bytes": [POWER_OF_TWO, PAPERS]}
    times = jcts(tmp_path, 8, ["ATP by hash"], sweep)
    time = {(hash_name, memory): us for (_, hash_name, memory), us in times.items()}
    assert time["crc32", PAPERS] == pytest.approx(time["ideal", PAPERS], rel=0.03)
    assert time["crc32", POWER_OF_TWO] > 1.15 * time["ideal", POWER_OF_TWO]

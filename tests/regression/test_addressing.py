# SPDX-License-Identifier: BSD-3-Clause
"""Effects of ATP's table of aggregators: iterations that do not grow, and A3 and A6 of
analysis/reproduce/published (sections 5.3.1 and 5.3.2 of the paper) at a fifth of their size."""

import json

import ina_sim
import pytest

ATP = ina_sim.SCENARIOS / "papers/atp"
SHRUNK = {"/jobs/profile/layers": '[{"parameters": 2000000}]', "/seeds": 1}
PACKETS = -(-1_000_000 // 62) * 2  # two partitions of 4 MB
LINE_US = PACKETS * 306 * 8 / 100e3


def times(folder, *keys):
    """Mean of the jobs' last iterations, in us, by the swept keys."""
    by_point = {}
    for row in ina_sim.rows(folder, "iterations.csv"):
        point = tuple(row[key] for key in keys)
        by_point.setdefault(point, {}).setdefault(int(row["iteration"]), []).append(row)
    return {
        point if len(point) > 1 else point[0]: [
            sum(float(row["period_us"]) for row in rows) / len(rows)
            for _, rows in sorted(iterations.items())
        ]
        for point, iterations in by_point.items()
    }


@pytest.mark.parametrize(("jobs", "workers"), [(1, 4), (8, 2)])
def test_iterations_do_not_grow(tmp_path, jobs, workers):
    """With a hash and rehashing, iterations grow by 15 % within six iterations, even for a single job."""
    cluster = {
        "/jobs/count": jobs,
        "/jobs/workers": workers,
        "/jobs/iterations": 6,
        "/switch/memory_bytes": "5MB",
        "/sweep": json.dumps({"/atp/addressing": ["table"]}),
    }
    folder = ina_sim.run(ATP / "a6.json", tmp_path, SHRUNK | cluster)
    iterations = times(folder, "/atp/addressing")["table"]
    assert len(iterations) == 6
    assert max(iterations[1:]) <= 1.01 * iterations[0]
    assert iterations[-1] <= 1.03 * LINE_US


def test_a3_shared_aggregators_are_as_good_as_static_ones(tmp_path):
    """Holds for equal links. Otherwise, a collision hits only some packets of a fragment, and costs more.

    A third of 660 aggregators are 220 slots, or 110 if each of a slot's two copies takes one.
    """
    keys = SHRUNK | ina_sim.EQUAL_LINKS
    atp = times(
        ina_sim.run(ATP / "a3.json", tmp_path / "dynamic", keys),
        "/switch/memory_bytes",
        "/atp/addressing",
    )
    static = times(
        ina_sim.run(ATP / "a3-static.json", tmp_path / "static", keys), "/switchml/slots"
    )
    last = {(memory, scheme): rows[-1] for (memory, scheme), rows in atp.items()}
    assert last["491040B", "table"] <= 1.1 * static["660"][-1]
    assert last["163680B", "table"] <= 1.1 * static["220"][-1]
    assert last["163680B", "table"] < 0.9 * static["110"][-1]
    for memory in ("491040B", "245520B", "163680B"):
        assert last[memory, "table"] < last[memory, "linear"] < last[memory, "hash"]


def test_a6_tables_of_eight_jobs_get_disjoint(tmp_path):
    keys = SHRUNK | {"/jobs/iterations": 6}
    atp = times(ina_sim.run(ATP / "a6.json", tmp_path, keys), "/jobs/count", "/atp/addressing")
    for jobs in ("1", "2", "4", "8"):
        assert atp[jobs, "table"][-1] <= 1.03 * LINE_US
    assert atp["8", "linear"][-1] > 1.2 * LINE_US
    assert atp["8", "hash"][-1] > 1.2 * LINE_US

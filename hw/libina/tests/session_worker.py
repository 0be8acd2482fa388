# SPDX-License-Identifier: BSD-3-Clause
"""Program that test_sessions runs as every worker. Fails if a sum is wrong."""

import json
import os
import sys
from pathlib import Path

import ina
import numpy as np

RANK = int(os.environ["INA_RANK"])


def summed(factor, count):
    """Sums arrays in which each worker's values are its rank plus 1, times the factor."""
    values = np.arange(count, dtype=np.int32) % 1000 * factor * (RANK + 1)
    ranks = ina.workers() * (ina.workers() + 1) // 2
    np.testing.assert_array_equal(
        ina.allreduce(values), np.arange(count, dtype=np.int32) % 1000 * factor * ranks
    )
    floats = ina.allreduce(np.full(count, factor, np.float32))
    np.testing.assert_array_equal(floats, factor * ina.workers())


def program(factor, count):
    """A normal program, independent of those that ran before it."""
    ina.init()
    for _ in range(3):
        summed(int(factor), int(count))
    ina.finalize()


def dies():
    """Rank 1 ends in the middle, as if it were killed."""
    ina.init()
    summed(1, 1000)
    if RANK == 1:
        os._exit(9)
    try:
        ina.allreduce(np.ones(1000, np.int32))
    except ina.InaError as error:
        assert error.status == ina.TROUBLE, error
        assert str(error) == "rank 1 started again, which ended the session", error
        ina.LIBRARY.ina_finalize(0.0)
        sys.exit(9)


def waits():
    """Rank 0 finds itself alone."""
    if RANK == 0:
        refused(ina.TIMEOUT, "waiting for rank 1 after 8 s", seconds=8.0)


def goes_on():
    """Continues through several sessions, with arrays of many lengths and many under way."""
    ina.init()
    for count in (1, 62, 100, 1000, 3000) * 3:
        summed(2, count)
    requests = [ina.submit(np.full(100 * i, i, np.int32)) for i in range(40)]
    for i, request in enumerate(requests):
        np.testing.assert_array_equal(request.wait(), ina.workers() * i)
    ina.finalize()


def refused(status, words, **arguments):
    try:
        ina.init(**arguments)
    except ina.InaError as error:
        assert error.status == status, error
        assert words in str(error), error
    else:
        raise AssertionError(f"not refused: {words}")


def swapped():
    """The two workers have each other's devices."""
    device = os.environ["INA_DEVICE"]
    other = device.replace(f"memif{RANK},", f"memif{1 - RANK},")
    other = other.replace(f",id={RANK},", f",id={1 - RANK},")
    assert other != device
    words = f"found the link of host {1 - RANK}; allowed: the link of host {RANK}"
    refused(ina.WRONG_INPUT, words, device=other)


def other_packets():
    words = "64 values per packet; allowed by the switch's file: switchml, 2 workers, 32 values"
    refused_with("settings", "values_per_packet", 64, words)


def other_file():
    words = "; allowed: that of the switch's file, "
    refused_with("switch", "buffer_bytes", 15_000_000, words)


def refused_with(section, key, value, words):
    """Rank 0 has another cluster file."""
    if RANK != 0:
        return
    path = Path(os.environ["INA_CLUSTER"])
    cluster = json.loads(path.read_text())
    assert cluster[section][key] != value
    cluster[section][key] = value
    other = path.with_name("other.json")
    other.write_text(json.dumps(cluster))
    refused(ina.WRONG_INPUT, words, cluster_file=other)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])

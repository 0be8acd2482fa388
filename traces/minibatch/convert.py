#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Converts a mini-batch file of Alibaba's cluster-trace-gpu-v2020 into the format of this folder.

    convert.py job_1_norm.csv > alibaba-2020-job1.csv

The raw file samples about every tenth iteration (`time`) of each worker. An instant counts only if
every worker of the job has a time above zero there; all others are left out, so that row i of one
worker stands beside row i of every other. Of several rows for one worker and instant the first
counts.
"""

import argparse
import sys

import pandas

COLUMNS = ["worker", "time", "batch_time_norm"]

HEADER = """\
# Mini-batch times of the workers of one real distributed training job, relative to their median.
# Source: Alibaba cluster-trace-gpu-v2020, mini-batch-time (https://github.com/alibaba/clusterdata);
#   Weng et al., MLaaS in the Wild, NSDI 2022. Converted by traces/minibatch/convert.py.
# worker: rank from 0; iteration: sampled iterations from 0 (the trace samples about every tenth);
# relative_time: batch_time_norm / median. Instants without a time above 0 for every worker are
#   left out.
"""


def complete_instants(raw):
    """The rows of the instants at which every worker has a usable time, one row per worker."""
    usable = raw[raw["batch_time_norm"] > 0].drop_duplicates(["worker", "time"])
    workers_at = usable.groupby("time")["worker"].transform("count")
    return usable[workers_at == raw["worker"].nunique()]


def dense_rank(column):
    return column.rank(method="dense").astype(int) - 1


def relative_times(raw):
    rows = complete_instants(raw)
    relative = rows["batch_time_norm"] / rows["batch_time_norm"].median()
    table = pandas.DataFrame(
        {
            "worker": dense_rank(rows["worker"]),
            "iteration": dense_rank(rows["time"]),
            "relative_time": relative,
        }
    )
    return table.sort_values(["worker", "iteration"])


def main():
    parser = argparse.ArgumentParser(description="Convert a raw file to standard output.")
    parser.add_argument("raw", help="raw CSV with the columns worker, time and batch_time_norm")
    table = relative_times(pandas.read_csv(parser.parse_args().raw, usecols=COLUMNS).dropna())
    if table.empty:
        sys.exit("no instant has a time above 0 for every worker")
    sys.stdout.write(HEADER)
    table.to_csv(sys.stdout, index=False, float_format="%.4f")


if __name__ == "__main__":
    main()

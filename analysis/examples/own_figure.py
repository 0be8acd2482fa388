# SPDX-License-Identifier: BSD-3-Clause
"""A first custom evaluation. Jupyter and VS Code run it cell by cell. To run all of it, at the top
of the repository:

    ./ina run scenarios/quickstart.json
    ./ina python analysis/examples/own_figure.py
"""

# %% The tables of a result folder, as pandas frames
from pathlib import Path

from matplotlib import pyplot

import inalab
from analysis.kinds import style

FOLDER = Path("results/quickstart")
results = inalab.load(FOLDER)
results.jobs.head()

# %% The mean JCT over seeds, with its 95 % interval (Student's t)
means = results.jct()
for row in means.to_dict("records"):
    interval = f"{row['jct_low_ms']:.3f} to {row['jct_high_ms']:.3f}"
    print(f"{row['variant']:20} {row['/jobs/count']} jobs: {row['jct_ms']:.3f} ms, {interval}")

# %% The share of an iteration that is not computing
iterations = results.iterations
share = 1 - iterations["compute_us"] / iterations["period_us"]
print(share.groupby(iterations["variant"], sort=False).mean().round(3))

# %% A figure at column width, in the looks of the others
pyplot.rcParams.update(style.PAPER)
figure, axes = pyplot.subplots(figsize=(style.ONE_COLUMN_INCHES, 2.2), layout="constrained")
looks = style.looks_of(list(means["variant"].unique()), style.LOOKS["variant"])
for variant, line in means.groupby("variant", sort=False):
    half_width = line["jct_high_ms"] - line["jct_ms"]
    look = looks[variant]
    axes.errorbar(
        line["/jobs/count"], line["jct_ms"], yerr=half_width,
        label=variant, color=look.colour, marker=look.marker,
    )
axes.set_xlabel("Number of jobs")
axes.set_ylabel("Average JCT (ms)")
axes.set_ylim(bottom=0)
axes.legend()
figure.savefig(FOLDER.parent / "own-figure.pdf")
figure.savefig(FOLDER.parent / "own-figure.png")

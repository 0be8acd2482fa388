# SPDX-License-Identifier: BSD-3-Clause
"""A first custom evaluation. Jupyter and VS Code run it cell by cell. To run all of it, at the top
of the repository:

    ./ina run scenarios/quickstart.json
    ./ina python analysis/examples/own_figure.py
"""

# %% The tables of a result folder, as pandas frames
from pathlib import Path

from matplotlib import pyplot

import analysis
from analysis.estimates import estimate
from analysis.kinds import style

FOLDER = Path("results/quickstart")
results = analysis.load(FOLDER)
results.jobs.head()

# %% The mean JCT of each seed: runs are independent, jobs of one run are not
jobs = results.jobs[results.jobs["status"] == "finished"]
jobs = jobs.assign(jct_ms=jobs["jct_us"] / 1000)
by_seed = jobs.groupby(["variant", "/jobs/count", "seed"], sort=False)["jct_ms"].mean()

# %% Means over seeds, with their 95 % intervals (Student's t)
means = by_seed.groupby(level=["variant", "/jobs/count"], sort=False).apply(estimate)
for (variant, count), found in means.items():
    print(f"{variant:20} {count} jobs: {found.mean:.3f} ms, {found.low:.3f} to {found.high:.3f}")

# %% The share of an iteration that is not computing
iterations = results.iterations
share = 1 - iterations["compute_us"] / iterations["period_us"]
print(share.groupby(iterations["variant"], sort=False).mean().round(3))

# %% A figure at column width, in the looks of the others
pyplot.rcParams.update(style.PAPER)
figure, axes = pyplot.subplots(figsize=(style.ONE_COLUMN_INCHES, 2.2), layout="constrained")
variants = list(dict.fromkeys(jobs["variant"]))
looks = style.looks_of(variants, style.LOOKS["variant"])
for variant, look in looks.items():
    line = means[variant]
    axes.errorbar(
        line.index, [one.mean for one in line], yerr=[one.half_width or 0 for one in line],
        label=variant, color=look.colour, marker=look.marker,
    )
axes.set_xlabel("Number of jobs")
axes.set_ylabel("Average JCT (ms)")
axes.set_ylim(bottom=0)
axes.legend()
figure.savefig(FOLDER.parent / "own-figure.pdf")
figure.savefig(FOLDER.parent / "own-figure.png")

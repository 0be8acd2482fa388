# SPDX-License-Identifier: BSD-3-Clause
"""How figures look: paper widths, colours that colour-blind readers can tell apart, names."""

import itertools
import re
from pathlib import PurePosixPath

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402  (the backend must be chosen first)

ONE_COLUMN_INCHES = 3.4
TWO_COLUMNS_INCHES = 7.0

SYSTEM_NAMES = {
    "dsa": "DSA",
    "atp": "ATP",
    "switchml": "SwitchML",
    "switchml-starved": "SwitchML (starved)",
}

# Okabe and Ito's palette. Systems keep their looks in every figure.
SYSTEM_LOOKS = {
    "dsa": ("#0072B2", "o"),
    "atp": ("#D55E00", "s"),
    "switchml": ("#009E73", "^"),
    "switchml-starved": ("#CC79A7", "D"),
}
OTHER_LOOKS = [("#E69F00", "v"), ("#56B4E9", "P"), ("#000000", "X"), ("#8B6914", "*")]

AXIS_LABELS = {
    "jobs/count": "Number of jobs",
    "jobs/workers": "Workers per job",
    "jobs/iterations": "Iterations",
    "jobs/profile": "Profile",
    "switch/memory": "Switch memory",
    "switch/buffer": "Switch buffer",
    "topology/hosts": "Hosts",
    "faults/links/loss": "Probability of loss on each link",
    "topology/link/rate": "Link rate",
    "topology/link/delay": "Link delay",
}

ACRONYMS = {"atp": "ATP", "dsa": "DSA", "ecn": "ECN", "rto": "RTO", "switchml": "SwitchML"}

PAPER = {
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.5,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "errorbar.capsize": 2,
    "hatch.linewidth": 0.6,
    "pdf.fonttype": 42,
    "savefig.dpi": 300,
}

LINE_INCHES = 0.16
LEGEND_ENTRY_INCHES = 1.15


def system_name(system):
    return SYSTEM_NAMES.get(system, system)


def looks_of(systems):
    """Colour and marker of each system."""
    others = itertools.cycle(OTHER_LOOKS)
    return {
        system: SYSTEM_LOOKS[system] if system in SYSTEM_LOOKS else next(others)
        for system in systems
    }


def axis_name(axis):
    """A swept key in words: indices of arrays dropped, the well-known keys by their names."""
    path = re.sub(r"/\d+(?=/|$)", "", axis.key).strip("/")
    words = path.replace("/", " ").replace("_", " ")
    return AXIS_LABELS.get(path, capitalised(words))


def capitalised(words):
    first, *rest = [ACRONYMS.get(word, word) for word in words.split(" ")]
    return " ".join([first[:1].upper() + first[1:], *rest])


def axis_label(axis):
    return f"{axis_name(axis)} ({axis.unit})" if axis.unit else axis_name(axis)


def facet_title(facet, axes):
    by_key = {axis.key: axis_name(axis) for axis in axes}
    return ", ".join(f"{by_key[key]}: {short(value)}" for key, value in facet.items())


def short(text, limit=24):
    """A swept value where there is little room; of the path of a JSON file only the name."""
    if text.endswith(".json"):
        text = PurePosixPath(text).stem
    return text if len(text) <= limit else text[: limit - 1] + "…"


def frame(figure, handles, labels, note):
    """A legend in rows above all panels and a note below them; the layout leaves both the room."""
    width, height = figure.get_size_inches()
    columns = min(len(labels), max(1, int(width // LEGEND_ENTRY_INCHES)))
    rows = -(-len(labels) // columns) if labels else 0
    top = (rows * LINE_INCHES + 0.06) / height
    bottom = LINE_INCHES / height if note else 0
    figure.get_layout_engine().set(rect=(0, bottom, 1, 1 - top - bottom))
    if labels:
        figure.legend(
            handles, labels, loc="upper center", ncol=columns, columnspacing=1.2,
            handletextpad=0.5, borderaxespad=0.2,
        )
    figure.text(0.99, 0.03 / height, note, ha="right", va="bottom", fontsize=6, color="#555555")


def save(figure, *paths):
    """Writes the figure without dates, so that equal results give equal files."""
    for path in paths:
        metadata = {"CreationDate": None} if path.suffix == ".pdf" else {"Software": None}
        figure.savefig(path, metadata=metadata)
    pyplot.close(figure)

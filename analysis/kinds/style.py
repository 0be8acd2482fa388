# SPDX-License-Identifier: BSD-3-Clause
"""Appearance of figures: paper widths, colours that colour-blind readers can distinguish, and names."""

import json
import re
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from analysis.kinds.distinct_names import distinct_names
from analysis.results import COMPARED, FOLDER, SYSTEM, VARIANT

ONE_COLUMN_INCHES = 3.4
TWO_COLUMNS_INCHES = 7.0

# Output of `ina-sim systems`.
SYSTEMS = json.loads((Path(__file__).resolve().parents[1] / "systems.json").read_text(encoding="utf-8"))
SYSTEM_NAMES = {system["name"]: system["label"] for system in SYSTEMS}

# Okabe and Ito's palette, without its yellow and with an additional wine red.
PALETTE = [
    ("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"),
    ("#E69F00", "v"), ("#56B4E9", "P"), ("#000000", "X"), ("#882255", "*"),
]  # fmt: skip
# Systems, and variants with the same names, have the same look in every figure.
SYSTEM_LOOKS = {
    system["name"]: PALETTE[system["colour"]] for system in SYSTEMS if system["colour"] is not None
}
LOOKS = {
    SYSTEM: SYSTEM_LOOKS,
    VARIANT: {SYSTEM_NAMES[system]: look for system, look in SYSTEM_LOOKS.items()},
}
# When all colours are used, they repeat with the next of these dashes and hatches.
FURTHER_LOOKS = [("-", ""), ("--", "///"), (":", "..."), ("-.", "xxx")]
DASHES = [dash for dash, _ in FURTHER_LOOKS]

AXIS_LABELS = {
    "jobs/count": "Number of jobs",
    "jobs/workers": "Workers per job",
    "jobs/iterations": "Iterations",
    "jobs/profile": "Profile",
    "jobs/compute_time_factors": "Compute-time factor",
    "switch/memory_bytes": "Switch memory",
    "switch/hash": "Hash",
    "switch/buffer_bytes": "Switch buffer",
    "switch/ecn_threshold_bytes": "ECN threshold",
    "topology/hosts": "Hosts",
    "faults/links/loss": "Probability of loss",
    "topology/link/rate": "Link rate",
    "topology/link/delay": "Link delay",
}

ACRONYMS = {
    "atp": "ATP", "dsa": "DSA", "ecn": "ECN", "ps": "PS", "rto": "RTO", "switchml": "SwitchML",
}  # fmt: skip

PAPER = {
    "font.size": 8, "axes.labelsize": 8, "axes.titlesize": 8, "xtick.labelsize": 7,
    "ytick.labelsize": 7, "legend.fontsize": 7, "legend.frameon": False, "lines.linewidth": 1.2,
    "lines.markersize": 4.5, "axes.linewidth": 0.6, "axes.spines.top": False,
    "axes.spines.right": False, "axes.axisbelow": True, "axes.grid": True, "axes.grid.axis": "y",
    "grid.color": "#DDDDDD", "grid.linewidth": 0.5, "errorbar.capsize": 2, "hatch.linewidth": 0.6,
    "pdf.fonttype": 42, "text.parse_math": False,  # a dollar sign in a name is literal
    "savefig.dpi": 300,
}  # fmt: skip

MOST_PAGE_INCHES = 9.5  # height of a page, including legend and note
USUAL_LEGEND_ROWS = 2
LINE_INCHES = 0.16
NOTE_LINE_INCHES = 0.12
NOTE_CHARACTER_INCHES = 0.047
LEGEND_CHARACTER_INCHES = 0.06
LEGEND_HANDLE_INCHES = 0.5


@dataclass(frozen=True)
class Look:
    colour: str
    marker: str
    dash: str = "-"
    hatch: str = ""


def value_name(axis, value):
    """The text of an axis value in a legend, a title or at a tick; unique among the axis values."""
    if axis.key in (VARIANT, FOLDER):
        return value
    if axis.key == SYSTEM:
        return SYSTEM_NAMES.get(value, value)
    return distinct_names(axis.values, short)[value]


def looks_of(values, own):
    """The Look of each line; lines with their `own` look keep it. Looks repeat after all
    combinations of colours and dashes."""
    others = [look for look in PALETTE if look not in own.values()]
    looks = {value: Look(*own[value]) for value in values if value in own}
    for index, value in enumerate(value for value in values if value not in own):
        again, which = divmod(index, len(others))
        looks[value] = Look(*others[which], *FURTHER_LOOKS[again % len(FURTHER_LOOKS)])
    return {value: looks[value] for value in values}


def looks_of_axis(axis):
    return looks_of(axis.values, LOOKS.get(axis.key, {}))


def looks_of_folders(axis, folders):
    """{(value, folder): Look}: a value has the same colour and marker in each folder, but other dashes."""
    found = {}
    for value, look in looks_of_axis(axis).items():
        for number, folder in enumerate(folders.values):
            index = DASHES.index(look.dash) + number * dashes_of(axis)
            dash, hatch = FURTHER_LOOKS[index]
            found[value, folder] = replace(look, dash=dash, hatch=hatch)
    return found


def dashes_of(axis):
    """Number of dashes that the lines of an axis need in addition to their colours."""
    return 1 + max(DASHES.index(look.dash) for look in looks_of_axis(axis).values())


def axis_name(axis):
    """A readable name of a swept key: well-known keys have names, others lose their array indices."""
    path = re.sub(r"/\d+(?=/|$)", "", axis.key).strip("/")
    words = path.replace("/", " ").replace("_", " ")
    return AXIS_LABELS.get(path, capitalised(words))


def capitalised(words):
    first, *rest = [ACRONYMS.get(word, word) for word in words.split(" ")]
    return " ".join([first[:1].upper() + first[1:], *rest])


def axis_label(axis):
    return f"{axis_name(axis)} ({axis.unit})" if axis.unit else axis_name(axis)


def facet_title(facet, axes):
    """The values of a panel with the names of their keys; names of systems and variants need no key."""
    by_key = {axis.key: axis for axis in axes}
    return ", ".join(title_part(by_key[key], value) for key, value in facet.items())


def title_part(axis, value):
    name = value_name(axis, value)
    return name if axis.key in (*COMPARED, FOLDER) else f"{axis_name(axis)}: {name}"


def legend_title(axis):
    """The title of the legend; empty if the names are clear without one."""
    return "" if axis is None or axis.key in (*COMPARED, FOLDER) else axis_name(axis)


def natural(text):
    """Sort key that compares numbers in names: leaf2 comes before leaf10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", text)]


def short(text, limit=24):
    """A short text of a swept value: a JSON path is reduced to its stem, a list of one element to that."""
    text = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)
    text = re.sub(r"^\[+([^\[\],]+)\]+$", r"\1", text)
    if text.endswith(".json"):
        text = PurePosixPath(text).stem
    return text if len(text) <= limit else text[: limit - 1] + "…"


def frame(figure, handles, labels, note, title=""):
    """Adds a legend in rows above all panels and a note below them. The layout reserves room for
    both, and a legend of many rows makes the figure taller."""
    width, height = figure.get_size_inches()
    columns = legend_columns(labels, width)
    rows = -(-len(labels) // columns) + bool(title and labels)
    taller = min(height + max(0, rows - USUAL_LEGEND_ROWS) * LINE_INCHES, MOST_PAGE_INCHES)
    height = max(height, taller)
    figure.set_size_inches(width, height)
    top = (rows * LINE_INCHES + 0.06) / height
    lines = lines_of(note, int(width / NOTE_CHARACTER_INCHES))
    bottom = (len(lines) * NOTE_LINE_INCHES + 0.04) / height if lines else 0
    figure.get_layout_engine().set(rect=(0, bottom, 1, 1 - top - bottom))
    if labels:
        legend = figure.legend(
            handles, map(str, range(len(labels))), loc="upper center", ncol=columns,
            columnspacing=1.2, handletextpad=0.5, borderaxespad=0.2, title=title or None,
            title_fontsize=7,
        )
        for text, label in zip(legend.get_texts(), labels):
            text.set_text(label)  # legend() skips labels that begin with an underscore
    figure.text(
        0.99, 0.03 / height, "\n".join(lines), ha="right", va="bottom", fontsize=6, color="#555555"
    )


def left_out(points):
    """Names what the means of points do not include; empty if that is nothing."""
    failed = points["failed_jobs"].sum()
    return f"{failed} of {points['jobs'].sum()} jobs failed and are left out" if failed else ""


def lines_of(text, letters):
    """Text of comma-separated parts in one line, or one line for each part if it is too wide."""
    if len(text) > letters:
        text = text.replace(", ", "\n")
    return [part for line in text.split("\n") for part in textwrap.wrap(line, letters)]


def legend_columns(labels, width):
    """As many columns as fit the longest label, or fewer if that needs no further row."""
    if not labels:
        return 1
    entry = LEGEND_HANDLE_INCHES + LEGEND_CHARACTER_INCHES * max(map(len, labels))
    columns = min(len(labels), max(1, int(width // entry)))
    rows = -(-len(labels) // columns)
    return -(-len(labels) // rows)

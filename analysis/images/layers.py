# SPDX-License-Identifier: BSD-3-Clause
"""Draws the layers and worlds of the source tree, from its folders and #include lines.

    python3 -m analysis.images.layers FILE.png
"""

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("scenarios", "switch-models", "hw")  # from the highest; the test structure-floors checks that
# Folders that move frames and call at deadlines, by what they are.
WORLDS = {
    "simulator": ("ns3-modules/ina-network", "ns3-modules/ina-hosts", "ns3-modules/ina-traffic", "ns3-modules/ina-cluster"),
    "real packets": ("hw/processes", "hw/dpdk", "switch-models/software"),
    "library": ("hw/libina",),
    "all orders": ("tests/exploration",),
    "random faults": ("tests/campaigns",),
}
OF_WORLDS = {folder for folders in WORLDS.values() for folder in folders}
INCLUDE = re.compile(r'^#include "([\w.-]+(?:/[\w.-]+)+)"', re.MULTILINE)
COLOURS = {"scenarios": "#E69F00", "switch-models": "#009E73", "hw": "#0072B2"}
WIDTH = 10.0


def folder_of(path):
    return "/".join(str(path).split("/")[:2])


def read_tree():
    """Lines of each folder, and #include lines from folder to folder, without tests of folders and examples."""
    lines, includes = Counter(), Counter()
    for top in (*LAYERS, "ns3-modules", "tests"):
        for path in sorted((ROOT / top).rglob("*")):
            name = path.relative_to(ROOT)
            if path.suffix not in {".cpp", ".hpp", ".cc", ".h"} or set(name.parts[2:]) & {"test", "tests", "examples"}:
                continue
            text = path.read_text(encoding="utf-8")
            lines[folder_of(name)] += text.count("\n")
            includes.update((folder_of(name), folder_of(target)) for target in INCLUDE.findall(text))
    return lines, includes


def count_between(includes, sources, layer):
    return sum(
        count for (source, target), count in includes.items()
        if source in sources and target.split("/")[0] == layer and target not in OF_WORLDS
    )  # fmt: skip


def thousands(lines):
    return f"{lines / 1000:.1f}k lines"


def draw(lines, includes, file):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 8})
    figure, axes = plt.subplots(figsize=(8.5, 5.6), layout="constrained")
    axes.set(xlim=(0, WIDTH), ylim=(0.4, 7.0))
    axes.axis("off")
    tops = {layer: 4.4 - 1.35 * index for index, layer in enumerate(LAYERS)}
    for layer, top in tops.items():
        draw_layer(axes, layer, top, lines)
    column = WIDTH / len(WORLDS)
    for index, (name, folders) in enumerate(WORLDS.items()):
        draw_world(axes, index * column, column, name, folders, lines)
        for layer, top in tops.items():
            count = count_between(includes, folders, layer)
            if count:
                x = (index + 0.25 + 0.25 * LAYERS.index(layer)) * column
                axes.annotate("", (x, top), (x, 5.25), zorder=1,
                              arrowprops={"arrowstyle": "-|>", "color": COLOURS[layer], "linewidth": 1.2})  # fmt: skip
                axes.text(x + 0.05, 4.8, str(count), color=COLOURS[layer], va="center", fontsize=7)
    axes.text(0.05, 0.5, "Arrows: #include lines from a world to a layer, and their number. "
              "Each layer includes only those below it.", fontsize=7.5, color="0.3")  # fmt: skip
    figure.savefig(file, dpi=160, metadata={"Software": "INA Lab"})
    plt.close(figure)


def box(axes, x, y, width, height, **looks):
    import matplotlib.patches

    axes.add_patch(matplotlib.patches.FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0.02", **looks))


def draw_layer(axes, layer, top, lines):
    box(axes, 0.05, top - 1.0, WIDTH - 0.1, 1.0, facecolor=COLOURS[layer], alpha=0.15, edgecolor="none", zorder=0)
    axes.text(0.15, top - 0.22, layer, fontweight="bold", color=COLOURS[layer])
    folders = [name for name in sorted(lines) if name.startswith(f"{layer}/") and name not in OF_WORLDS]
    folders = [name for name in folders if "." not in name]
    width = (WIDTH - 0.3) / len(folders)
    for index, name in enumerate(folders):
        x = 0.15 + index * width
        box(axes, x + 0.05, top - 0.92, width - 0.1, 0.52, facecolor="white", edgecolor=COLOURS[layer], zorder=2)
        axes.text(x + width / 2, top - 0.66, f"{name.split('/')[1]}\n{thousands(lines[name])}",
                  ha="center", va="center", fontsize=7, zorder=3)  # fmt: skip


def draw_world(axes, x, width, name, folders, lines):
    box(axes, x + 0.1, 5.27, width - 0.2, 1.45, facecolor="0.94", edgecolor="0.4", zorder=2)
    axes.text(x + width / 2, 6.62, f"world: {name}", ha="center", va="top", fontweight="bold", zorder=3)
    text = "\n".join(f"{folder} ({thousands(lines[folder]).split()[0]})" for folder in folders)
    axes.text(x + width / 2, 5.8, text, ha="center", va="center", fontsize=6.2, zorder=3)


if __name__ == "__main__":
    draw(*read_tree(), sys.argv[1])

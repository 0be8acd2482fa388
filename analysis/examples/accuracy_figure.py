# SPDX-License-Identifier: BSD-3-Clause
"""Draws accuracy.png from the CSV files of hw/libina/examples/train.py in a folder, one file for
each method of summing gradients: the accuracy per step, and the difference of each loss from that
with Gloo."""

import sys
from pathlib import Path

import pandas
from analysis.kinds import figure_files, style
from matplotlib import pyplot

REFERENCE = "gloo"
SYSTEMS = ("switchml", "atp", "dsa")
ROW_INCHES = 2.3
MARKS = 12  # per curve; staggered, since the curves coincide


def main(folder):
    runs = {name: pandas.read_csv(folder / f"{name}.csv") for name in (*SYSTEMS, REFERENCE)}
    with pyplot.rc_context(style.PAPER):
        figure_files.save("figure", draw(runs), folder / "accuracy.png")


def draw(runs):
    figure, (accuracy, distance) = pyplot.subplots(
        1, 2, figsize=(style.TWO_COLUMNS_INCHES, ROW_INCHES), layout="constrained"
    )
    reference = runs[REFERENCE]
    every = max(1, len(reference) // MARKS)
    for index, (name, look) in enumerate(style.looks_of(runs, style.SYSTEM_LOOKS).items()):
        run = runs[name]
        first = index * every // len(runs)
        looks = {"color": look.colour, "marker": look.marker, "markevery": (first, every)}
        label = "Gloo" if name == REFERENCE else style.SYSTEM_NAMES[name]
        accuracy.plot(run["step"], run["accuracy"], label=label, **looks)
        if name != REFERENCE:
            off = (run["loss"] - reference["loss"]).abs() / reference["loss"]
            distance.plot(run["step"], off, **looks, linewidth=0.6)
    accuracy.set_ylabel("Accuracy on test points")
    distance.set_ylabel("Loss: distance from Gloo's\n(relative)")
    for axes in (accuracy, distance):
        axes.set_xlabel("Step")
    style.frame(figure, *accuracy.get_legend_handles_labels(), "")
    return figure


main(Path(sys.argv[1]))

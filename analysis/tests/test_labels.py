# SPDX-License-Identifier: BSD-3-Clause
"""Lines, panels and bars have names that are unique within a figure."""

import pytest

from analysis import curves, layout, results
from analysis.kinds import jct, style
from analysis.kinds.distinct_names import distinct_names

LINKS = [
    f'[{{"links":"host*>switch, and back","loss":{loss}}}]' for loss in ("0.001", "0.02", "0.0005")
]


def drawn(folder, **choice):
    read = results.read(folder)
    jobs = read.jobs()
    shape = layout.layout(read.with_system(jobs), read.seeds, layout.Choice(**choice))
    (figure,) = jct.draw_measure(shape, curves.points(jobs, shape), curves.JCT)
    figure.draw_without_rendering()
    return figure


def texts(them):
    return [text.get_text() for text in them]


@pytest.mark.parametrize("counts", [[1, 2], ["one", "two"]], ids=["curves", "bars"])
def test_lines_whose_names_would_be_shortened_alike_are_named_by_what_differs(result_folder, counts):
    folder = result_folder(axes={"/faults/links": LINKS, "/a": counts}, systems=("dsa",))
    figure = drawn(folder, lines="/faults/links", x="/a")
    assert texts(figure.legends[0].get_texts()) == ["loss:0.001", "loss:0.02", "loss:0.0005"]


def test_panels_and_groups_of_bars_are_named_so_as_well(result_folder):
    folder = result_folder(axes={"/faults/links": LINKS, "/b": LINKS}, systems=("dsa", "atp"))
    figure = drawn(folder, panels="/faults/links", x="/b")
    names = ["loss:0.001", "loss:0.02", "loss:0.0005"]
    assert [axes.get_title() for axes in figure.axes] == [f"Faults links: {name}" for name in names]
    assert all(texts(axes.get_xticklabels()) == names for axes in figure.axes)


ALIKE = {
    "paths": (["a/net.json", "b/net.json", "a/other.json"], ["a", "b", "other"]),
    "a part of another": (
        [f'["{"x" * 30}","a"]', f'["{"x" * 30}","a","y"]'], ['["' + "x" * 21 + "…", "y"],
    ),
    "nothing to tell apart": (["\u202e", "\u202d"], ["\ufffd", "\ufffd (2)"]),
    "long to the end": (["a" * 40 + end for end in "bc"], ["a" * 23 + "…", "a" * 23 + "… (2)"]),
}


@pytest.mark.parametrize(("values", "names"), ALIKE.values(), ids=ALIKE)
def test_no_two_values_have_one_name(values, names):
    assert list(distinct_names(tuple(values), style.short).values()) == names


@pytest.mark.parametrize("counts", [[1, 2], ["one", "two"]], ids=["curves", "bars"])
def test_a_variant_whose_name_begins_with_an_underscore_is_in_the_legend(result_folder, counts):
    folder = result_folder(variants={"_hidden": "atp", "DSA": "dsa"}, axes={"/a": counts})
    assert texts(drawn(folder).legends[0].get_texts()) == ["_hidden", "DSA"]

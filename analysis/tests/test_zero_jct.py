# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that take no time, such as an all-reduce of a single worker without computation."""

import io
import json
import re

import pandas
import pytest
from plots import numbers_of

from analysis.__main__ import main

pytestmark = pytest.mark.filterwarnings("error")
WORKERS, LOSS = "/jobs/workers", "/faults/links/0/loss"
SWEEP = {"systems": ("ring", "dsa"), "seeds": (1, 2)}
TIMES = {"jobs.csv": ["jct_us", "iteration_mean_us"], "iterations.csv": None}  # None: all columns in us


@pytest.fixture
def idle_folder(result_folder, edit):
    """A result folder in which all jobs with one worker, or all jobs, take no time."""

    def make(name, key=WORKERS, every=False):
        folder = result_folder(name, axes={key: [1, 2]}, **SWEEP)
        for file, columns in TIMES.items():
            text = (folder / file).read_text()
            table = pandas.read_csv(io.StringIO(text))
            columns = columns or [column for column in table if column.endswith("_us")]
            table.loc[every | (table[key] == 1), columns] = 0.0
            edit(folder, file, {text: table.to_csv(index=False, lineterminator="\n")})
        return folder

    return make


@pytest.mark.parametrize("every", [False, True], ids=["one point", "all points"])
def test_figures_show_zero_and_no_ratio_to_it(idle_folder, capsys, every):
    points = numbers_of(idle_folder("results", every=every), "jct")["points"]
    for point in points:
        is_idle = every or point[WORKERS] == "1"
        assert (point["jct_ms"] == 0) == is_idle
        assert (point["jct_ratio"] is None) == (point["goodput_gbps"] is None) == is_idle
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("every", [False, True], ids=["one point", "all points"])
@pytest.mark.parametrize(
    ("key", "command"),
    [
        (WORKERS, ["plot", "--kind", "cdf"]), (WORKERS, ["plot", "--ratio", "ring/dsa"]),
        (WORKERS, ["breakdown"]), (LOSS, ["plot"]),
    ],
    ids=["cdf", "ratio", "breakdown", "loss"],
)  # fmt: skip
def test_every_figure_of_jobs_can_be_drawn(idle_folder, capsys, key, command, every):
    verb, *options = command
    folder = idle_folder("results", key, every)
    assert main([verb, str(folder), "--format", "png", *options]) == 0, capsys.readouterr().err
    note = capsys.readouterr().err
    assert note == "" or (every and "figure is empty" in note)


def test_a_quotient_leaves_seeds_without_one_out(idle_folder):
    points = numbers_of(idle_folder("results"), "jct", "--ratio", "ring/dsa")["points"]
    assert [(point["jct_quotient"] is None, point["seeds"]) for point in points] == [(True, 0), (False, 2)]


@pytest.mark.parametrize("options", [[], ["--statistical"]], ids=["means", "seeds"])
def test_zero_is_the_same_as_zero_and_as_nothing_else(idle_folder, result_folder, tmp_path, options):
    idle = idle_folder("idle")
    busy = result_folder("busy", axes={WORKERS: [1, 2]}, **SWEEP)

    def verdicts(before, after):
        file = tmp_path / "compared.json"
        main(["compare", str(before), str(after), "--json", str(file), *options])
        points = json.loads(file.read_text())["points"]
        return {(point["verdict"], point["ratio"]) for point in points if point[WORKERS] == "1"}

    assert verdicts(idle, idle) == {("same", None)}
    assert verdicts(idle, busy) == {("different", None)}
    assert verdicts(busy, idle) == {("different", 0)}


@pytest.mark.parametrize("every", [False, True], ids=["one point", "all points"])
def test_a_page_shows_no_ratio_to_zero(idle_folder, capsys, every):
    folder = idle_folder("results", every=every)
    assert main(["report", str(folder)]) == 0, capsys.readouterr().err
    page = (folder / "report.html").read_text()
    table = page[page.index("All points") :].partition("</table>")[0]
    columns = re.findall("<th[^>]*>([^<]*)", table)
    rows = [re.findall("<td[^>]*>([^<]*)", row) for row in table.split("<tr")[2:]]
    ratios = [row[columns.index("JCT / DSA")] for row in rows]
    assert ratios.count("-") == (4 if every else 2)

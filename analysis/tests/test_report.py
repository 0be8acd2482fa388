# SPDX-License-Identifier: BSD-3-Clause
"""`report`: the page about a result folder."""

import json
import re
from itertools import islice

import pytest

from analysis import figure_files, report, report_page, results, style, verdicts
from analysis.__main__ import main
from analysis.results import Axis

SWEPT = {
    "/jobs/count": [1, 2], "/dsa/policy": ["fcfs", "priority"], "/switch/memory_bytes": ["1MB", "2MB"],
}  # fmt: skip


def page_of(folder, capsys):
    assert main(["report", str(folder)]) == 0
    out, error = capsys.readouterr()
    assert (out, error) == (f"{folder}/report.html\n", "")
    return (folder / "report.html").read_text()


def change_manifest(folder, change):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))


@pytest.fixture
def few_figures(monkeypatch):
    """They take most of the time."""
    monkeypatch.setattr(report, "FIGURES", {"jct": report.FIGURES["jct"]})


@pytest.fixture
def unrendered(monkeypatch):
    """Figures are laid out, but have no pixels."""
    monkeypatch.setattr(figure_files, "rendered", lambda pages, kinds, source: {kinds[0]: [b"" for _ in pages]})


def test_the_page_needs_no_other_file_and_no_network(result_folder, capsys, few_figures):
    page = page_of(result_folder(axes={"/jobs/count": [1, 2]}), capsys)
    sources = re.findall(r'(?:src|href)\s*=\s*"([^"]{0,22})', page)
    assert sources and set(sources) == {"data:image/png;base64,"}
    assert not re.search(r"https?:|url\(|@import|<script|<link", re.sub(r'base64,[^"]*', "", page))


def test_the_page_has_every_figure_that_the_tables_allow(result_folder, capsys):
    page = page_of(result_folder(axes={"/jobs/count": [1, 2]}, iterations=2), capsys)
    titles = re.findall(r"<h2>([^<]*)</h2>", page)
    drawn = [title for title, _, _ in report.FIGURES.values()]
    assert titles == ["Means", *drawn[:4], "How busy the links are", "What was run"]
    # No links without the times of their lines, and the page says so.
    assert "Not drawn: " in page and "missing column busy_us" in page
    # JCT, times of iterations, and the distributions of both; the others.
    assert page.count("<img") == 6


def test_means_have_intervals_over_seeds(result_folder, capsys, few_figures):
    folder = result_folder(axes={"/jobs/count": [1, 2]}, seeds=(1, 2, 3))
    page = page_of(folder, capsys)
    jobs = results.read(folder).jobs()
    of_point = jobs[(jobs["system"] == "dsa") & (jobs["/jobs/count"] == "2")]
    found = verdicts.estimate(of_point.groupby("seed")["jct_us"].mean() / 1000)
    row = next(row for row in page.split("<tr>") if "<td>2</td><td>DSA</td>" in row)
    assert f"{found.mean:.2f} ± {found.half_width:.2f}" in row


@pytest.mark.parametrize("seeds", [(1,), (1, 2)], ids=["one-seed", "seeds"])
@pytest.mark.parametrize("varied", range(len(SWEPT) + 1), ids="{}-keys".format)
@pytest.mark.parametrize("has_variants", [False, True], ids=["no-variants", "variants"])
@pytest.mark.parametrize("systems", [("dsa",), ("atp", "dsa")], ids=len)
def test_a_page_has_a_row_for_each_point_of_any_sweep(
    result_folder, capsys, few_figures, unrendered, systems, has_variants, varied, seeds
):
    swept = dict(islice(SWEPT.items(), varied))
    compared = {"systems": systems}
    if has_variants:
        compared = {"variants": dict(zip(("DSA", "other"), systems * 2))}
    page = page_of(result_folder(axes=swept, seeds=seeds, **compared), capsys)
    table = page[: page.index("</table>")]
    lines = 2 if has_variants else len(systems)
    assert table.count("<tr><td>") == lines * 2**varied
    assert ("<th>to DSA</th>" in table) == (lines > 1)
    labels = [style.axis_name(Axis(key, texts)) for key, texts in swept.items()]
    assert all(f"<th>{label}" in table for label in labels)


@pytest.mark.parametrize(
    ("mean", "half_width", "text"),
    [
        (2.3912, 0.0251, "2.391 ± 0.025"), (2.5, 0.3, "2.50 ± 0.30"), (1234.5, 21.0, "1234 ± 21"),
        (2.5, 0.0, "2.5 ± 0"), (2.5, None, "2.5"),
    ],
)  # fmt: skip
def test_a_mean_has_the_decimals_that_its_interval_allows(mean, half_width, text):
    assert report_page.estimate_text(verdicts.Estimate(mean, half_width, 3)) == text


def test_the_page_says_what_was_run(result_folder, capsys, few_figures):
    folder = result_folder(axes={"/jobs/count": [1, 2]})
    build = {"ina": "0.1.0", "commit": "abc", "ns3": "3.37", "compiler": "g++ 12.2.0"}
    change_manifest(folder, lambda one: one.update(description="Two <jobs>", build=build))
    page = page_of(folder, capsys)
    for text in ("Two &lt;jobs&gt;", "0.1.0 abc", "3.37", "g++ 12.2.0", "1, 2, 3", "switchml, atp, dsa"):
        assert f">{text}<" in page


def test_warnings_name_failures_single_seeds_drops_of_a_testbed_and_uncommitted_sources(
    result_folder, edit, capsys, few_figures
):
    folder = result_folder(axes={}, seeds=(1,), fails=lambda _, system: system == "atp")
    links = (folder / "links.csv").read_text()
    rows = [f"{row},{5 if 'atp,1,host0' in row else 0}" for row in links.splitlines()[1:]]
    header = links.splitlines()[0] + ",frames_dropped"
    edit(folder, "links.csv", {links: "\n".join([header, *rows, ""])})
    change_manifest(folder, lambda one: one.update(build={"commit": "abc-dirty"}))
    assert "found no room" not in page_of(folder, capsys)  # a finding of the simulator's
    change_manifest(folder, lambda one: one.update(testbed={}))
    page = page_of(folder, capsys)
    warnings = re.findall(r"<li>([^<]*)</li>", page)
    assert warnings == [
        "2 of 6 jobs failed (2 killed): they are in no mean.",
        "There is one seed, so that no mean has an interval.",
        "5 frames found no room in a buffer, in 1 of 3 runs, most of them before host0&gt;switch.",
        "The simulator was built from sources that no commit has (abc-dirty).",
        "Real processes ran on a testbed: times are those of its machine&#x27;s clock.",
    ]


def test_findings_of_the_manifest_are_a_section_above_the_means(result_folder, capsys, few_figures):
    folder = result_folder(axes={}, iterations=1)
    assert "Findings" not in page_of(folder, capsys)
    found = {"what": "dropped", "key": "/switch/buffer_bytes", "runs": 1, "text": "before a<b: /switch/buffer_bytes"}
    change_manifest(folder, lambda one: one.update(findings=[found]))
    page = page_of(folder, capsys)
    assert "<li>before a&lt;b: /switch/buffer_bytes</li>" in page
    assert page.index("<h2>Findings</h2>") < page.index("<h2>Means</h2>")


def test_wide_intervals_are_a_warning_and_narrow_ones_are_not(result_folder, capsys, few_figures):
    assert "more seeds" not in page_of(result_folder(axes={}), capsys)
    assert "The interval of 3 of 3 average JCTs" in page_of(
        result_folder("wide", axes={}, seeds=(1, 2, 8)), capsys
    )


def test_a_page_of_a_large_sweep_stays_small_and_says_what_it_lacks(
    result_folder, capsys, few_figures, monkeypatch
):
    axes = {"/jobs/count": list(range(1, 16)), "/switch/memory_bytes": [f"{mb}MB" for mb in range(1, 16)]}
    folder = result_folder(axes=axes, seeds=(1,), systems=("dsa",))
    monkeypatch.setattr(report, "MOST_PAGES", 1)
    whole = page_of(folder, capsys)
    assert "The first 200 of 225 points" in whole
    assert whole.count("<tr><td>") == 200
    assert "The first pages; all of them are drawn by" in whole
    assert whole.count("<img") == 1
    most = len(whole.encode()) - 100
    monkeypatch.setattr(report_page, "MOST_BYTES", most)
    smaller = page_of(folder, capsys)
    assert len(smaller.encode()) < most
    assert "There is no room for more of it." in smaller and "<img" not in smaller


def test_the_same_folder_gives_the_same_page(result_folder, capsys):
    folder = result_folder(axes={})
    assert page_of(folder, capsys) == page_of(folder, capsys)


def test_nothing_is_written_of_a_damaged_folder_nor_over_anothers_page(result_folder, capsys):
    folder = result_folder(axes={})
    page = folder / "report.html"
    page.write_text("mine")
    assert main(["report", str(folder)]) == 2
    assert page.read_text() == "mine"
    page.unlink()
    with open(folder / "links.csv", "a") as table:
        table.write("\n")
    assert main(["report", str(folder)]) == 2
    assert capsys.readouterr().err.count("\n") == 2
    assert not page.exists()


def test_a_page_of_other_tables_is_removed_when_figures_are_drawn_anew(
    result_folder, edit, capsys, few_figures
):
    folder = result_folder(axes={})
    page_of(folder, capsys)
    edit(folder, "links.csv", {"host0>switch,7": "host0>switch,8"})
    assert main(["plot", str(folder), "--format", "png"]) == 0
    assert not (folder / "report.html").exists()
    assert "report.html: removed" in capsys.readouterr().err

# SPDX-License-Identifier: BSD-3-Clause
"""`report`: the page about a result folder."""

import io
import json
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from PIL import Image

from analysis import estimates, html_page, kinds, results
from analysis.__main__ import main
from analysis.kinds import style
from analysis.report import comparison, content, page as report_page
from analysis.results import Axis

ROOT = Path(__file__).resolve().parents[2]

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
    """Limits the figures, which take most of the time."""
    monkeypatch.setattr(kinds, "reported", lambda: [kinds.all_kinds()["jct"]])


def tables_of(page):
    """The texts of the cells of each table, row by row, header first."""
    return [
        [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr")[1:]]
        for table in re.findall(r"<table>(.*?)</table>", page, re.DOTALL)
    ]


def all_points(page):
    """The columns of the flat table, by title."""
    header, *rows = tables_of(page)[-1]
    return {title: [row[index] for row in rows] for index, title in enumerate(header)}


def test_the_page_needs_no_other_file_and_no_network(result_folder, capsys, few_figures):
    page = page_of(result_folder(axes={"/jobs/count": [1, 2]}), capsys)
    sources = re.findall(r'(?:src|href)\s*=\s*"([^"]{0,22})', page)
    assert "data:image/png;base64," in sources
    assert all(source.startswith(("data:image/png;base64,", "#")) for source in sources)
    assert not re.search(r"https?:|url\(|@import|<script|<link", re.sub(r'base64,[^"]*', "", page))


def test_the_page_has_every_figure_that_the_tables_allow(result_folder, capsys):
    page = page_of(result_folder(axes={"/jobs/count": [1, 2]}, iterations=2), capsys)
    titles = re.findall(r"<h2[^>]*>([^<]*)</h2>", page)
    drawn = [kind.report.title for kind in kinds.reported()]
    assert titles == ["Means", *drawn[:4], "How busy the links are", "What was run"]
    # Without the times of lines there is no figure of links, and the page says so.
    assert "Not drawn: " in page and "missing column busy_us" in page
    # JCT, iteration times, the distributions of both, and the other kinds.
    assert page.count("<img") == 6


def test_means_have_intervals_over_seeds(result_folder, capsys, few_figures):
    folder = result_folder(axes={"/jobs/count": [1, 2]}, seeds=(1, 2, 3))
    page = page_of(folder, capsys)
    jobs = results.read(folder).jobs()
    of_point = jobs[(jobs["system"] == "dsa") & (jobs["/jobs/count"] == "2")]
    found = estimates.estimate(of_point.groupby("seed")["jct_us"].mean() / 1000)
    columns = all_points(page)
    rows = list(zip(columns["Number of jobs"], columns["System"], columns["Average JCT (ms)"]))
    assert ("2", "DSA", f"{found.mean:.3f} ± {found.half_width:.3f}") in rows


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
    columns = all_points(page)
    lines = 2 if has_variants else len(systems)
    assert len(columns["Jobs"]) == lines * 2**varied
    assert ("JCT / DSA" in columns) == (lines > 1)
    for key, texts in swept.items():
        assert any(title.startswith(style.axis_name(Axis(key, texts))) for title in columns)


def decimals_of(cells):
    return {len(number.partition(".")[2]) for cell in cells for number in re.findall(r"[\d.]+", cell)}


@pytest.mark.parametrize("scale", [0.06, 1.0, 300.0], ids=["microseconds", "milliseconds", "a-second"])
def test_all_numbers_of_a_column_have_the_same_decimals_and_four_digits_or_more(
    result_folder, capsys, few_figures, unrendered, scale
):
    folder = result_folder(axes={"/jobs/count": [1, 2, 30]}, scale=scale, iterations=3)
    columns = all_points(page_of(folder, capsys))
    times = [title for title in columns if title.endswith("(ms)")]
    assert len(times) == 3
    for title in times:
        assert len(decimals_of(columns[title])) == 1
        means = [cell.partition(" ")[0] for cell in columns[title]]
        assert all(len(mean.replace(".", "").lstrip("0")) >= 4 for mean in means)
    assert len(decimals_of(columns["JCT / DSA"])) == 1


def test_counts_are_whole_however_large(result_folder, capsys, few_figures, unrendered):
    folder = result_folder(axes={})
    change_manifest(folder, lambda one: [run.update(packet_hops=41_152_263) for run in one["points"]])
    assert "<th>Packet-hops</th><td>370,370,367</td>" in page_of(folder, capsys)


def side_by_side(page):
    """The rows of the first table with their marks: {first cell: [(text, is best)]}."""
    table = page[page.index("<table>") : page.index("</table>")]
    return {
        re.search(r"<th>(.*?)</th>", row)[1]: [
            (text, kind.endswith("best")) for kind, text in re.findall(r'<td class="([^"]*)">(.*?)</td>', row)
        ]
        for row in table.split("<tr>")[2:]
    }


def test_systems_stand_side_by_side_in_a_row_for_each_swept_value(
    result_folder, capsys, few_figures, unrendered
):
    page = page_of(result_folder(axes={"/jobs/count": [1, 8]}), capsys)
    header = tables_of(page)[0][0]
    assert header == ["Number of jobs", "SwitchML", "ATP", "DSA"]
    rows = side_by_side(page)
    assert list(rows) == ["1", "8"]
    assert [is_best for _, is_best in rows["8"]] == [False, False, True]
    assert rows["1"][1][0] == "1.562 ± 0.116"
    assert page.index("1.562 ± 0.116") < page.index("All points")


def test_a_row_says_how_many_jobs_failed_in_each_cell(result_folder, capsys, few_figures, unrendered):
    fails = lambda values, system: system == "atp" and values == [8]
    page = page_of(result_folder(axes={"/jobs/count": [1, 8]}, fails=fails), capsys)
    assert side_by_side(page)["8"][1] == ("-<br><small>6 failed</small>", False)


def estimate(mean, half_width):
    return estimates.Estimate(mean, half_width, 1 if half_width is None else 5)


@pytest.mark.parametrize(
    ("estimates", "best"),
    [
        ({"a": estimate(2, 0.1), "b": estimate(3, 0.1)}, {"a"}),
        ({"a": estimate(2, 0.6), "b": estimate(3, 0.6)}, {"a", "b"}),
        ({"a": estimate(2, 0.3), "b": estimate(2.5, 0.3), "c": estimate(2.9, 0.3)}, {"a", "b"}),
        ({"a": estimate(2, None), "b": estimate(3, None)}, set()),
        ({"a": estimate(2, 0.1), "b": None}, set()),
        ({"a": estimate(3, 0), "b": estimate(3, 0), "c": estimate(4, 0)}, {"a", "b"}),
    ],
)
def test_the_best_are_those_that_the_intervals_cannot_tell_apart(estimates, best):
    assert comparison.best(estimates) == best


def test_without_other_swept_keys_the_best_rows_of_all_points_are_marked(
    result_folder, capsys, few_figures, unrendered
):
    page = page_of(result_folder(axes={}), capsys)
    assert page.count("<table>") == 1
    assert re.findall(r'<tr class="best"><td>(.*?)</td>', page) == ["DSA"]


def test_the_caption_of_a_sweep_over_memory_says_by_what_memory_decides(result_folder, capsys, unrendered):
    over = lambda axes: page_of(result_folder(str(len(str(axes))), axes=axes), capsys)
    assert "Memory matters only if tasks collide." in over({"/switch/memory_bytes": ["1MB", "5MB"]})
    assert "Memory matters" not in over({"/jobs/count": [1, 2]})
    assert "Memory matters" not in over({"/switch/memory_bytes": ["1MB"]})


def test_the_contents_list_every_section_and_every_figure_has_a_caption(result_folder, capsys):
    page = page_of(result_folder(axes={"/jobs/count": [1, 2]}, iterations=2), capsys)
    sections = re.findall(r'<h2 id="([^"]*)">([^<]*)</h2>', page)
    contents = re.findall(r'<li><a href="#([^"]*)">([^<]*)</a>', page[: page.index("</nav>")])
    assert contents == sections and len(sections) > 5
    captions = re.findall(r"<figcaption>([^<]+)</figcaption>", page)
    assert len(captions) == page.count("<img") == len(set(captions))
    assert "X axis: Number of jobs; lines or bars: systems." in captions[0]


def test_figures_have_two_pixels_for_each_of_the_page(result_folder, monkeypatch, few_figures):
    monkeypatch.setitem(style.PAPER, "savefig.dpi", 300)
    read = results.read(result_folder(axes={"/jobs/count": [1, 2]}))
    ((image,),) = [figure.images for figure in content.figures(read)]
    assert Image.open(io.BytesIO(image.png)).width >= 2 * html_page.WIDTH_PX
    assert 'class="narrow"' not in html_page.figure(image.png, "", "")


def test_two_figures_of_one_column_stand_beside_each_other(result_folder, capsys, few_figures):
    page = page_of(result_folder(axes={"/jobs/count": [1, 2]}, iterations=2), capsys)
    assert page.count('<figure class="narrow">') == page.count("<figure") == 2


def json_of(folder, file):
    assert main(["report", str(folder), "--json", str(file)]) == 0
    return json.loads(file.read_text())


def test_the_means_go_to_a_file_on_request(result_folder, capsys, few_figures, unrendered, tmp_path):
    fails = lambda values, system: system == "atp" and values == [8]
    folder = result_folder(axes={"/jobs/count": [1, 8]}, fails=fails)
    finding = {"what": "waiting", "key": "/dsa/window", "amount": 0.9, "text": "waits"}

    def change(manifest):
        manifest.update(build={"ina": "0.1.0", "commit": "abc"}, findings=[finding | {"runs": 1}])
        manifest["points"][-1]["findings"] = [finding]

    change_manifest(folder, change)
    found = json_of(folder, tmp_path / "means.json")
    capsys.readouterr()
    points = found.pop("points")
    assert found == {
        "written_by": "ina report --json", "name": "synthetic", "folder": str(folder),
        "build": {"ina": "0.1.0", "commit": "abc"}, "seeds": [1, 2, 3], "findings": [finding | {"runs": 1}],
        "keys": ["/jobs/count", "system"], "baseline": "dsa",
    }  # fmt: skip
    assert len(points) == 6
    by_key = {(point["/jobs/count"], point["system"]): point for point in points}
    dsa, atp = by_key["8", "dsa"], by_key["8", "atp"]
    jobs = results.read(folder).jobs()
    of_point = jobs[(jobs["system"] == "dsa") & (jobs["/jobs/count"] == "8")]
    expected = estimates.estimate(of_point.groupby("seed")["jct_us"].mean() / 1000)
    assert (dsa["jct_ms"], dsa["jct_half_width_95_ms"]) == (expected.mean, expected.half_width)
    assert (dsa["seeds"], dsa["jobs"], dsa["failed_jobs"], dsa["jct_ratio"]) == (3, 6, 0, 1)
    assert dsa["findings"] == [{"seed": 3, **finding}]
    assert (atp["jct_ms"], atp["jct_half_width_95_ms"], atp["failed_jobs"]) == (None, None, 6)
    assert not by_key["1", "dsa"]["findings"]


def test_a_dash_is_standard_output_and_nothing_else_goes_there(
    result_folder, capfd, few_figures, unrendered
):
    folder = result_folder(axes={"/jobs/count": [1, 2]})
    assert main(["report", str(folder), "--json", "-"]) == 0
    out, error = capfd.readouterr()
    assert len(json.loads(out)["points"]) == 6
    assert error == ""
    assert (folder / "report.html").exists()


def test_a_file_of_somebody_else_is_not_replaced_by_the_means(result_folder, capsys, tmp_path):
    folder = result_folder(axes={})
    (tmp_path / "mine").write_text("mine")
    assert main(["report", str(folder), "--json", str(tmp_path / "mine")]) == 2
    assert "--json" in capsys.readouterr().err
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("axes", [{}, {"/jobs/count": [1, 2]}], ids=["a-point", "points"])
def test_a_folder_where_no_job_finished_has_a_page_without_warnings_of_libraries(
    result_folder, axes, tmp_path
):
    folder = result_folder(axes=axes, iterations=2, fails=lambda values, system: True)
    file = tmp_path / "means.json"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "analysis", "report", folder, "--json", file],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{folder}/report.html\n", "")
    columns = all_points((folder / "report.html").read_text())
    assert set(columns["Average JCT (ms)"]) == set(columns["95th percentile (ms)"]) == {"-"}
    assert {point["jct_ms"] for point in json.loads(file.read_text())["points"]} == {None}


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
    assert "frames were dropped" not in page_of(folder, capsys)  # reported as a finding of the simulator
    change_manifest(folder, lambda one: one.update(testbed={}))
    page = page_of(folder, capsys)
    warnings = re.findall(r"<li>([^<]*)</li>", page)
    assert warnings == [
        "2 of 6 jobs failed (2 killed): no mean includes them.",
        "There is only one seed, so no mean has an interval.",
        "5 frames were dropped at full buffers, in 1 of 3 runs, most of them before host0&gt;switch.",
        "The simulator was built from uncommitted sources (abc-dirty).",
        "Real processes ran on a testbed, so times are those of the machine&#x27;s clock.",
    ]


def test_findings_of_the_manifest_are_a_section_above_the_means(result_folder, capsys, few_figures):
    folder = result_folder(axes={}, iterations=1)
    assert "Findings" not in page_of(folder, capsys)
    found = {"what": "dropped", "key": "/switch/buffer_bytes", "runs": 1, "text": "before a<b: /switch/buffer_bytes"}
    change_manifest(folder, lambda one: one.update(findings=[found]))
    page = page_of(folder, capsys)
    assert "<li>before a&lt;b: /switch/buffer_bytes</li>" in page
    assert page.index('<h2 id="findings">') < page.index('<h2 id="means">')


def test_wide_intervals_are_a_warning_and_narrow_ones_are_not(result_folder, capsys, few_figures):
    assert "More seeds" not in page_of(result_folder(axes={}), capsys)
    assert "The interval of 3 of 3 average JCTs" in page_of(
        result_folder("wide", axes={}, seeds=(1, 2, 8)), capsys
    )


def test_a_page_of_a_large_sweep_stays_small_and_says_what_it_lacks(
    result_folder, capsys, few_figures, monkeypatch
):
    axes = {"/jobs/count": list(range(1, 16)), "/switch/memory_bytes": [f"{mb}MB" for mb in range(1, 16)]}
    folder = result_folder(axes=axes, seeds=(1,), systems=("dsa",))
    monkeypatch.setattr(content, "MOST_PAGES", 1)
    whole = page_of(folder, capsys)
    assert "The first 200 of 225 points" in whole
    assert len(all_points(whole)["Jobs"]) == 200
    assert "The first pages; all of them are drawn by" in whole
    assert whole.count("<img") == 1
    most = len(whole.encode()) - 100
    monkeypatch.setattr(report_page, "MOST_BYTES", most)
    smaller = page_of(folder, capsys)
    assert len(smaller.encode()) < most
    assert "There is no room for the rest." in smaller and "<img" not in smaller


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

# SPDX-License-Identifier: BSD-3-Clause
"""`plot --kind links|series|occupation|flows` on synthetic tables: content of the figures, and
rejected options."""

import csv
import json
import zlib

import inalab
import pytest
from plots import numbers_of, refusal

from analysis import layout, results
from analysis.__main__ import main
from analysis.kinds import cluster_map, flows, links, occupation, series

LEAF_SPINE = ["host0>leaf0", "host1>leaf1", "ps0>leaf1", "leaf0>spine0", "leaf1>spine0"]
STAR_OF_RACKS = ["host0>rack0", "host1>rack1", "host2>rack2", "ps0>rack2", "rack0>rack2", "rack1>rack2"]
FAT_TREE = ["host0>edge0", "edge0>aggregation0", "aggregation0>core0"]
TIME_US = 1000.0
KINDS = ["links", "series", "occupation", "flows"]


def both_ways(links):
    return [way for link in links for way in (link, ">".join(reversed(link.split(">"))))]


class Folder:
    """Runs of systems and seeds on a leaf-spine cluster, with the tables that a scenario enables.

    Under DSA, the link to spine 0 is busy for half the time with seed 1, and for all of it with
    seed 2.
    """

    def __init__(self, path, systems=("atp", "dsa"), seeds=(1, 2), links=LEAF_SPINE, asked=True):
        self.path, self.systems, self.seeds, self.links = path, systems, seeds, links
        path.mkdir()
        jobs = ["job", "profile", "start_us", "end_us"]
        self.write("jobs.csv", jobs, lambda *_: [[job, "dnn-a", 0, TIME_US] for job in (0, 1)])
        columns = ["link", "busy_us", "last_sent_us", "frames_marked", "frames_dropped"]
        self.write("links.csv", columns, self.link_rows)
        self.write("iterations.csv", ["job", "iteration"], lambda *_: [[0, 0]])
        self.write("switch.csv", ["time_us", "switch", "job"], lambda *_: [[TIME_US, "leaf0", 0]])
        if asked:
            columns = ["time_us", "link", "bytes_sent", "busy_us", "longest_queue_bytes",
                       "queue_bytes", "frames_marked", "frames_dropped"]
            self.write("link_series.csv", columns, self.series_rows)
            columns = ["switch", "job", "held_from_us", "held_until_us", "occupations", "held_mean_us"]
            self.write("occupation.csv", columns, self.occupation_rows)
            columns = ["flow", "kind", "from", "to", "size_bytes", "start_us", "completion_us"]
            self.write("flows.csv", columns, self.flow_rows)
        outputs = {"link_interval": "100us"} if asked else {}
        manifest = {
            "name": "synthetic",
            "axes": [{"key": "/system", "values": list(systems)}],
            "points": [
                {"point": point, "seed": seed, "scenario": {"outputs": outputs}}
                for point in range(len(systems)) for seed in seeds
            ],
            "tables_crc32": {
                table.name: f"{zlib.crc32(table.read_bytes()):08x}" for table in path.glob("*.csv")
            },
        }
        (path / "manifest.json").write_text(json.dumps(manifest))

    def write(self, file, columns, rows_of):
        with open(self.path / file, "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["point", "system", "seed", *columns])
            for point, system in enumerate(self.systems):
                for seed in self.seeds:
                    writer.writerows([point, system, seed, *row] for row in rows_of(system, seed))

    def link_rows(self, system, seed):
        for link in both_ways(self.links):
            is_busy = system == "dsa" and link == "leaf0>spine0"
            yield [link, 500 * seed if is_busy else 100, TIME_US, 3 if is_busy else 0, 0]

    def series_rows(self, _, seed):
        yield [100, "leaf0>spine0", 5000, 50, 700, 600, 1, 0]
        yield [100, "host0>leaf0", 100, 1, 100, 0, 0, 0]
        yield [1000, "leaf0>spine0", 1000 * seed, 100, 900, 0, 0, 2]

    def occupation_rows(self, system, _):
        for job in (0, 1):
            yield ["leaf0", job, 1, 2, 10, 1.5]
            yield ["leaf0", job, 8, 16, 30 if system == "dsa" else 90, 10 * (job + 1)]


    def flow_rows(self, system, seed):
        factor = 2 if system == "dsa" else 1
        yield [0, "bulk", "host0", "host1", "", 0, ""]
        for flow, size in ((1, 1000), (2, 3000), (3, 50000)):
            yield [flow, "arrivals", "host0", "host1", size, 10, factor * size / 100 * seed]
        yield [4, "incast", "host1", "host0", 1000, 10, 7]
        yield [5, "incast", "host1", "host0", 1000, 900, ""]


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "results").path


# ---- all kinds


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_a_png_and_a_pdf_and_stays_beside_the_others(folder, capsys, kind):
    for one in KINDS:
        assert main(["plot", str(folder), "--kind", one]) == 0
    assert capsys.readouterr().err == ""
    assert (folder / f"{kind}.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / f"{kind}.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_tables_give_the_same_bytes(folder, kind):
    files = []
    for _ in range(2):
        assert main(["plot", str(folder), "--kind", kind]) == 0
        files.append([path.read_bytes() for path in sorted(folder.glob(f"{kind}.*"))])
    assert files[0] == files[1]


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("links", ["--x", "seed"]), ("links", ["--lines", "system"]), ("series", ["--panels", "seed"]),
        ("occupation", ["--ratio", "atp/dsa"]), ("series", ["--baseline", "dsa"]),
        ("occupation", ["--links", "*"]), ("jct", ["--only", "seed=1"]), ("jct", ["--links", "*"]),
    ],
)  # fmt: skip
def test_options_of_other_kinds_are_refused(folder, capsys, kind, options):
    line = refusal(folder, capsys, "--kind", kind, *options)
    assert f"{options[0]}: found with --kind {kind}; allowed: with " in line


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("only", "said"),
    [
        ("rate=1", "allowed: KEY=VALUE, with one of system, seed"), ("dsa", "allowed: KEY=VALUE"),
        ("system=ps", "allowed: system= one of atp, dsa"), ("seed=3", "allowed: seed= one of 1, 2"),
    ],
)  # fmt: skip
def test_a_run_that_is_not_there_is_refused(folder, capsys, kind, only, said):
    line = refusal(folder, capsys, "--kind", kind, "--only", only)
    assert f'--only: found "{only}"; {said}' in line


@pytest.mark.parametrize(
    ("kind", "key"), [
        ("series", "/outputs/link_interval"), ("occupation", "/outputs/occupation"),
        ("flows", "/traffic/flows"),
    ],
)  # fmt: skip
def test_a_table_that_was_not_asked_for_is_named_with_its_key(tmp_path, capsys, kind, key):
    folder = Folder(tmp_path / "results", asked=False).path
    assert f"no such table; allowed: results of a scenario with {key}" in refusal(
        folder, capsys, "--kind", kind
    )


def test_an_unknown_kind_is_refused(folder, capsys):
    line = refusal(folder, capsys, "--kind", "pie")
    assert "argument --kind" in line and "pie" in line


def test_tables_on_request_are_frames(folder):
    results = inalab.load(folder)
    assert {"busy_us", "queue_bytes"} <= set(results.link_series.select_dtypes("number"))
    assert results.occupation["occupations"].sum() == 560
    assert set(results.flows["kind"]) == {"bulk", "arrivals", "incast"}


# ---- links


def test_links_are_as_busy_as_their_means_over_seeds(folder):
    rows = {(row["system"], row["link"]): row for row in numbers_of(folder, "links")["links"]}
    assert rows["dsa", "leaf0>spine0"]["utilisation"] == pytest.approx(0.75)
    assert rows["atp", "leaf0>spine0"]["utilisation"] == pytest.approx(0.1)
    assert rows["dsa", "leaf0>spine0"]["frames_marked"] == 3


def test_no_link_is_busier_than_all_of_the_time_to_the_last_frame(folder, edit):
    """Frames may be sent long after the last job's end."""
    edit(folder, "links.csv", {"leaf0>spine0,1000,1000.0": "leaf0>spine0,4000,4000.0"})
    rows = numbers_of(folder, "links", "--only", "system=dsa", "--only", "seed=2")["links"]
    assert {row["link"]: row["utilisation"] for row in rows}["leaf0>spine0"] == 1


def test_only_the_chosen_runs_are_drawn(folder):
    links = numbers_of(folder, "links", "--only", "/system=dsa", "--only", "seed=2")["links"]
    assert {row["system"] for row in links} == {"dsa"}
    assert max(row["utilisation"] for row in links) == pytest.approx(1)


def test_there_is_a_panel_for_each_way_of_each_system(folder):
    rows, axes = links.read(results.read(folder), [])
    (figure,) = links.draw_maps(rows, axes, folder)
    titles = [panel.get_title() for panel in figure.axes if panel.get_title()]
    assert titles == ["ATP, up", "ATP, down", "DSA, up", "DSA, down"]


def test_marks_have_a_seam_and_stand_in_the_legend(folder):
    rows, axes = links.read(results.read(folder), ["system=dsa"])
    (figure,) = links.draw_maps(rows, axes, folder)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["frames marked (ECN)", "parameter server"]


@pytest.fixture
def without_jobs(folder):
    """The same runs with flows of background traffic only."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for run in manifest["points"]:
        run["scenario"]["traffic"] = {"until": "1ms"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for table in ("jobs.csv", "iterations.csv", "switch.csv"):
        rewrite(folder, table, (folder / table).read_text().splitlines()[0] + "\n")
    return folder


def rewrite(folder, table, text):
    (folder / table).write_text(text)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["tables_crc32"][table] = f"{zlib.crc32(text.encode()):08x}"
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_without_jobs_flows_are_drawn_unless_none_completed(without_jobs, capsys):
    assert main(["plot", str(without_jobs)]) == 0
    assert capsys.readouterr().out == f"{without_jobs}/flows.png\n"
    text = (without_jobs / "flows.csv").read_text()
    rewrite(without_jobs, "flows.csv", "".join(line.rpartition(",")[0] + ",\n" if line[0] != "p" else line + "\n"
                                               for line in text.splitlines()))
    assert main(["plot", str(without_jobs)]) == 0
    assert capsys.readouterr().out == f"{without_jobs}/links.png\n"


@pytest.mark.parametrize("kind", ["links", "series", "flows"])
def test_without_jobs_there_are_the_kinds_of_other_traffic(without_jobs, kind):
    assert main(["plot", str(without_jobs), "--kind", kind]) == 0


@pytest.mark.parametrize("command", [["plot", "--kind", "jct"], ["plot", "--kind", "cdf"], ["breakdown"]])
def test_without_jobs_figures_of_jobs_are_refused(without_jobs, capsys, command):
    assert main([*command, str(without_jobs)]) == 2
    assert "jobs.csv: no jobs; allowed: results of a scenario with jobs" in capsys.readouterr().err


def test_without_jobs_the_report_and_the_tables_are_of_other_traffic(without_jobs):
    assert main(["report", str(without_jobs)]) == 0
    page = (without_jobs / "report.html").read_text()
    assert "The runs have no jobs." in page
    assert "Flows of other traffic" in page and "Average times" not in page
    assert inalab.load(without_jobs).jobs.empty


def test_links_without_times_are_not_guessed(folder, edit, capsys):
    edit(folder, "links.csv", {"host0>leaf0,100,": "host0>leaf0,,"})
    assert "busy_us: found nothing; allowed: a table of the simulator" in refusal(
        folder, capsys, "--kind", "links"
    )


@pytest.mark.parametrize("name", ["host0", ">leaf0", "host0>"])
def test_a_link_without_two_ends_is_refused(folder, edit, capsys, name):
    edit(folder, "links.csv", {"host0>leaf0,": f"{name},"})
    assert f'found "{name}"; allowed: two names with > between' in refusal(
        folder, capsys, "--kind", "links"
    )


@pytest.mark.parametrize(
    ("links", "rows"),
    [
        (["host0>switch", "ps0>switch"], [["switch"]]),
        (LEAF_SPINE, [["leaf0", "leaf1"], ["spine0"]]),
        (STAR_OF_RACKS, [["rack0", "rack1"], ["rack2"]]),
        (FAT_TREE, [["edge0"], ["aggregation0"], ["core0"]]),
        ([f"host{i}>leaf{i}" for i in range(11)], [[f"leaf{i}" for i in range(11)]]),
    ],
    ids=["star", "leaf-spine", "racks", "fat tree", "many"],
)
def test_switches_stand_in_rows_by_height_in_the_order_of_their_numbers(links, rows):
    assert cluster_map.map_of(both_ways(links), "links.csv").rows == rows


def test_a_switch_stands_above_its_hosts_and_no_two_nodes_at_one_place():
    cluster = cluster_map.map_of(both_ways(STAR_OF_RACKS), "links.csv")
    assert len(set(cluster.positions.values())) == len(cluster.positions)
    assert cluster.positions["rack0"][0] == pytest.approx(cluster.positions["host0"][0])
    assert all(0 < x < 1 for x, _ in cluster.positions.values())


def test_hosts_of_a_large_cluster_are_drawn_together_as_the_busiest_of_them():
    links = [f"host{i}>leaf{i // 32}" for i in range(1024)] + [f"ps{i}>leaf31" for i in range(8)]
    links += [f"leaf{leaf}>spine{spine}" for leaf in range(32) for spine in range(4)]
    cluster = cluster_map.map_of(both_ways(links), "links.csv")
    assert len(cluster.positions) == 32 + 1 + 32 + 4
    assert {len(hosts) for node, hosts in cluster.gathered.items() if node != "servers of leaf31"} == {32}
    assert cluster.directions["host37>leaf1"] == cluster_map.Direction("hosts of leaf1", "leaf1", True)
    assert len({one for one in cluster.positions.values()}) == len(cluster.positions)


def test_few_hosts_are_drawn_each_and_many_servers_of_a_switch_together():
    links = [f"host{i}>switch" for i in range(32)] + [f"ps{i}>switch" for i in range(8)]
    cluster = cluster_map.map_of(both_ways(links), "links.csv")
    assert list(cluster.gathered) == ["servers of switch"]


# ---- series


def test_a_series_has_the_links_that_send_most_unless_others_are_chosen(folder):
    numbers = numbers_of(folder, "series")
    assert (numbers["seed"], numbers["interval_us"]) == (1, pytest.approx(100))
    assert [row["link"] for row in numbers["links"]] == ["leaf0>spine0", "host0>leaf0"] * 2
    first = numbers["links"][0]
    assert (first["bytes_sent"], first["longest_queue_bytes"], first["frames_dropped"]) == (6000, 900, 2)
    chosen = numbers_of(folder, "series", "--links", "host*>leaf0,nothing")["links"]
    assert {row["link"] for row in chosen} == {"host0>leaf0"}


def test_another_seed_is_drawn_if_it_is_asked_for(folder):
    numbers = numbers_of(folder, "series", "--only", "seed=2")
    assert numbers["seed"] == 2
    assert numbers["links"][0]["bytes_sent"] == 7000


def test_intervals_without_a_row_are_idle(folder):
    rows, *_ = series.read(results.read(folder), ["system=dsa"], [])
    ends, busy, queue = series.steps(rows[rows["link"] == "leaf0>spine0"], 100, 10, 1)
    assert list(ends) == pytest.approx([0.1 * (i + 1) for i in range(10)])
    assert list(busy) == pytest.approx([0.5, *[0] * 8, 1])
    assert list(queue) == pytest.approx([0.7, *[0] * 8, 0.9])


def test_intervals_that_are_drawn_together_have_their_longest_queue(folder):
    rows, *_ = series.read(results.read(folder), ["system=dsa"], [])
    ends, busy, queue = series.steps(rows[rows["link"] == "leaf0>spine0"], 100, 10, 3)
    assert list(ends) == pytest.approx([0.3, 0.6, 0.9, 1.2])
    assert list(busy) == pytest.approx([0.5 / 3, 0, 0, 1 / 3])
    assert list(queue) == pytest.approx([0.7, 0, 0, 0.9])


@pytest.mark.parametrize("most", [400, 4])
def test_all_panels_end_with_the_longest_run_and_have_the_same_steps(folder, edit, monkeypatch, most):
    monkeypatch.setattr(series, "MOST_STEPS", most)
    early = "0,atp,1,1000,leaf0>spine0,1000,100,900,0,0,2"
    edit(folder, "link_series.csv", {early: early.replace(",1000,leaf0", ",300,leaf0")})
    (figure,) = series.draw_rows(*series.read(results.read(folder), [], []))
    atp, _, dsa, _ = figure.axes
    assert atp.get_xlim() == dsa.get_xlim() == pytest.approx((0, 1))
    widths = {
        round(step, 6) for axes in (atp, dsa) for line in axes.patches
        for step in (line.get_data().edges[1:] - line.get_data().edges[:-1])
    }  # fmt: skip
    assert widths == {0.1 if most == 400 else 0.3}


def test_links_that_are_not_there_are_refused(folder, capsys):
    line = refusal(folder, capsys, "--kind", "series", "--links", "core*")
    assert '--links: "core*" is 0 of 2 links that sent something, such as leaf0>spine0' in line


@pytest.mark.parametrize("interval", ["0us", "fast", "5MB", 7])
def test_an_interval_that_is_no_time_is_refused(folder, capsys, interval):
    manifest = json.loads((folder / "manifest.json").read_text())
    for point in manifest["points"]:
        point["scenario"]["outputs"]["link_interval"] = interval
    (folder / "manifest.json").write_text(json.dumps(manifest))
    line = refusal(folder, capsys, "--kind", "series")
    assert f'/outputs/link_interval: found "{interval}"; allowed: a time' in line


# ---- occupation


def test_a_line_is_the_share_of_occupations_that_are_no_longer(folder):
    rows, shape = occupation.read(results.read(folder), layout.Choice(), ["system=dsa"])
    bins = occupation.distribution(rows)
    assert list(bins["held_until_us"]) == [2, 16]
    assert list(bins["share"]) == pytest.approx([0.25, 1])
    assert shape.lines.key == "system" and shape.panels == ()


def test_the_numbers_of_a_line_are_of_all_its_occupations(folder):
    atp, dsa = numbers_of(folder, "occupation")["lines"]
    assert (atp["system"], atp["occupations"], dsa["occupations"]) == ("atp", 400, 160)
    assert dsa["mean_us"] == pytest.approx((0.25 * 1.5) + 0.75 * 15)
    assert (dsa["p50_us"], dsa["max_us"]) == (16, 16)


def test_jobs_and_switches_are_lines_or_panels_if_they_are_asked_to_be(folder):
    lines = numbers_of(folder, "occupation", "--lines", "job", "--panels", "switch")["lines"]
    assert [(row["system"], row["job"], row["switch"]) for row in lines] == [
        (system, job, "leaf0") for system in ("atp", "dsa") for job in ("0 (dnn-a)", "1 (dnn-a)")
    ]


def test_nothing_held_is_said(folder, edit, capsys):
    text = (folder / "occupation.csv").read_text()
    header, _, rows = text.partition("\n")
    edit(folder, "occupation.csv", {rows: ""})
    assert "no task held an aggregator" in refusal(folder, capsys, "--kind", "occupation")


# ---- flows


def test_a_bin_has_the_flows_of_its_sizes_that_completed(folder):
    rows, shape = flows.read(results.read(folder), layout.Choice(), ["system=atp"])
    bins = flows.by_size(rows)
    assert list(bins["flows"]) == [4, 2, 2]  # both seeds; one flow has no size, and one did not complete
    assert list(bins["size_mean_bytes"]) == [1000, 3000, 50000]
    assert list(bins["mean_us"]) == pytest.approx([(10 + 20 + 7 + 7) / 4, 45, 750])
    assert (bins["size_from_bytes"] <= bins["size_mean_bytes"] * (1 + 1e-9)).all()
    assert (bins["size_mean_bytes"] < bins["size_until_bytes"]).all()
    assert shape.lines.key == "system" and shape.panels == ()


FLOWS_HEADER = "point,system,seed,flow,kind,from,to,size_bytes,start_us,completion_us\n"


def with_flows(folder, edit, counts, longest_us=50):
    """The folder with a number of flows of each size, {bytes: count}, in each run. The times for a
    size rise evenly to the longest."""
    text = (folder / "flows.csv").read_text()
    rows = [
        f"{point},{system},1,{size + number},arrivals,host0,host1,{size},0,{longest_us * (number + 1) / count}\n"
        for point, system in enumerate(("atp", "dsa"))
        for size, count in counts.items() for number in range(count)
    ]  # fmt: skip
    edit(folder, "flows.csv", {text: FLOWS_HEADER + "".join(rows)})
    return folder


def test_a_bin_of_few_flows_has_no_percentile(folder, edit):
    numbers = numbers_of(with_flows(folder, edit, {1000: 19, 10000: 20}), "flows")
    assert numbers["least_flows_of_p99"] == 20
    few, enough = [row for row in numbers["flows"] if row["system"] == "dsa"]
    assert (few["flows"], few["p99_us"]) == (19, None)
    assert (enough["flows"], enough["p99_us"]) == (20, 50)
    assert few["mean_us"] == pytest.approx(enough["mean_us"], rel=0.1)


def test_the_number_of_flows_stands_below_their_times(folder, edit):
    read = results.read(with_flows(folder, edit, {1000: 19, 10000: 200}))
    (figure,) = flows.draw_rows(*flows.read(read, layout.Choice(), ["system=dsa"]))
    times, counts = figure.axes
    (line,) = counts.lines
    assert (counts.get_ylabel(), list(line.get_ydata())) == ("Flows", [19, 200])
    mean, percentile = times.lines
    assert [value == value for value in percentile.get_ydata()] == [False, True]
    assert figure.texts[0].get_text().replace("\n", " ").endswith("99th percentiles of 20 flows or more")


@pytest.mark.parametrize("longest_us", [50, 30_000])
def test_logarithmic_axes_of_flows_have_labels_to_read_them_by(folder, edit, longest_us):
    read = results.read(with_flows(folder, edit, {2000: 2, 3000: 3}, longest_us))
    (figure,) = flows.draw_rows(*flows.read(read, layout.Choice(), []))
    figure.draw_without_rendering()
    for axis in (figure.axes[0].yaxis, figure.axes[1].yaxis, figure.axes[1].xaxis):
        least, most = axis.get_view_interval()
        ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels())
        assert sum(least <= tick <= most and label.get_text() != "" for tick, label in ticks) >= 2


def test_kinds_of_flows_are_lines_or_panels_if_they_are_asked_to_be(folder):
    bins = numbers_of(folder, "flows", "--lines", "kind", "--panels", "system")["flows"]
    assert {(row["system"], row["kind"], row["flows"]) for row in bins if row["size_mean_bytes"] == 1000} == {
        (system, kind, 2) for system in ("atp", "dsa") for kind in ("arrivals", "incast")
    }


def test_that_no_flow_completed_is_said(folder, edit, capsys):
    text = (folder / "flows.csv").read_text()
    rows = [line for line in text.splitlines(keepends=True) if not line.endswith(",\n")][1:]
    edit(folder, "flows.csv", dict.fromkeys(rows, ""))
    assert "no flow completed" in refusal(folder, capsys, "--kind", "flows")

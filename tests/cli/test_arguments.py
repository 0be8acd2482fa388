# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that the program accepts and rejects, and its output."""

import json
import re
import sys

import ina_sim
import numpy
import pytest

from hw.testbed.namespaces import MTU
from hw.testbed.probe import ETHERNET_BYTES

SHIPPED = sorted(ina_sim.SCENARIOS.rglob("*.json"))
SHIPPED.remove(ina_sim.SCENARIOS / "scenario.schema.json")


def assert_refused(done, *words):
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize("options", [("--json", "-"), ("--json", "-", "--quiet")])
def test_json_may_be_all_that_standard_output_gets(tiny, tmp_path, options):
    done = ina_sim.ina("run", tiny, "--out", tmp_path, *options)
    assert done.returncode == 0
    content = json.loads(done.stdout)
    assert content["written_by"] == "ina run --json"
    assert len(content["experiments"]) == 1


def test_quiet_prints_nothing(tiny, tmp_path):
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--quiet")
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "tiny" / "jobs.csv").exists()


def test_the_shipped_schema_is_the_one_that_the_program_prints():
    done = ina_sim.ina("schema")
    assert (done.returncode, done.stderr) == (0, "")
    shipped = (ina_sim.SCENARIOS / "scenario.schema.json").read_text()
    assert done.stdout == shipped, "renew it: ina-sim schema > scenarios/scenario.schema.json"


def test_the_systems_of_the_analysis_are_those_that_the_program_prints():
    listed = (ina_sim.REPOSITORY / "analysis/systems.json").read_text()
    assert ina_sim.ina("systems").stdout == listed, "renew them: ina-sim systems > analysis/systems.json"


def test_the_columns_of_the_reference_are_those_that_the_program_prints():
    sys.path.insert(0, str(ina_sim.SCENARIOS))
    import column_tables

    text = column_tables.PAGE.read_text()
    renewed = column_tables.with_tables(text, ina_sim.column_list())
    assert text == renewed, "renew them: ina-sim columns | python3 scenarios/column_tables.py"
    for table in ina_sim.column_list():
        assert f"<!-- columns of {table} -->\n" in text


def test_every_column_says_what_it_means():
    for table, columns in ina_sim.column_list().items():
        for column in columns:
            assert re.match("[A-Z`a-z]", column["help"]), (table, column)
            assert not re.search(r"[|\n]|\.$", column["help"]), (table, column)
        names = [column["name"] for column in columns]
        assert len(set(names)) == len(names), table


def test_something_is_shipped():
    assert len(SHIPPED) >= 10


@pytest.mark.parametrize(
    "path", SHIPPED, ids=lambda p: str(p.relative_to(ina_sim.SCENARIOS).with_suffix(""))
)
def test_validate_accepts_what_is_shipped(path):
    done = ina_sim.ina("validate", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(rf"{path.stem}: valid, (1 run|\d+ runs)\n", done.stdout)
    assert json.loads(path.read_text())["description"]


def test_validate_counts_the_runs(tiny):
    assert ina_sim.ina("validate", tiny, "--seeds", "1-3").stdout == "tiny: valid, 12 runs\n"
    one = ina_sim.ina("validate", tiny, "--set", "/sweep={}")
    assert one.stdout == "tiny: valid, 1 run\n"


def test_all_shipped_scenarios_have_folders_of_their_own():
    assert ina_sim.ina("validate", *SHIPPED).returncode == 0


@pytest.mark.parametrize("command", ["run", "validate"])
class TestRefused:
    def test_bad_scenario(self, command, tmp_path):
        bad = tmp_path / "bad.json"
        bad.write_text('{"jobs": {"workers": 33, "profile": "dnn-a"}}')
        done = ina_sim.ina(command, bad, cwd=tmp_path)
        assert_refused(done, "bad.json: /jobs/workers: ", "33", "32")
        assert list(tmp_path.iterdir()) == [bad]

    def test_missing_scenario(self, command, tmp_path):
        assert_refused(ina_sim.ina(command, tmp_path / "none.json"), "none.json")

    def test_a_bad_one_among_good_ones(self, command, tiny, tmp_path):
        done = ina_sim.ina(command, tiny, tmp_path / "none.json", cwd=tmp_path)
        assert_refused(done, "none.json")
        assert list(tmp_path.iterdir()) == []

    def test_unknown_option(self, command, tiny):
        assert_refused(ina_sim.ina(command, tiny, "--sed", "3"), "--sed")

    def test_set_of_an_unknown_key(self, command, tiny):
        assert_refused(ina_sim.ina(command, tiny, "--set", "/jobs/wokers=2"), "/jobs/wokers")

    def test_set_of_a_wrong_value(self, command, tiny):
        assert_refused(ina_sim.ina(command, tiny, "--set", "/topology/hosts=-1"), "/topology/hosts")

    def test_set_without_a_value(self, command, tiny):
        assert_refused(ina_sim.ina(command, tiny, "--set", "/topology/hosts"), "/topology/hosts")

    @pytest.mark.parametrize("seeds", ["0", "3-1", "1,1", "x", "1-"])
    def test_bad_seeds(self, command, tiny, seeds):
        assert_refused(ina_sim.ina(command, tiny, "--seeds", seeds), "tiny.json (--seeds): /seeds")

    def test_seeds_are_quoted_as_they_are(self, command, tiny):
        assert_refused(ina_sim.ina(command, tiny, "--seeds", '"1"'), r'found "\"1\"" (a string)')

    @pytest.mark.parametrize(
        "keys, words",
        [
            ({"/topology/hosts": 1}, "2 workers in 1 job, but the topology has 1 host;"),
            ({"/topology/parameter_servers": 1, "/jobs/count": 2},
             "2 jobs, but the topology has 1 parameter server;"),
        ],
    )  # fmt: skip
    def test_one_is_no_plural(self, command, tiny, keys, words):
        assert_refused(ina_sim.ina(command, tiny, *ina_sim.set_options(keys)), words)

    def test_same_file_twice(self, command, tiny):
        assert_refused(ina_sim.ina(command, tiny, tiny), "tiny")

    def test_no_file(self, command):
        assert_refused(ina_sim.ina(command), "FILE")


@pytest.mark.parametrize("processes", ["0", "-1", "two", "1025", "1-3", "2x", "1e1", "0x2", ""])
def test_bad_number_of_processes(tiny, tmp_path, processes):
    options = ["--out", tmp_path, "--parallel", processes]
    words = f'--parallel: found "{processes}"; allowed: a whole number from 1 to 1024'
    assert_refused(ina_sim.ina("run", tiny, *options), words)


def test_jobs_for_parallel_runs_is_refused_with_the_new_name(tiny, tmp_path):
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--jobs", 2)
    assert_refused(done, "ina: --jobs: no such option; allowed: --parallel N")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--seeds", "--out", "--json"])
def test_an_empty_option_is_refused(tiny, tmp_path, option):
    done = ina_sim.ina("run", tiny, option, "", cwd=tmp_path)
    assert_refused(done, f'ina: {option}: found ""; allowed: ')
    assert list(tmp_path.iterdir()) == []


def test_no_command():
    assert ina_sim.ina().returncode == 2


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["validate", "--help"]])
def test_help(arguments):
    done = ina_sim.ina(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "validate" in done.stdout or "--set" in done.stdout


@pytest.mark.parametrize("command", ["plan", "replay", "tables"])
def test_help_of_what_the_launcher_does_not_have(command):
    assert f"Usage: ina-sim {command} " in ina_sim.ina(command, "--help").stdout


def test_set_of_a_plain_key(tiny, tmp_path):
    folder = ina_sim.run(tiny, tmp_path, {"/jobs/workers": 1, "/topology/link/rate": "10Gbps"})
    assert {row["workers"] for row in ina_sim.rows(folder)} == {"1"}
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["points"][0]["scenario"]["topology"]["link"]["rate"] == "10Gbps"


def test_set_of_a_swept_key_removes_the_axis(tiny, tmp_path):
    folder = ina_sim.run(tiny, tmp_path, {"/jobs/count": 2})
    rows = ina_sim.rows(folder)
    assert "/jobs/count" not in rows[0]
    assert [(row["system"], row["job"]) for row in rows] == [
        ("atp", "0"), ("atp", "1"), ("dsa", "0"), ("dsa", "1"),
    ]  # fmt: skip
    axes = json.loads((folder / "manifest.json").read_text())["axes"]
    assert axes == [{"key": "/system", "values": ["atp", "dsa"]}]


def test_set_takes_the_whole_sweep_away(tiny, tmp_path):
    folder = ina_sim.run(tiny, tmp_path, {"/sweep": "{}", "/system": "switchml"})
    assert [row["system"] for row in ina_sim.rows(folder)] == ["switchml"]


def test_seeds(tiny, tmp_path):
    folder = ina_sim.run(tiny, tmp_path, {"/sweep": "{}"}, "--seeds", "2,5-6")
    assert [row["seed"] for row in ina_sim.rows(folder)] == ["2", "5", "6"]


def test_the_table_has_means_over_seeds(tiny, tmp_path):
    keys = {"/sweep": '{"/jobs/count": [2]}', "/system": "atp"}
    options = [*ina_sim.set_options(keys), "--seeds", "1-3", "--json", tmp_path / "table.json"]
    done = ina_sim.ina("run", tiny, "--out", tmp_path, *options)
    assert done.returncode == 0, done.stderr
    (experiment,) = ina_sim.experiments(tmp_path / "table.json")
    (row,) = experiment["rows"]
    rows = ina_sim.rows(tmp_path / "tiny")
    assert len(rows) == 6
    assert row["jct_ms"] == pytest.approx(sum(float(r["jct_us"]) for r in rows) / 6000)
    for column in ("packets_sent", "fallbacks", "preemptions", "retransmissions"):
        assert row[column] == pytest.approx(sum(int(r[column]) for r in rows) / 3)
    assert done.stdout.splitlines()[-2] == "means over 3 seeds"


def test_json_has_the_printed_table(tiny, tmp_path):
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--json", tmp_path / "table.json")
    (experiment,) = ina_sim.experiments(tmp_path / "table.json")
    assert experiment["name"] == "tiny"
    assert experiment["folder"] == str(tmp_path / "tiny")
    header, *lines = done.stdout.splitlines()
    assert header.split()[:4] == ["/jobs/count", "system", "JCT", "ms"]
    assert lines[-1] == f"results: {tmp_path / 'tiny'}"
    for line, row in zip(lines, experiment["rows"], strict=False):
        assert line.split()[:3] == [
            row["labels"]["/jobs/count"], row["system"], f"{row['jct_ms']:.5f}",
        ]  # fmt: skip
    means = [float(row["jct_us"]) / 1000 for row in ina_sim.rows(tmp_path / "tiny")]
    assert experiment["rows"][0]["jct_ms"] == pytest.approx(means[0])
    assert experiment["rows"][1]["jct_ms"] == pytest.approx((means[1] + means[2]) / 2)
    assert experiment["rows"][2]["ratio_to_baseline"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("variants", "sweep", "base"),
    [
        ({"slots": {"system": "switchml"}, "DSA": {}}, {}, [1, 1]),
        ({"slots": {"system": "switchml"}, "mine": {}}, {}, [None, None]),
        ({"P": {}, "Q": {"jobs": {"workers": 1}}}, {"/system": ["atp", "dsa"]}, [1, 1, 3, 3]),
    ],
)
def test_variants_are_compared_with_that_named_dsa_or_each_with_its_dsa(
    tiny, tmp_path, variants, sweep, base
):
    keys = {"/variants": json.dumps(variants), "/sweep": json.dumps(sweep)}
    table = tmp_path / "table.json"
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--json", table, *ina_sim.set_options(keys))
    assert done.stdout.splitlines()[0].split()[:2] == ["variant", "system"]
    rows = ina_sim.experiments(table)[0]["rows"]
    runs = len(sweep.get("/system", [1]))
    assert [row["variant"] for row in rows] == [name for name in variants for _ in range(runs)]
    for row, of in zip(rows, base, strict=True):
        expected = None if of is None else pytest.approx(row["jct_ms"] / rows[of]["jct_ms"])
        assert row["ratio_to_baseline"] == expected


@pytest.mark.parametrize(
    ("baseline", "key", "variants", "sweep", "base"),
    [
        ("atp", "/system", {}, {"/system": ["atp", "dsa"], "/jobs/count": [1, 2]}, [0, 1, 0, 1]),
        ("few slots", "/variants", {"few slots": {"system": "switchml"}, "DSA": {}}, {}, [0, 0]),
        ("atp", "/system", {"P": {}, "DSA": {}}, {"/system": ["atp", "dsa"]}, [0, 0, 2, 2]),
        ("Q", "/variants", {"P": {}, "Q": {}}, {"/system": ["atp", "dsa"]}, [2, 3, 2, 3]),
        ("dsa", "/variants", {"P": {}, "dsa": {}}, {"/system": ["atp", "dsa"]}, [2, 3, 2, 3]),
    ],
)
def test_ratios_are_to_the_baseline_of_the_scenario_which_the_header_and_the_manifest_name(
    tiny, tmp_path, baseline, key, variants, sweep, base
):
    slower = {"topology": {"link": {"rate": "50Gbps"}}}
    variants = {name: slower if name == "P" else own for name, own in variants.items()}
    keys = {"/variants": json.dumps(variants), "/sweep": json.dumps(sweep), "/baseline": baseline}
    table = tmp_path / "table.json"
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--json", table, *ina_sim.set_options(keys))
    assert done.returncode == 0, done.stderr
    assert f"  to {baseline}  " in done.stdout.splitlines()[0]
    manifest = json.loads((tmp_path / "tiny" / "manifest.json").read_text())
    assert manifest["baseline"] == {"key": key, "value": baseline}
    rows = ina_sim.experiments(table)[0]["rows"]
    for row, of in zip(rows, base, strict=True):
        assert row["ratio_to_baseline"] == pytest.approx(row["jct_ms"] / rows[of]["jct_ms"])


def test_without_a_baseline_the_table_has_dashes_and_the_manifest_null(tiny, tmp_path):
    keys = {"/variants": '{"P": {}, "Q": {}}', "/sweep": "{}"}
    done = ina_sim.ina("run", tiny, "--out", tmp_path, *ina_sim.set_options(keys))
    header, *rows = done.stdout.splitlines()[:3]
    column = header.index("  to -  ") + len("  to ")
    assert [row[column] for row in rows] == ["-", "-"]
    assert json.loads((tmp_path / "tiny" / "manifest.json").read_text())["baseline"] is None


def test_a_baseline_that_is_no_line_is_refused(tiny, tmp_path):
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--set", "/baseline=tcp")
    assert_refused(done, '/baseline: found "tcp" (a string); allowed: "atp", "dsa"')


def test_percentiles_of_the_jct_are_over_the_jobs_of_all_seeds(tiny, tmp_path):
    table = tmp_path / "table.json"
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--seeds", "1-3", "--json", table)
    assert re.search("JCT ms +p50 ms +p95 ms +p99 ms ", done.stdout.splitlines()[0])
    (experiment,) = ina_sim.experiments(table)
    for row in experiment["rows"]:
        jcts = [
            float(job["jct_us"]) / 1000
            for job in ina_sim.rows(tmp_path / "tiny")
            if (job["system"], job["/jobs/count"]) == (row["system"], row["labels"]["/jobs/count"])
        ]
        assert len(jcts) == 3 * int(row["labels"]["/jobs/count"])
        for percent in (50, 95, 99):
            assert row[f"jct_p{percent}_ms"] == pytest.approx(numpy.percentile(jcts, percent))


def test_without_a_second_job_or_iteration_the_table_shows_the_jct_alone(tiny, tmp_path):
    table = tmp_path / "table.json"
    keys = {"/jobs/count": 1}
    done = ina_sim.ina(
        "run", tiny, "--out", tmp_path, "--json", table, *ina_sim.set_options(keys)
    )
    assert done.stdout.splitlines()[0].split()[:4] == ["system", "JCT", "ms", "to"]
    for row in ina_sim.experiments(table)[0]["rows"]:
        assert row["jct_ms"] == row["jct_p50_ms"] == row["jct_p99_ms"] == row["iteration_ms"]


def test_a_jct_of_microseconds_has_four_digits(tiny, tmp_path):
    table = tmp_path / "table.json"
    profile = json.dumps({"name": "little", "partition_bytes": "10kB", "layers": [{"parameters": 5}]})
    keys = {"/jobs/count": 1, "/jobs/profile": profile, "/topology/link": json.dumps({"delay": "10ns"})}
    keys |= {"/jobs/jitter": json.dumps({"uniform": ["0us", "0us"]})}
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--json", table, *ina_sim.set_options(keys))
    assert done.returncode == 0, done.stderr
    printed = [line.split()[1] for line in done.stdout.splitlines()[1:3]]
    times = [row["jct_ms"] for row in ina_sim.experiments(table)[0]["rows"]]
    assert max(times) < 0.01
    for text, time in zip(printed, times, strict=True):
        assert len(text.partition(".")[2].lstrip("0")) >= 4
        assert float(text) == pytest.approx(time, rel=5e-4)


def test_counts_of_a_column_are_all_whole_or_all_means(tiny, tmp_path):
    done = ina_sim.ina("run", tiny, "--out", tmp_path, "--seeds", "1-3")
    lines = [line.split() for line in done.stdout.splitlines()[:5]]
    from_the_end = len(lines[1]) - 4  # the last columns: packets, fallbacks, preemptions, resent
    for column in range(from_the_end, len(lines[1])):
        decimals = {len(line[column].partition(".")[2]) for line in lines[1:]}
        assert len(decimals) == 1


def test_the_period_of_an_iteration_stands_beside_the_jct(tiny, tmp_path):
    table = tmp_path / "table.json"
    keys = {"/jobs/count": 1, "/jobs/iterations": 4}
    done = ina_sim.ina(
        "run", tiny, "--out", tmp_path, "--json", table, *ina_sim.set_options(keys)
    )
    assert re.match(" *system +JCT ms +iteration ms +to dsa ", done.stdout)
    for row, job in zip(
        ina_sim.experiments(table)[0]["rows"], ina_sim.rows(tmp_path / "tiny"), strict=True
    ):
        assert row["jct_ms"] == pytest.approx(float(job["jct_us"]) / 1000)
        assert row["iteration_ms"] == pytest.approx(float(job["iteration_mean_us"]) / 1000)
        assert row["jct_ms"] == pytest.approx(4 * row["iteration_ms"])


def test_plan_says_what_each_run_needs(tiny):
    done = ina_sim.ina("plan", tiny, "--seeds", "1-3")
    assert (done.returncode, done.stderr) == (0, "")
    (plan,) = json.loads(done.stdout)
    assert plan["name"] == "tiny"
    assert plan["baseline"] == {"key": "/system", "value": "dsa"}
    assert [(run["seed"], run["point"]) for run in plan["runs"]] == [
        (seed, point) for seed in (1, 2, 3) for point in range(4)
    ]
    for run in plan["runs"]:
        assert run["system"] == run["scenario"]["system"]
        assert len(run["cluster"]["jobs"]) == int(run["swept"]["/jobs/count"])


def test_plan_has_swept_quantities_as_numbers(tiny):
    done = ina_sim.ina("plan", tiny, "--set", '/sweep={"/topology/link/rate": ["10Gbps"]}')
    (plan,) = json.loads(done.stdout)
    assert plan["axes"][0]["numbers"] == {"column": "rate_bps", "values": [10**10]}
    assert plan["runs"][0]["swept_numbers"] == {"rate_bps": 10**10}


@pytest.mark.parametrize("place", ["hosts=[0, 0]", 'server="ps1"', 'server=["ps0", "host0"]'])
@pytest.mark.parametrize("command", [["plan"], ["replay", "--journal", "none", "--point", "0"]])
def test_places_that_are_shared_are_not_for_real_packets(tiny, command, place):
    done = ina_sim.ina(*command, tiny, "--set", f"/jobs/{place}")
    assert done.returncode == 2
    assert done.stderr.endswith(
        "/jobs: found several workers or parameter servers on one host; allowed on real packets: one per host\n"
    )


def test_a_plan_has_the_servers_of_each_job_wherever_they_are(tiny):
    servers = '/jobs/server=["ps1", "host3"]'
    cluster = planned(tiny, "atp", "--set", servers)
    hosts = len(cluster["topology"]["hosts"]) - cluster["topology"]["parameter_servers"]
    assert [job["servers"] for job in cluster["jobs"]] == [[hosts + 1, 3]]


def test_a_plan_has_the_hosts_that_jobs_name(tiny):
    done = ina_sim.ina("plan", tiny, "--set", "/jobs/hosts=[3, 1]", "--set", '/sweep={"/system": ["atp"]}')
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["runs"][0]["cluster"]["jobs"][0]["workers"] == [3, 1]


def planned(tiny, system, *arguments):
    keys = ina_sim.set_options({"/system": system, "/jobs/count": 1, "/switchml/slots": 3000})
    done = ina_sim.ina("plan", tiny, *keys, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[0]["runs"][0]["cluster"]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"/topology": {"type": "rail"}}, '/topology/type: found "rail"; allowed on real packets: "star"'),
        ({"/topology/links": [{"link": "host0"}]}, "/topology/links: found settings of links"),
        ({"/topology/uplink/delay_spread": "60ns"}, "/topology/uplink/delay_spread: found 60ns; allowed on real packets: at most 50ns"),
        ({"/topology/host/preset": "switchml"}, "/topology/host: found times of packets; allowed on real packets: none"),
        ({"/topology/server/per_byte": "1ps"}, "/topology/server: found times of packets; allowed on real packets: none"),
        (
            {"/system": "ring", "/ring/values_per_packet": 2238},
            "/ring/values_per_packet: found 2238, which make frames of 9014 bytes; allowed on real packets: "
            "frames of at most 1516 bytes",
        ),
        (
            {
                "/faults/nodes": [
                    {"fault": "link_fails", "at": "1ms", "duration": "1ms", "link": "host0"}
                ]
            },
            '/faults/nodes/0/fault: found "link_fails"; allowed on real packets: faults of workers',
        ),
    ],
)
def test_plan_refuses_what_processes_on_real_packets_cannot_do(tiny, keys, words):
    done = ina_sim.ina(
        "plan", tiny, *ina_sim.set_options({key: json.dumps(keys[key]) for key in keys})
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


def test_the_longest_frame_on_real_packets_fills_the_mtu_of_the_testbed():
    assert MTU + ETHERNET_BYTES == 1516


LIMITS = ("--least-timeout", "30ms", "--most-packets", "70")
TIMEOUTS = {
    "switchml": ["rto"],
    "atp": ["min_rto", "request_timeout"],
    "dsa": ["min_rto", "reminder_min_timeout"],
    "ps": ["min_rto", "request_timeout"],
}


@pytest.mark.parametrize("system", TIMEOUTS)
def test_a_plan_has_the_settings_of_its_system_and_keeps_within_limits(tiny, system):
    free = planned(tiny, system)
    assert (free["format"], free["system"]) == (9, system)
    limited = planned(tiny, system, *LIMITS)
    changed = {key: "30ms" for key in TIMEOUTS[system]}
    windows = ["slots"] if system == "switchml" else ["initial_window_packets", "max_window_packets"]
    changed |= {key: 70 for key in windows}
    assert all(free["settings"][key] != value for key, value in changed.items())
    assert limited == free | {"settings": free["settings"] | changed}


def test_a_fixed_time_out_outlasts_the_windows_of_all_workers(tiny):
    limited = planned(tiny, "switchml", "--least-timeout", "30ms", "--most-packets", "2000")
    workers = len(limited["jobs"][0]["workers"])
    assert limited["settings"]["rto"] == f"{2000 * workers * 50 // 1000}ms"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (LIMITS[:2], "--least-timeout requires --most-packets"),
        (LIMITS[2:], "--most-packets requires --least-timeout"),
        (("--least-timeout", "30", *LIMITS[2:]), '"30", no unit; allowed: a time such as 20ms'),
        ((*LIMITS[:2], "--most-packets", "0"), "--most-packets"),
    ],
)
def test_limits_are_refused(tiny, arguments, words):
    done = ina_sim.ina("plan", tiny, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


def test_plan_names_each_direction_of_the_links_with_faults(tiny):
    links = [{"link": "host1", "loss": 0.5}, {"link": "all", "direction": "to_switch", "loss": 0.1}]
    done = ina_sim.ina("plan", tiny, "--set", "/time_limit=60s", "--set", f"/faults={json.dumps({'links': links})}")
    faults = json.loads(done.stdout)[0]["runs"][0]["cluster"]["faults"]
    assert [(fault["host"], fault["direction"]) for fault in faults] == [
        (1, "to_switch"),
        (1, "from_switch"),
        (0, "to_switch"),
        (1, "to_switch"),
        (4, "to_switch"),  # the parameter server
    ]
    assert len({fault["seed"] for fault in faults}) == len(faults)

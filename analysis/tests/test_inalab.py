# SPDX-License-Identifier: BSD-3-Clause
"""The package inalab: scenarios, runs and results in Python behave like the commands, with the same messages."""

import gc
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import inalab
import matplotlib
import numpy
import pandas
import pytest
from inalab import progress
from matplotlib import pyplot

from analysis.__main__ import main
from analysis.tests.plots import numbers_of

ROOT = Path(__file__).resolve().parents[2]
SIMULATOR = os.environ["INA_SIM"]
TINY = ROOT / "tests" / "cli" / "tiny.json"
SLOW = ROOT / "tests" / "cli" / "slow.json"
TABLES = ("jobs.csv", "iterations.csv", "switch.csv", "links.csv")
PATIENCE_S = 600


def tiny():
    """A scenario of four very short runs."""
    return inalab.Scenario.read(TINY)


def simulator(*arguments):
    return subprocess.run([SIMULATOR, *map(str, arguments)], capture_output=True, text=True, check=False)


def refusal(function, *arguments, **options):
    with pytest.raises(inalab.Error) as caught:
        function(*arguments, **options)
    return str(caught.value), caught.value.status


@pytest.fixture
def own_tmp(tmp_path, monkeypatch):
    """The folder of temporary files, with nothing in it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


# Scenarios


@pytest.mark.parametrize(("key", "value"), [
    ("/jobs/workers", 80), ("/nothing", 1), ("no pointer", 1), ("/switch/memory_bytes", "1 MB"),
    ("/jobs/0/workers", 2), ("/system/name", "dsa"), ("/sweep", {"/nothing": [1]}),
])  # fmt: skip
def test_set_refuses_what_the_command_refuses_in_its_words_and_changes_nothing(key, value):
    scenario = tiny()
    before = json.dumps(scenario)
    done = simulator("validate", TINY, f"--set={key}={json.dumps(value)}")
    words = done.stderr.strip().removeprefix("ina: ")
    for file in (f"{TINY} (--set): ", f"{TINY}: "):
        words = words.removeprefix(file)
    assert refusal(scenario.set, key, value) == (words, 2)
    assert json.dumps(scenario) == before


def test_set_gives_a_value_and_takes_the_axis_of_the_sweep_away():
    scenario = tiny()
    assert (scenario["sweep"]["/jobs/count"], scenario.check()) == ([1, 2], 4)
    assert scenario.set("/jobs/count", 2) is scenario
    assert (scenario["jobs"]["count"], scenario.check()) == (2, 2)
    assert "/jobs/count" not in scenario["sweep"]


def test_sweeps_and_variants_multiply_the_runs():
    scenario = tiny().set("/sweep", {})
    assert scenario.check() == 1
    scenario.sweep("/jobs/count", numpy.arange(1, 3)).sweep("/switch/memory_bytes", ("1MB", "2MB"))
    assert scenario.check() == 4
    scenario.variant("A", {"system": "atp"}).variant("B", {"system": "dsa", "dsa": {"policy": "fcfs"}})
    assert scenario.check() == 8
    assert scenario["sweep"] == {"/jobs/count": [1, 2], "/switch/memory_bytes": ["1MB", "2MB"]}


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), object()])
def test_a_value_that_json_does_not_have_is_refused(value):
    message, status = refusal(tiny().set, "/jobs/count", value)
    assert message.startswith("/jobs/count: ") and message.endswith("allowed: a value of JSON")
    assert status == 2


def test_direct_changes_are_checked_before_a_run():
    scenario = tiny()
    scenario["jobs"]["workers"] = 80
    expected = (
        "/jobs/workers: found 80 workers in 1 job, but the topology has 4 hosts; allowed: at most one "
        "worker per host (with /system=atp)"
    )
    for function in (scenario.check, lambda: inalab.run(scenario)):
        message, status = refusal(function)
        assert (message.split(" (with")[0], status) == (expected.split(" (with")[0], 2)


def test_a_copy_is_independent():
    scenario = tiny()
    other = scenario.copy().set("/jobs/workers", 1)
    other["topology"]["hosts"] = 8
    assert (scenario["jobs"]["workers"], scenario["topology"]["hosts"]) == (2, 4)
    assert isinstance(other, inalab.Scenario)


def test_a_file_is_read_with_what_it_extends_and_its_paths_hold_in_any_folder(tmp_path, monkeypatch):
    below = tmp_path / "below"
    below.mkdir()
    profile = {"name": "own", "partition_bytes": "10kB", "layers": [{"parameters": 5000}]}
    (below / "own.json").write_text(json.dumps(profile))
    base = {"name": "base", "jobs": {"profile": "own.json", "workers": 2}, "topology": {"hosts": 4}}
    (below / "base.json").write_text(json.dumps(base))
    (tmp_path / "top.json").write_text('{"extends": "below/base.json", "jobs": {"count": 2}}')
    scenario = inalab.Scenario.read(tmp_path / "top.json")
    monkeypatch.chdir("/")
    results = inalab.run(scenario)
    assert results.name == "top"
    assert set(results.jobs["profile"]) == {"own"}
    assert len(results.jobs) == 2


def test_a_relative_path_that_is_set_is_relative_to_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "own.json").write_text('{"layers": [{"parameters": 5000}]}')
    monkeypatch.chdir(tmp_path)
    scenario = tiny().set("/jobs/profile", "own.json")
    monkeypatch.chdir("/")
    assert scenario.check() == 4


def test_a_file_that_is_no_scenario_is_refused_with_its_name(tmp_path):
    file = tmp_path / "broken.json"
    file.write_text("{")
    assert refusal(inalab.Scenario.read, file)[0] == simulator("validate", file).stderr.strip().removeprefix("ina: ")


# Runs


def test_a_run_gives_the_tables_of_the_command(tmp_path):
    results = inalab.run(tiny(), out=tmp_path / "python", parallel=1)
    assert simulator("run", TINY, "--out", tmp_path / "command").returncode == 0
    assert results.folder == tmp_path / "python" / "tiny"
    for table in TABLES:
        ours, theirs = (tmp_path / way / "tiny" / table for way in ("python", "command"))
        assert ours.read_bytes() == theirs.read_bytes()


def test_a_dict_is_a_scenario():
    assert len(inalab.run(dict(tiny())).jobs) == len(inalab.run(tiny()).jobs) == 6


def test_results_without_a_place_live_as_long_as_their_object(own_tmp):
    results = inalab.run(tiny())
    jobs = results.jobs
    assert [path.name for path in own_tmp.iterdir()] == [results.folder.parent.name]
    del results
    gc.collect()
    assert list(own_tmp.iterdir()) == []
    assert len(jobs) == 6


def test_finished_runs_are_not_run_again(tmp_path):
    inalab.run(tiny(), out=tmp_path)
    points = sorted((tmp_path / "tiny" / "points").rglob("*.csv"))
    before = [path.stat().st_mtime_ns for path in points]
    assert len(inalab.run(tiny(), out=tmp_path).jobs) == 6
    assert points and [path.stat().st_mtime_ns for path in points] == before


def test_a_folder_of_other_runs_is_refused_as_by_the_command(tmp_path):
    inalab.run(tiny(), out=tmp_path)
    message, status = refusal(inalab.run, tiny().set("/jobs/workers", 1), out=tmp_path)
    assert message.startswith("--out: ") and status == 2


@pytest.mark.parametrize("parallel", [0, "many"])
def test_a_wrong_number_of_parallel_runs_is_refused_by_the_simulator(parallel):
    message, status = refusal(inalab.run, tiny(), parallel=parallel)
    assert "--parallel" in message and status == 2


def test_a_run_that_fails_raises_what_the_simulator_says_and_leaves_nothing(own_tmp):
    scenario = tiny().set("/time_limit", "1us")
    message, status = refusal(inalab.run, scenario)
    assert "/time_limit: not done after 1us of simulated time" in message
    assert status == 3
    assert list(own_tmp.iterdir()) == []


def test_without_a_simulator_one_line_names_it(monkeypatch):
    monkeypatch.setenv("INA_SIM", "/nonexistent/ina-sim")
    assert refusal(tiny) == ("/nonexistent/ina-sim: No such file or directory", 4)


def test_a_thread_runs_scenarios():
    found = []
    thread = threading.Thread(target=lambda: found.append(inalab.run(tiny())))
    thread.start()
    thread.join()
    assert len(found[0].jobs) == 6


INTERRUPTED = """
import sys, inalab
print("begun", flush=True)
try:
    scenario = inalab.Scenario.read(sys.argv[1]).set("/jobs/iterations", 1000)
    inalab.run(scenario, **eval(sys.argv[2]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("is_kept", [False, True])
def test_an_interrupt_ends_all_processes_and_leaves_nothing_half_written(own_tmp, tmp_path, is_kept):
    out = tmp_path / "kept"
    options = {"out": str(out)} if is_kept else {}
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, SLOW, repr(options)], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "analysis")}, start_new_session=True,
    ) as python:  # fmt: skip
        wait_for(lambda: any((out if is_kept else own_tmp).glob("**/points")))
        python.send_signal(signal.SIGINT)
        assert python.communicate(timeout=PATIENCE_S)[0] == "begun\ninterrupted\n"
    with pytest.raises(ProcessLookupError):
        os.killpg(python.pid, 0)
    assert list(own_tmp.iterdir()) == []
    finished = {path.parent for path in out.rglob("manifest.json")}
    assert {path.parent for path in out.rglob("*.csv")} <= finished
    assert out / "slow" not in finished


def wait_for(condition):
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


class Terminal:
    def __init__(self, is_one):
        self.is_one, self.text = is_one, ""

    def isatty(self):
        return self.is_one

    def write(self, text):
        self.text += text

    def flush(self):
        """Does nothing, because nothing is buffered."""


LINES = [
    "ina: tiny:  12.5 %  0/4 runs  at 0.100 ms  3.0 M packet-hops/s  7 s left\n",
    "ina: tiny:  75.0 %  3/4 runs  at 0.100 ms  3.0 M packet-hops/s  1 s left\n",
    "ina: run 3 failed: at 7 %  of all\n",
]


def shown(monkeypatch, is_terminal, is_shown):
    terminal = Terminal(is_terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with progress.Progress(is_shown) as found:
        found.read(LINES)
    assert found.messages == ["run 3 failed: at 7 %  of all"]
    return terminal.text, found.options


def test_a_terminal_shows_a_bar_and_a_log_the_simulators_lines(monkeypatch):
    text, options = shown(monkeypatch, is_terminal=True, is_shown=True)
    assert "\rtiny:  12 %|" in text and "| 3/4 runs, " in text and "\n" not in text
    assert options != []
    assert shown(monkeypatch, is_terminal=False, is_shown=True) == ("".join(LINES[:2]), [])
    for is_terminal in (False, True):
        assert shown(monkeypatch, is_terminal, is_shown=False) == ("", [])


def test_the_bar_understands_the_simulator(tmp_path):
    done = simulator("run", TINY, "--out", tmp_path, "--progress-interval", 0)
    steps = [progress.LINE.match(line) for line in done.stderr.splitlines()]
    assert steps and all(steps)
    assert {step["name"] for step in steps} == {"tiny"}
    assert all(step["runs"].endswith("/4 runs") for step in steps)


# Results


def test_means_with_intervals_are_those_of_plot(result_folder):
    folder = result_folder()
    points = numbers_of(folder, "jct")["points"]
    jct = inalab.load(folder).jct()
    assert len(jct) == len(points) == 12
    for row, point in zip(jct.to_dict("records"), points):
        assert row["jct_low_ms"] < row["jct_ms"] < row["jct_high_ms"]
        assert (row["/jobs/count"], row["system"]) == (int(point["/jobs/count"]), point["system"])
        for name in ("jct_ms", "jct_low_ms", "jct_high_ms", "jct_ratio", "seeds", "jobs", "failed_jobs"):
            assert row[name] == point[name]


def test_another_baseline_is_divided_by(result_folder):
    jct = inalab.load(result_folder()).jct(baseline="atp")
    assert set(jct[jct["system"] == "atp"]["jct_ratio"]) == {1.0}
    assert (jct[jct["system"] == "dsa"]["jct_ratio"] < 1).all()


def test_swept_numbers_are_numbers_and_quantities_have_a_column_of_numbers(result_folder):
    axes = {"/switch/memory_bytes": ["500kB", "5MB"], "/jobs/count": [1, 2]}
    numbers = {"/switch/memory_bytes": ("memory_bytes", [500_000, 5_000_000])}
    results = inalab.load(result_folder(axes=axes, numbers=numbers))
    tables = (results.jobs, results.iterations, results.switch, results.links)
    for frame in (*tables, results.jct(), results.breakdown()):
        assert set(zip(frame["/switch/memory_bytes"], frame["memory_bytes"])) == {
            ("500kB", 500_000), ("5MB", 5_000_000),
        }  # fmt: skip
        assert set(frame["/jobs/count"]) == {1, 2}


def test_tables_have_numbers_as_numbers(result_folder):
    results = inalab.load(result_folder())
    columns = {
        "jobs": {"jct_us", "iteration_mean_us"}, "iterations": {"period_us", "compute_us"},
        "switch": {"time_us", "occupied_aggregators"}, "links": {"frames_sent"},
    }  # fmt: skip
    for name, numeric in columns.items():
        frame = getattr(results, name)
        assert len(frame) > 0
        assert numeric | {"point", "seed", "/jobs/count"} <= set(frame.select_dtypes("number"))
    assert set(results.links["link"]) == {"host0>switch", "switch>host0"}
    assert results.name == "synthetic"


def test_unknown_numbers_are_nan(result_folder):
    results = inalab.load(result_folder(fails=lambda values, system: system == "atp"))
    failed = results.jobs["status"] == "killed"
    assert failed.any()
    assert (results.jobs["jct_us"].isna() == failed).all()
    assert pandas.api.types.is_float_dtype(results.iterations["recovery_us"])


def test_a_table_that_the_run_did_not_write_is_refused(result_folder):
    folder = result_folder()
    (folder / "links.csv").write_text("changed\n")
    results = inalab.load(folder)
    message, status = refusal(lambda: results.links)
    assert "links.csv: found the CRC" in message and status == 2


def test_parts_of_an_iteration_add_up_to_it(result_folder):
    parts = inalab.load(result_folder()).breakdown()
    columns = [column for column in parts if column.endswith("_us") and column != "period_us"]
    assert len(columns) == 10
    assert parts[columns].sum(axis=1).to_numpy() == pytest.approx(parts["period_us"].to_numpy())


def test_every_column_of_a_time_or_a_size_ends_with_its_unit():
    results = inalab.run(tiny().set("/outputs", {"link_interval": "1us", "occupation": True}))
    for name in ("jobs", "iterations", "links", "switch", "link_series", "occupation"):
        columns = [column for column in getattr(results, name) if not column.startswith("/")]
        words = ("time", "period", "span", "jct", "start", "end", "busy", "wait", "held", "bytes")
        timed = [column for column in columns if set(column.split("_")) & set(words)]
        assert timed != [] and all(column.split("_")[-1] in ("us", "bytes", "sent", "received") for column in timed)


def test_a_table_that_was_not_asked_for_is_refused_with_the_key_that_asks_for_it(result_folder):
    results = inalab.load(result_folder())
    message, status = refusal(lambda: results.flows)
    assert message.endswith("flows.csv: no such table; allowed: results of a scenario with /traffic/flows")
    assert status == 2


def test_a_figure_is_returned_and_pyplot_is_left_as_it_was(result_folder):
    results = inalab.load(result_folder())
    looks = dict(matplotlib.rcParams)
    for kind in (None, "jct", "cdf", "occupancy", "breakdown"):
        figure = results.plot(kind)
        assert isinstance(figure, matplotlib.figure.Figure) and figure.axes
    assert results.plot(x="system", spread="range").axes
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == looks


def test_all_pages_of_all_figures_are_there(result_folder):
    axes = {"/a": [1, 2], "/b": list(range(13))}
    results = inalab.load(result_folder(axes=axes, iterations=2))
    found = results.figures(x="/a")
    assert list(found) == ["jct", "iteration"]
    assert {len(pages) for pages in found.values()} == {2}


@pytest.mark.parametrize(("kind", "options"), [
    (None, {"x": "/nothing"}), ("cdf", {"spread": "range"}), ("nothing", {}), ("links", {"lines": "system"}),
    ("cdf", {"only": "system=nothing"}), ("breakdown", {"baseline": "dsa"}),
])  # fmt: skip
def test_a_figure_is_refused_in_the_words_of_the_command(result_folder, capsys, kind, options):
    folder = result_folder()
    command = ["breakdown"] if kind == "breakdown" else ["plot", *([f"--kind={kind}"] if kind else [])]
    command += [f"--{name}={value}" for name, value in options.items()]
    assert main([*command, str(folder)]) == 2
    words = capsys.readouterr().err.strip().removeprefix("ina: ")
    assert refusal(inalab.load(folder).plot, kind, **options) == (words, 2)


def test_options_that_write_files_and_time_lines_are_refused(result_folder):
    results = inalab.load(result_folder())
    assert "allowed: x, baseline, ratio" in refusal(results.plot, out="figures")[0]
    assert "allowed: a file of ina trace" in refusal(results.plot, "gantt")[0]


@pytest.mark.parametrize("statistical", [False, True])
def test_a_comparison_is_that_of_the_command(result_folder, capsys, statistical):
    folders = result_folder("a"), result_folder("b", scale=1.1)
    option = ["--statistical"] * statistical
    assert main(["compare", *map(str, folders), *option]) == 1
    found = inalab.load(folders[0]).compare(inalab.load(folders[1]), statistical=statistical)
    assert f"{found}\n" == capsys.readouterr().out
    assert found.verdict == "different"
    assert found.table["ratio"].to_numpy() == pytest.approx([1.1] * 12)
    assert inalab.load(folders[0]).compare(inalab.load(folders[0])).verdict == "same"


def test_a_folder_without_results_is_refused(tmp_path):
    assert refusal(inalab.load, tmp_path / "none") == (f"{tmp_path / 'none'}: no such folder", 2)


# The import and the README


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    text = (ROOT / "analysis" / "README.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code, names)
    assert "jct_us" in capsys.readouterr().out
    assert names["results"].folder == tmp_path / "results" / "scenario"
    assert len(names["results"].jct()) == 6


def python(code, cwd, *paths):
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, text=True, capture_output=True, check=False,
        env=os.environ | {"PYTHONPATH": ":".join(map(str, paths))},
    )  # fmt: skip


def test_the_path_of_the_package_suffices_and_hides_no_other_package(tmp_path):
    (tmp_path / "markdown.py").write_text("mine = True")
    done = python("import inalab, markdown; markdown.mine", "/", ROOT / "analysis", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_module_of_the_user_with_the_name_of_ours_is_not_taken_for_it(tmp_path):
    (tmp_path / "analysis.py").write_text("raise RuntimeError")
    done = python("import inalab", tmp_path, ROOT / "analysis")
    assert (done.returncode, done.stderr) == (0, "")

# SPDX-License-Identifier: BSD-3-Clause
"""The output of ina run --estimate, compared with the cost of runs."""

import json
import re

import ina_sim
import pytest

LINE = re.compile(
    r"(?P<name>\S+): (?P<runs>\d+) runs?, (?P<hops>[\d.]+) million packet-hops, up to "
    r"(?P<megabytes>[\d.]+) MB of memory at a time each, (?P<disk>[\d.]+) MB of disk, about (?P<time>[\d.]+ (s|min|h)) with "
    r"\d+ at a time(?P<rest>.*)\n"
)
FACTOR = 1.5


def estimate(scenario, *arguments):
    done = ina_sim.ina("run", scenario, "--estimate", *arguments)
    assert done.returncode == 0, done.stderr
    return LINE.fullmatch(done.stdout), done.stderr


def test_runs_that_end_at_once_are_counted_exactly_and_nothing_is_written(tiny, tmp_path):
    said, _ = estimate(tiny, "--seeds", "1-2", "--out", tmp_path / "out")
    assert list(tmp_path.glob("out*")) == []
    folder = ina_sim.run(tiny, tmp_path, {}, "--seeds", "1-2")
    points = json.loads((folder / "manifest.json").read_text())["points"]
    of_first_seed = sum(point["packet_hops"] for point in points if point["seed"] == 1)
    assert said["runs"] == "8" == str(len(points))
    assert float(said["hops"]) == pytest.approx(2 * of_first_seed / 1e6, rel=0.01)
    largest = max(point["peak_resident_bytes"] for point in points) / 1e6
    assert largest / FACTOR < float(said["megabytes"]) < largest * FACTOR


def test_of_long_runs_the_beginning_says_the_packet_hops_of_all():
    values, workers, values_per_packet, seeds = 600_000_000, 8, 64, 8
    said, _ = estimate(
        ina_sim.SCENARIOS.parent / "tests" / "cli" / "slow.json",
        *ina_sim.set_options({
            "/jobs/profile/layers/0/parameters": values,
            "/jobs/profile/partition_bytes": "240MB",
            "/switchml/values_per_packet": values_per_packet,
        }),
        "--seeds", f"1-{seeds}",
    )  # fmt: skip
    each_way = values / values_per_packet * workers * seeds
    assert said["runs"] == str(seeds)
    assert float(said["hops"]) > 1000  # without an exponent
    assert 2 * each_way / FACTOR < 1e6 * float(said["hops"]) < 2 * each_way * FACTOR


def test_the_manual_shows_what_the_quickstart_gives():
    """All figures except the time, which is that of another machine."""
    text = (ina_sim.REPOSITORY / "docs/how-to/run-a-sweep.md").read_text(encoding="utf-8")
    shown = LINE.search(text)
    said, _ = estimate(ina_sim.SCENARIOS / "quickstart.json")
    assert [shown["name"], shown["runs"]] == [said["name"], said["runs"]]
    for number in ("hops", "megabytes", "disk"):
        assert float(shown[number]) == pytest.approx(float(said[number]), rel=0.2)


def test_of_a_shipped_scenario_it_is_within_the_factor(tmp_path):
    """The memory of this scenario grows until the end of its runs, and the estimate runs only their beginnings."""
    scenario = ina_sim.SCENARIOS / "real" / "vgg16-resnet50.json"
    said, _ = estimate(scenario)
    folder = ina_sim.run(scenario, tmp_path, {})
    points = json.loads((folder / "manifest.json").read_text())["points"]
    hops = sum(point["packet_hops"] for point in points) / 1e6
    megabytes = max(point["peak_resident_bytes"] for point in points) / 1e6
    assert int(said["runs"]) == len(points)
    assert hops / FACTOR < float(said["hops"]) < hops * FACTOR
    assert megabytes / FACTOR < float(said["megabytes"]) < megabytes * FACTOR


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("keys", [{}, {"/outputs/pcap": "true"}, {"/outputs/link_interval": "1us"}])
def test_disk_is_what_the_folder_takes(tiny, tmp_path, keys):
    keys = keys | {"/jobs/iterations": 30, "/outputs/switch_interval": "1us"}
    said, _ = estimate(tiny, *ina_sim.set_options(keys))
    folder = ina_sim.run(tiny, tmp_path, keys)
    assert size_of(folder) / FACTOR < 1e6 * float(said["disk"]) < size_of(folder) * FACTOR


def test_idle_time_takes_nothing(tiny):
    """Two short jobs are an hour apart. The estimate must be that of short jobs."""
    job = {"workers": 2, "profile": {"name": "tiny", "layers": [{"parameters": 5000}]}}
    jobs = json.dumps([job, job | {"start": "3600s"}])
    said, _ = estimate(tiny, *ina_sim.set_options({"/sweep": "{}", "/jobs": jobs}))
    assert said["time"].endswith(" s") and float(said["time"].removesuffix(" s")) < 10
    assert float(said["disk"]) < 1


def test_a_slice_has_its_runs_alone(tiny):
    assert estimate(tiny, "--slice", "1/2")[0]["runs"] == "2"


def test_beside_other_traffic_it_is_a_least(tiny):
    flows = [{"kind": "bulk", "from": "host0", "to": "host3"}]
    said, _ = estimate(tiny, *ina_sim.set_options({"/traffic/flows": json.dumps(flows)}))
    assert said["rest"] == "; or more, since other traffic grows after the beginning of a run"


def test_runs_that_fail_are_named_and_left_out(tiny):
    said, error = estimate(tiny, "--set", "/time_limit=1us")
    assert said["rest"] == "; without 4 runs that failed"
    assert len(error.splitlines()) == 4

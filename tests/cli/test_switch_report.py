# SPDX-License-Identifier: BSD-3-Clause
"""The files and the output of ina-switch-report, whose path is in INA_SWITCH_REPORT."""

import json
import os
import re
import subprocess

import ina_sim
import pytest


def report(*arguments, stdout=subprocess.PIPE):
    command = [os.environ["INA_SWITCH_REPORT"], "report", *map(str, arguments)]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)


def test_json_names_its_writer_and_is_written_again(tmp_path):
    target = tmp_path / "report.json"
    for _ in range(2):
        done = report("--system", "atp", "--json", target)
        assert (done.returncode, done.stderr) == (0, "")
        content = json.loads(target.read_text())
        assert list(content) == ["written_by", "title", "resources"]
        assert content["written_by"] == "ina switch report --json"
    assert list(tmp_path.iterdir()) == [target]


def test_a_system_that_adds_up_at_no_switch_is_refused():
    done = report("--system", "ps")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "ina: switch report: --system: ps not in {switchml,atp,dsa}\n"


@pytest.mark.parametrize("size", ["4063232", "4063232B", "4.063232MB", "3968KiB", "3.875MiB"])
def test_memory_is_in_bytes_or_has_a_unit(size):
    done = report("--system", "atp", "--memory", size)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("atp on tofino1: 16384 aggregators of 248 B")


@pytest.mark.parametrize("size", ["", "-1", "4.5", "4 MB", "4mb", "5Mbps", "1e6", "0", "100.1GB", "200000000000"])
def test_memory_that_is_no_size_is_refused_with_the_sizes_that_are_allowed(size):
    done = report("--system", "atp", "--memory", size)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f'ina: switch report: --memory: "{size}", ')
    assert done.stderr.endswith(
        "; allowed: a size from 1B to 100GB, in bytes or with its unit "
        "(B, kB, KB, MB, GB, KiB, MiB, GiB), such as 5MB\n"
    )


@pytest.mark.parametrize("memory, allowed", [("6MB", r"--memory (\d+)$"), ("247", r"--memory: .* 248 to (\d+)$")])
def test_too_much_or_too_little_memory_names_the_option_and_the_most_that_fits(memory, allowed):
    done = report("--system", "atp", "--memory", memory)
    assert (done.returncode, done.stdout) == (2, "")
    most = int(re.search(allowed, done.stderr.strip())[1])
    assert report("--system", "atp", "--memory", most).returncode == 0
    assert report("--system", "atp", "--memory", most + 248).returncode == 2


@pytest.mark.parametrize("content", ["mine", '{"name": "a scenario"}', '{"written_by": "ina run --json"}'])
def test_what_is_not_ours_is_kept_and_nothing_is_printed(tmp_path, content):
    target = tmp_path / "mine.json"
    target.write_text(content)
    done = report("--system", "atp", "--json", target)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"ina: switch report: --json: {target} contains something that --json did not write; "
        "allowed: a new file, or a file that --json wrote\n"
    )
    assert target.read_text() == content


def test_a_folder_is_no_file(tmp_path):
    done = report("--system", "atp", "--json", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--json: {tmp_path}: Is a directory" in done.stderr


@pytest.mark.parametrize("full", [True, False], ids=["full", "closed"])
@pytest.mark.parametrize("arguments", [["--system", "atp"], ["--help"]], ids=["report", "help"])
def test_output_that_goes_nowhere_is_one_line_and_the_status_of_trouble(arguments, full):
    with ina_sim.broken_output(full) as output:
        done = report(*arguments, stdout=output)
    assert done.returncode == 4
    assert done.stderr == "ina: switch report: standard output cannot be written\n"

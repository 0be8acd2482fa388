# SPDX-License-Identifier: BSD-3-Clause
"""Tests the arguments that ina-explore (environment variable INA_EXPLORE) accepts and rejects."""

import json
import os
import subprocess

import pytest

SMALL = "dsa-priority-w2-a1-f1-k1-t1"
REPLAY = f"configuration {SMALL}\ndeliver up 0\nfire 0 0\n"


def explore(*arguments, **options):
    command = [os.environ["INA_EXPLORE"], *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def numbers(file):
    content = json.loads(file.read_text())
    assert list(content) == ["written_by", "configurations"]
    assert content["written_by"] == "ina explore --json"
    return content["configurations"]


def assert_refused(done, *words):
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("ina: ")
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tcp-w2", ["tcp-w2", "switchml", "dsa-coin-flip"]),
        ("dsa", ["'dsa'", "dsa-fcfs"]),
        ("atp-w5", ["'w5'", "2 to 4"]),
        ("atp-w", ["'w'", "2 to 4"]),
        ("atp-k1x", ["'k1x'", "0 to 9"]),
        ("atp-W1", ["'W1'", "w l u g v j y a m f"]),
        ("atpw2", ["atpw2", "'-'"]),
        ("atp-w2-k1-w3", ["'w3'", "second number of w"]),
        ("atp-f4-n2-i3", ["more than 8 fragments"]),
        ("switchml-q1", ["q:", "no server"]),
        ("dsa-priority-e1", ["e:", "dsa-fcfs"]),
        ("ps-l1", ["l:", "no switch of ps"]),
        ("dsa-fcfs-w2-l1-u1-v1", ["v:", "only atp"]),
        ("atp-w2-l2-u1", ["each of the l racks"]),
        ("atp-v1", ["v:", "without racks"]),
        ("switchml-l2-v1", ["v:", "only atp"]),
        ("switchml-j2-b2-c1", ["more than 7 registrations", "c and b"]),
        ("atp-j2-c3", ["more than 7 registrations", "1, c)"]),
    ],
)
def test_bad_name(name, words, tmp_path):
    done = explore(SMALL, name, cwd=tmp_path)
    assert_refused(done, *words)
    assert done.stdout == ""  # the valid one did not run, either
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "option, too_much", [("--most-states", "5000000000"), ("--most-memory", "200000GB")]
)
@pytest.mark.parametrize("most", ["0", "-1", "many", "1-3", "3x", None])
def test_bad_bound(option, too_much, most):
    assert_refused(explore(SMALL, option, most or too_much), option)


@pytest.mark.parametrize(
    "arguments",
    [["--fast"], ["--full", SMALL], ["--replay", "x", SMALL], ["--replay", "x", "--full"]],
)
def test_bad_options(arguments):
    assert_refused(explore(*arguments), arguments[0])


def test_unknown_mutant():
    assert_refused(explore(SMALL, "--mutant", "dsa-none"), "dsa-none", "dsa-no-reminder")


def test_mutant_of_another_system():
    assert_refused(explore(SMALL, "--mutant", "atp-forget-to-free"), "atp-forget-to-free", SMALL)


def test_missing_folder_for_schedules(tmp_path):
    done = explore(SMALL, "--save", tmp_path / "none")
    assert_refused(done, "--save", str(tmp_path / "none"))
    assert done.stdout == ""


def test_unwritable_json(tmp_path):
    path = tmp_path / "no" / "numbers.json"
    done = explore(SMALL, "--json", path)
    assert_refused(done, str(path))
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["configuration"]),
        ("deliver up 0\n", ["configuration"]),
        (REPLAY.replace("-k1", "-k1x"), ["'k1x'"]),
        (REPLAY + "jump 3\n", ["line 4", "'jump 3'", "deliver_late"]),
        (REPLAY + "deliver sideways 0\n", ["line 4", "up or down"]),
        (REPLAY + "deliver up\n", ["line 4"]),
        (REPLAY + "deliver up 999\n", ["line 4"]),
        (REPLAY + "deliver up 0 tails\n", ["line 4"]),
        (REPLAY + "deliver up 9\n", ["step 3", "not possible"]),
        (REPLAY + "restart 0\n", ["step 3", "not possible"]),
        (REPLAY + "fire 1 0\n", ["step 3", "more than", SMALL]),
        (REPLAY + "mutant none\n", ["'none'", "dsa-no-reminder"]),
    ],
)
def test_bad_replay(text, words, tmp_path):
    file = tmp_path / "schedule.txt"
    file.write_text(text)
    assert_refused(explore("--replay", file), str(file), *words)


def test_missing_replay(tmp_path):
    assert_refused(explore("--replay", tmp_path / "none.txt"), "none.txt", "cannot be read")


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_replay_that_is_no_file(tmp_path, make):
    make(tmp_path / "schedule.txt")
    done = explore("--replay", tmp_path / "schedule.txt", timeout=60)
    assert_refused(done, "schedule.txt: cannot be read: it is not a regular file")


def test_good_replay(tmp_path):
    file = tmp_path / "schedule.txt"
    file.write_text(REPLAY)
    done = explore("--replay", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("nothing is wrong\n")


def test_numbers(tmp_path):
    done = explore(SMALL, "--json", tmp_path / "numbers.json")
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = numbers(tmp_path / "numbers.json")
    assert row["configuration"] == SMALL
    assert row["complete"] is True
    assert f"{SMALL}: {row['states']} states" in done.stdout


def test_what_is_cut_off_is_listed():
    done = explore("dsa-priority-w2-a1-f2-k2-t2", "--most-states", 100)
    assert done.returncode == 0
    states, end = done.stdout.splitlines()
    assert states.endswith("s, cut off")
    assert 100 <= int(states.split()[1]) < 110
    assert end == "0 complete, 1 cut off, 0 wrong"


@pytest.mark.parametrize("most", ["30000000", "30MB"])
def test_what_takes_too_much_memory_is_cut_off(most):
    done = explore("dsa-priority-w3-j2-a4-f3-k2-t1", "--most-memory", most)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "0 complete, 1 cut off, 0 wrong"


def test_every_mistake_is_saved_and_replays(tmp_path):
    mutant = "dsa-free-before-multicast"
    names = [SMALL, "dsa-priority-w3-a1-f1-k0-t0"]
    done = explore(*names, "--mutant", mutant, cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.count("wrong sum") == 2
    assert done.stdout.splitlines()[-1] == "0 complete, 0 cut off, 2 wrong"
    for name in names:
        done = explore("--replay", tmp_path / f"counterexample-{name}-{mutant}.txt")
        assert done.returncode == 3
        assert "wrong sum" in done.stdout.splitlines()[-1]


def test_a_mistake_is_looked_for_where_it_shows(tmp_path):
    done = explore("--mutant", "switchml-skip-the-bitmap-test", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.startswith("switchml-w2-a1-f1-k0-t1: ")


def test_a_mistake_is_told_where_its_schedule_cannot_be_written(tmp_path):
    (tmp_path / f"counterexample-{SMALL}-dsa-free-before-multicast.txt").symlink_to("/dev/full")
    done = explore(SMALL, "--mutant", "dsa-free-before-multicast", "--json", "n.json", cwd=tmp_path)
    assert done.returncode == 3
    assert "wrong: worker" in done.stdout
    assert "cannot be written: No space left on device" in done.stderr
    assert "wrong sum" in numbers(tmp_path / "n.json")[0]["failure"]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_schedule_is_not_saved_over_what_is_none_of_ours(tmp_path, kind):
    place = tmp_path / f"counterexample-{SMALL}.txt"
    if kind == "file":
        place.write_text(REPLAY)
    else:
        place.mkdir()
    done = explore(SMALL, cwd=tmp_path)
    assert_refused(done, "--save: ", str(place.name))
    assert done.stdout == ""
    assert kind == "folder" or place.read_text() == REPLAY


def test_a_schedule_is_saved_over_an_earlier_one(tmp_path):
    for _ in range(2):
        done = explore(SMALL, "--mutant", "dsa-free-before-multicast", cwd=tmp_path)
        assert done.returncode == 3
        assert done.stderr == ""


def test_numbers_do_not_go_over_a_schedule(tmp_path):
    schedule = tmp_path / "schedule.txt"
    schedule.write_text(REPLAY)
    assert_refused(explore(SMALL, "--json", schedule), "contains something that --json did not write")
    assert schedule.read_text() == REPLAY


@pytest.mark.parametrize("arguments", [["--list"], ["--help"], [SMALL]])
def test_output_that_goes_nowhere_is_one_line_and_the_status_of_trouble(arguments):
    with open("/dev/full", "wb", buffering=0) as full:
        done = subprocess.run(
            [os.environ["INA_EXPLORE"], *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
    assert done.returncode == 4
    assert done.stderr == "ina: standard output cannot be written\n"


def test_numbers_go_through_a_link(tmp_path):
    (tmp_path / "link.json").symlink_to("numbers.json")
    assert explore(SMALL, "--json", "link.json", cwd=tmp_path).returncode == 0
    assert (tmp_path / "link.json").is_symlink()
    assert len(numbers(tmp_path / "numbers.json")) == 1


def test_a_replay_that_ends_before_its_failure_tells_what_the_file_says(tmp_path):
    file = tmp_path / "schedule.txt"
    file.write_text(REPLAY.replace("\n", "\r\n") + "failure something\r\n")
    done = explore("--replay", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("the file says: something\nnothing is wrong\n")


def test_full_adds_to_the_bounded_set():
    bounded = explore("--list").stdout.splitlines()
    full = explore("--full", "--list").stdout.splitlines()
    assert full[: len(bounded)] == bounded
    assert "atp-w3-j2-a4-f3-k2-t1" in full
    assert len(full) == len(set(full))
